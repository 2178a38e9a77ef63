"""Objects that hold one another, of which the run takes one: cells and neighbours, children and parents, what comes next."""

from tests.corpus.case import at, vec

everywhere = at((vec(0.75, 0.35, 0.9),), (vec(0.25, 1.9, 0.15),), (vec(0.55, 0.62, 0.45),))


class Cell:
    def __init__(self, place, v):
        self.place, self.v = place, v
        self.near = []
        self.parent = None


class Ring:
    def __init__(self, x):
        self.cells = [Cell(k, v) for k, v in enumerate(x)]
        for k, cell in enumerate(self.cells):
            cell.near = [self.cells[(k + 1) % len(x)], self.cells[k - 1]]

    def total(self):
        return sum(cell.v**2 * (k + 1) for k, cell in enumerate(self.cells))


def family(x):
    root, left, right = (Cell(k, v) for k, v in enumerate(x))
    for child in (left, right):
        child.parent = root
        root.near.append(child)
    return root, left, right


@everywhere
def the_largest_and_its_neighbours(x):
    ring = Ring(x)
    cell = max(ring.cells, key=lambda c: c.v)
    cell.v *= 2.0
    for other in cell.near:
        other.v -= 0.5 * x[1] * other.v
    return ring.total() + sum(other.v for other in cell.near)


@everywhere
def from_cell_to_cell(x):
    ring, total = Ring(x), 0.0
    cell = ring.cells[0]
    for _ in range(5):
        total += cell.v
        cell.v = cell.v * 0.7
        cell = max(cell.near, key=lambda c: c.v)
    return total + ring.total() + (cell is ring.cells[1]) * x[0]


@everywhere
def up_to_the_root(x):
    root, left, right = family(x)
    node = left if x[0] > 0.5 else right
    node.v = node.v * 3.0
    while node.parent is not None:
        node = node.parent
    above = node.v
    least = min(root.near, key=lambda c: c.v)
    least.parent.v += least.v
    return above * x[1] + sum(child.v for child in root.near) + root.v * least.v


@everywhere
def along_a_chain(x):
    cells = [Cell(k, v) for k, v in enumerate(x)]
    for one, after in zip(cells, cells[1:], strict=False):
        one.parent = after
        after.near.append(one)
    cell, total = (cells[0] if x[0] > 0.5 else cells[1]), 0.0
    while cell is not None:
        total += cell.v**2 * (cell.place + 1)
        cell = cell.parent
    return total


@everywhere
def two_that_exchange(x):
    ring = Ring(x)
    a = ring.cells[0] if x[0] > 0.5 else ring.cells[1]
    b = ring.cells[1] if x[1] > 0.5 else ring.cells[2]
    a.v, b.v = b.v * 2.0, a.v
    return ring.total()


@everywhere
def carried_by_a_loop(x):
    ring = Ring(x)
    cell = ring.cells[0] if x[0] > 0.5 else ring.cells[1]
    other = cell
    for v in x:
        if v > 0.5:
            other = cell.near[0]
        other.v = other.v + v
        cell = other.near[1] if v > 0.3 else cell
    return ring.total() + cell.v * other.v


@everywhere
def in_order_and_under_keys(x):
    ring = Ring(x)
    order = sorted(ring.cells, key=lambda c: c.v)
    for k, cell in enumerate(order):
        cell.v *= k + 1
    table = {cell.place: cell for cell in ring.cells}
    chosen = table[int(x[0] * 3.1) % 3]
    chosen.v *= 3.0
    return ring.total() + order[0].near[0].v * chosen.near[1].v


@everywhere
def a_queue_of_cells(x):
    ring = Ring(x)
    queue, seen = [max(ring.cells, key=lambda c: c.v)], []
    while queue:
        cell = queue.pop(0)
        seen.append(cell.place)
        cell.v *= 0.5
        if len(seen) < 3:
            queue.append(cell.near[0])
    return ring.total() + len(seen) * x[0]
