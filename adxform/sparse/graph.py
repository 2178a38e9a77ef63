"""What depends on what: a graph whose nodes are sets of inputs, each the union of others.

A node stands for one number of the traced program. Two numbers have no set: `ZERO` is zero whatever the inputs are, `CONST` is
some number that does not depend on them. The inputs are the nodes from 2 on. A union makes a node only where it is none of its
operands, so that a program of `n` operations makes at most `n` nodes however large the sets are; `leaves` finds the sets last.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from adxform.sparse.scipy_sparse import require

ZERO, CONST, FIRST = 0, 1, 2
MOST = 200_000_000
CHUNK = 400_000

Ids = np.ndarray[Any, np.dtype[np.int64]]


class GiveUp(Exception):
    """The dependences of this program cannot be told."""


class Graph:
    """Unions over `inputs` inputs. `edges` holds pairs (node, member) of latest nodes, flat.

    `frozen` are arrays of ids that may be one another in a run: a write to one of them would have to be seen in others.
    """

    def __init__(self, inputs: int) -> None:
        self.inputs = inputs
        self.count = FIRST + inputs
        self.cyclic = False
        self.edges: list[int] = []
        self.frozen: dict[int, Any] = {}
        self._owners: list[Ids] = []
        self._members: list[Ids] = []

    def fresh(self, count: int) -> Ids:
        """The ids of `count` new nodes without members."""
        start = self.count
        self.count = start + count
        if self.count > MOST:
            raise GiveUp("it has more operations than can be followed")
        return np.arange(start, self.count)

    def link(self, owners: Any, members: Any) -> None:
        """Let the set of each of `owners` hold that of the one of `members` beside it."""
        self._owners.append(np.ravel(owners))
        self._members.append(np.ravel(members))

    def tie(self, owners: Any, members: Any) -> None:
        """As `link`, where `members` may hold `owners` themselves: what a loop carries."""
        owners, members = np.broadcast_arrays(owners, members)
        active = members >= FIRST
        self.link(owners[active], members[active])
        self.cyclic = True

    def freeze(self, *arrays: Any) -> None:
        """Refuse writes to the memory of `arrays` from now on."""
        for array in arrays:
            if isinstance(array, np.ndarray):
                root = root_of(array)
                self.frozen[id(root)] = root

    def check(self, x: Any) -> None:
        """Give up where `x`, which is about to be written, is frozen."""
        if self.frozen and id(root_of(x)) in self.frozen:
            raise GiveUp("it writes to one of two arrays")

    def flush(self) -> None:
        """Move `edges` to arrays where there are many."""
        if len(self.edges) > CHUNK:
            self._flush()

    def _flush(self) -> None:
        pairs = np.array(self.edges, np.int64).reshape(-1, 2)
        self.edges.clear()
        self.link(pairs[:, 0], pairs[:, 1])

    def union(self, a: int, b: int) -> int:
        """The union of two sets."""
        if a < FIRST or b < FIRST or a == b:
            return a if a > b else b
        node = self.count
        self.count = node + 1
        self.edges += (node, a, node, b)
        return node

    def unions(self, a: Any, b: Any) -> Any:
        """The unions of the sets at each place, after broadcasting."""
        if type(a) is int and type(b) is int:
            return self.union(a, b)
        found = np.array(np.maximum(a, b))
        mixed = (np.minimum(a, b) >= FIRST) & np.not_equal(a, b)
        if mixed.any():
            a, b = np.broadcast_to(a, found.shape)[mixed], np.broadcast_to(b, found.shape)[mixed]
            found[mixed] = nodes = self.fresh(len(a))
            self.link(nodes, a)
            self.link(nodes, b)
        return found

    def whole(self, ids: Any) -> int:
        """The union of all sets in `ids`; `ZERO` where there are none."""
        flat = distinct(np.ravel(ids))
        active = flat[flat >= FIRST]
        if len(active) < 2:
            return int(flat[-1]) if len(flat) else ZERO
        node = int(self.fresh(1)[0])
        self.link(np.full(len(active), node), active)
        return node

    def grouped(self, groups: Any, ids: Any, size: int) -> Ids:
        """The union of those of `ids` of each of `size` groups: `groups` says of each in which it is."""
        groups, ids = np.ravel(groups), np.ravel(ids)
        found = np.zeros(size, np.int64)
        np.maximum.at(found, groups, ids)
        active = ids >= FIRST
        groups, ids = groups[active], ids[active]
        several = np.bincount(groups, minlength=size) > 1
        if several.any():
            found[several] = self.fresh(int(several.sum()))
            chosen = several[groups]
            self.link(found[groups[chosen]], ids[chosen])
        return found

    def running(self, rows: Any) -> Ids:
        """The union of each row with the sets of those before it, at each place; shape and result (n, …)."""
        found = np.array(rows)
        if len(found) > 1 and found.size:
            found[1:] = self.fresh(found[1:].size).reshape(found[1:].shape)
            for members in (found[:-1], rows[1:]):
                active = members >= FIRST
                self.link(found[1:][active], members[active])
        return found

    def leaves(self, wanted: Sequence[int] | Ids) -> Any:
        """The inputs in each set of `wanted`: a boolean ``csr_array`` of shape (len(wanted), inputs).

        Members are replaced by their members until only inputs are left. Squaring the relation takes two steps at once, so a
        chain of length n takes log2(n) of them. A set that is a member of one other only is merged into that one first.
        """
        sparse = require("scipy.sparse")
        wanted = np.asarray(wanted, np.int64)
        owners, members, kept = self._reached(wanted)
        number = np.zeros(self.count, np.int64)
        number[kept] = np.arange(len(kept))
        owners, members = number[owners], number[members]
        count = len(kept)
        is_input = (kept >= FIRST) & (kept < FIRST + self.inputs)
        ends = number[wanted]
        if self.cyclic:
            count, labels = self._condensed(owners, members, count)
            owners, members, ends = labels[owners], labels[members], labels[ends]
            inputs = labels[is_input]
        else:
            inputs = np.flatnonzero(is_input)
        names = np.full(count, -1)
        names[inputs] = kept[is_input] - FIRST
        apart = owners != members
        owners, members = _distinct(owners[apart], members[apart], count)
        uses = np.bincount(members, minlength=count)
        uses[ends[wanted >= FIRST]] += 2
        once = (uses == 1) & (names < 0)
        into = np.arange(count)
        into[members[once[members]]] = owners[once[members]]
        while not np.array_equal(into, into[into]):
            into = into[into]
        stays = ~once[members]
        owners, members = _distinct(np.append(into[owners[stays]], inputs), np.append(members[stays], inputs), count)
        relation = sparse.csr_array((np.ones(len(owners), bool), (owners, members)), shape=(count, count))
        while (names[relation.indices] < 0).any():
            relation = relation @ relation
        active = np.flatnonzero(wanted >= FIRST)
        rows = relation[ends[active]].tocoo()
        places = active[rows.row], names[rows.col]
        return sparse.csr_array((np.ones(rows.nnz, bool), places), shape=(len(wanted), self.inputs))

    def _reached(self, wanted: Ids) -> tuple[Ids, Ids, Ids]:
        """The edges and the nodes on the way from `wanted` to inputs."""
        sparse, csgraph = require("scipy.sparse"), require("scipy.sparse.csgraph")
        self._flush()
        owners, members = np.concatenate([*self._owners]), np.concatenate([*self._members])
        starts = distinct(wanted[wanted >= FIRST])
        rows, columns = np.append(owners, np.full(len(starts), self.count)), np.append(members, starts)
        shape = (self.count + 1, self.count + 1)
        whole = sparse.csr_array((np.ones(len(rows), np.int8), (rows, columns)), shape=shape)
        order = csgraph.breadth_first_order(whole, self.count, return_predecessors=False)
        kept = np.sort(order[order != self.count])
        reached = np.zeros(self.count, bool)
        reached[kept] = True
        chosen = reached[owners]
        return owners[chosen], members[chosen], kept

    def _condensed(self, owners: Ids, members: Ids, count: int) -> tuple[int, Ids]:
        """The number of strongly connected components, and that of each node: sets that hold one another are equal."""
        sparse, csgraph = require("scipy.sparse"), require("scipy.sparse.csgraph")
        graph = sparse.csr_array((np.ones(len(owners), np.int8), (owners, members)), shape=(count, count))
        found, labels = csgraph.connected_components(graph, connection="strong")
        return int(found), labels.astype(np.int64)


def root_of(x: Any) -> Any:
    """The array that owns the memory of `x`."""
    while isinstance(x.base, np.ndarray):
        x = x.base
    return x


def _distinct(owners: Ids, members: Ids, count: int) -> tuple[Ids, Ids]:
    """Each edge once."""
    keys = distinct(owners * count + members)
    return keys // count, keys % count


def distinct(values: Ids) -> Ids:
    """Each of `values` once, in order: `np.unique` hashes, which takes far longer for many."""
    ordered = np.sort(values)
    return ordered[np.append(True, ordered[1:] != ordered[:-1])] if len(ordered) else ordered
