"""Statements in the manner of scientists, each with what it binds: what random programs are put together from."""

from __future__ import annotations

import re

from tests.domain.grammar import LIMIT, Idiom, Lines, Scope, block, condition, constant, count, indented, index, number, vector


def new_number(scope: Scope) -> Lines:
    """A number gets a name."""
    name = scope.name("s")
    line = f"{name} = {number(scope)}"
    scope.numbers.append(name)
    return [line]


def from_integer(scope: Scope) -> Lines:
    """A number that begins as an integer, as sums and extremes do."""
    name = scope.name("total")
    lines = [f"{name} = {scope.pick('0', '1', '-1')}"]
    of = scope.pick(*scope.vectors)
    inner = scope.inner(loop=True)
    inner.numbers += [name, "item"]
    step = scope.pick(
        f"{name} += {number(inner, 1)}",
        f"{name} = max({name}, {number(inner, 1)})",
        f"{name} = min({number(inner, 1)}, {name})",
        f"{name} = {name} * 0.5 + {number(inner, 1)}",
        f"{name} -= item",
    )
    lines += [f"for item in {of}:", *indented([step])]
    scope.numbers.append(name)
    return lines


def change_number(scope: Scope) -> Lines:
    """A number is bound anew."""
    names = scope.writable(scope.numbers)
    if not names:
        return new_number(scope)
    name = scope.pick(*names)
    return [scope.pick(f"{name} {scope.pick('+=', '-=', '*=')} {number(scope, 1)}", f"{name} = {number(scope)}")]


def new_vector(scope: Scope) -> Lines:
    """An array gets a name; sometimes an array that has one."""
    name = scope.name("v")
    line = f"{name} = {vector(scope)}"
    scope.vectors.append(name)
    return [line] if " " in line[len(name) + 3 :] or "(" in line else [f"{line}.copy()"]


def change_vector(scope: Scope) -> Lines:
    """An array is written to, whole or in part, or bound anew."""
    names = scope.writable(scope.vectors)
    if not names:
        return new_vector(scope)
    v = scope.pick(*names)
    return [
        scope.pick(
            f"{v} {scope.pick('+=', '-=', '*=')} {vector(scope, 1)}",
            f"{v} {scope.pick('+=', '*=')} {number(scope, 1)}",
            f"{v}[{index(scope)}] {scope.pick('=', '+=', '-=', '*=')} {number(scope, 1)}",
            f"{v}[1:-1] {scope.pick('=', '+=', '-=')} {scope.pick(*scope.vectors)}[2:] * {number(scope, 1)}",
            f"{v}[:] = {vector(scope, 1)}",
            f"{v}[1:] {scope.pick('+=', '=')} ({vector(scope, 1)})[:-1]",
            f"{v}[{v} > {constant(scope)}] {scope.pick('=', '*=')} {scope.pick('0.5', '0', number(scope, 1))}",
            f"{v} = {vector(scope)}",
            f"{v} **= {scope.pick('2', count(scope))}",
            f"{v} /= 1.0 + {v} ** {scope.pick('2', count(scope))}",
            f"np.add.at({v}, [0, 1, 0], {number(scope, 1)})",
            f"np.subtract.at({v}, ([0, 1, 0],), {number(scope, 1)})",
            f"np.copyto({v}, {vector(scope, 1)})",
            f"{v}.sort()",
            f"{v}.fill({number(scope, 1)})",
            f"np.multiply({v}, {vector(scope, 1)}, out={v})",
        )
    ]


def alias(scope: Scope) -> Lines:
    """Another name for an array, or a view of it, is written through."""
    names = scope.writable(scope.vectors)
    if not names:
        return new_vector(scope)
    v, w = scope.pick(*names), scope.name("w")
    view = scope.pick(v, f"{v}[1:]", f"{v}[::-1]", f"{v}[::2]", f"{v}.reshape(-1)")
    return [
        f"{w} = {view}",
        scope.pick(f"{w} *= {number(scope, 1)}", f"{w}[0] += {number(scope, 1)}", f"{w}[...] = {number(scope, 1)}"),
    ]


def swap(scope: Scope) -> Lines:
    """Two arrays change names."""
    names = scope.writable(scope.vectors)
    if len(names) < 2:
        return change_number(scope)
    a, b = scope.chance.sample(names, 2)
    return [f"{a}, {b} = {b}, {a}"]


def history(scope: Scope) -> Lines:
    """A list that a loop fills, and what is made of it."""
    kept, result = scope.name("history"), scope.name("s")
    inner = scope.inner(loop=True)
    source = scope.pick(f"for {{}} in range({count(scope)})", f"for {{}} in range(len({scope.pick(*scope.vectors)}))")
    place = scope.name("k")
    if "len" in source:
        inner.indices.append(place)
    else:
        inner.counts.append(place)
    of_vectors = scope.chance.random() < 0.3
    item = vector(inner, 1) if of_vectors else number(inner, 1)
    append = scope.pick(f"{kept}.append({item})", f"{kept} += [{item}]", f"list.append({kept}, {item})")
    body = [*(block(inner, 1) if scope.deep < LIMIT - 1 else []), append]
    if scope.chance.random() < 0.3:
        body = [f"if {condition(inner)}:", *indented(body)]
    start = scope.pick("[]", f"[{vector(scope, 1) if of_vectors else number(scope, 1)}]")
    if of_vectors:
        end = scope.pick(f"np.sum(np.array({kept}))", f"sum([np.sum(e) for e in {kept}])", f"sum(e[0] for e in {kept})")
    else:
        end = scope.pick(
            f"sum({kept})", f"np.sum({kept})", f"np.mean(np.array({kept} + [1.0]))", f"max({kept} + [0.5])", f"math.fsum({kept})"
        )
    lines = [f"{kept} = {start}", source.format(place) + ":", *indented(body), f"{result} = {end}"]
    scope.numbers.append(result)
    return lines


def table(scope: Scope) -> Lines:
    """A dict of parameters, read and changed."""
    d = scope.name("d")
    lines = [f"{d} = {{'rate': {number(scope, 1)}, 'state': {vector(scope, 1)}, 'order': {count(scope)}}}"]
    lines.append(
        scope.pick(
            f"{d}['rate'] {scope.pick('+=', '*=')} {number(scope, 1)}",
            f"{d}['state'] = {d}['state'] * {d}['rate']",
            f"{d}.update(rate={number(scope, 1)})",
            f"{d}['other'] = {d}.get('missing', {d}['rate'])",
            f"{d}['order'] += 1",
            f"{d}['rate'] = {d}['rate'] * {d}['order']",
        )
    )
    scope.records.append(f"{d}['rate']")
    result = scope.name("s")
    lines.append(f"{result} = np.sum({d}['state']) * {d}['rate'] + {d}['order']")
    scope.numbers.append(result)
    return lines


def thing(scope: Scope) -> Lines:
    """An object with state, whose methods change it."""
    if not scope.classes:
        return new_number(scope)
    cls, o, result = scope.pick(*scope.classes), scope.name("o"), scope.name("s")
    lines = [f"{o} = {cls}({number(scope, 1)}, {vector(scope, 1)})"]
    lines += [f"{o}.{scope.pick('step', 'relax')}({number(scope, 1)})" for _ in range(scope.chance.randint(0, 2))]
    if scope.chance.random() < 0.4:
        lines.append(f"{o}.{scope.pick('rate', 'total')} {scope.pick('+=', '=', '*=')} {number(scope, 1)}")
    lines.append(f"{result} = {o}.energy() {scope.pick('+', '*')} {o}.{scope.pick('rate', 'total', 'count')}")
    scope.numbers.append(result)
    return lines


def closure(scope: Scope) -> Lines:
    """A function defined inside, which reads what is around it."""
    g, result = scope.name("g"), scope.name("s")
    inner = scope.inner()
    inner.numbers.append("t")
    body = number(inner)
    scope.captured.update(re.findall(r"[a-z_]\w*", body))
    made = (
        [f"{g} = lambda t: {body}"]
        if scope.chance.random() < 0.5
        else [f"def {g}(t, k={constant(scope)}):", f"    return {body} * k"]
    )
    lines = [*made, f"{result} = {g}({number(scope, 1)}) + {g}({constant(scope)})"]
    scope.numbers.append(result)
    return lines


def pair(scope: Scope) -> Lines:
    """Values come in tuples."""
    a, b = scope.name("s"), scope.name("s")
    lines = [
        scope.pick(
            f"{a}, {b} = {number(scope, 1)}, {number(scope, 1)}",
            f"({a}, {b}), _ = ({number(scope, 1)}, {number(scope, 1)}), 1.0",
            f"{a}, {b} = [t * 2.0 for t in ({number(scope, 1)}, {number(scope, 1)})]",
            f"{a}, {b} = max(({number(scope, 1)}, {constant(scope)}), ({number(scope, 1)}, {constant(scope)}))",
            f"{a}, {b} = sorted([{number(scope, 1)}, {number(scope, 1)}])",
            f"{a}, {b} = divmod({number(scope, 1)}, 0.7)",
        )
    ]
    scope.numbers += [a, b]
    return lines


def over_places(scope: Scope) -> Lines:
    """A loop over the places of a vector."""
    i, v = scope.name("i"), scope.pick(*scope.vectors)
    inner = scope.inner(loop=True)
    inner.indices.append(i)
    span = scope.pick(f"range(len({v}))", f"range(1, len({v}))", f"range({v}.shape[0] - 1, -1, -1)", f"range(0, {v}.size, 2)")
    return [f"for {i} in {span}:", *indented(block(inner))]


def over_pairs(scope: Scope) -> Lines:
    """A loop over pairs of places."""
    i, j, v = scope.name("i"), scope.name("j"), scope.pick(*scope.vectors)
    inner = scope.inner(loop=True)
    inner.indices += [i, j]
    inner.numbers += [i, j]
    inner.fixed |= {i, j}
    span = scope.pick(
        f"itertools.combinations(range(len({v})), 2)",
        f"itertools.product(range({count(scope)}), range(len({v})))",
        f"itertools.pairwise(range(len({v})))",
        *([f"np.ndindex({scope.pick(*scope.matrices)}.shape)"] if scope.matrices else []),
    )
    return [f"for {i}, {j} in {span}:", *indented(block(inner, 1))]


def over_items(scope: Scope) -> Lines:
    """A loop over the items of vectors."""
    e, v = scope.name("e"), scope.pick(*scope.vectors)
    inner = scope.inner(loop=True)
    inner.numbers.append(e)
    inner.fixed |= {e}
    head = scope.pick(f"for {e} in {v}", f"for {e} in {v} * 2.0", f"for {e} in reversed({v})")
    if scope.chance.random() < 0.4:
        other = scope.name("j")
        inner.numbers.append(other)
        inner.fixed |= {other}
        beside = scope.pick(*scope.vectors, "(0.5, 1.5, 2)", "[1.0, -0.5, 0.3, 2.0, 0.7]", "range(3)")
        head = f"for {e}, {other} in zip({v}, {beside})"
    return [f"{head}:", *indented(block(inner))]


def steps(scope: Scope) -> Lines:
    """A loop of as many passes as an argument says."""
    t = scope.name("t")
    inner = scope.inner(loop=True)
    inner.counts.append(t)
    body = block(inner)
    if scope.chance.random() < 0.25:
        body += [f"if {condition(inner)}:", f"    {scope.pick('break', 'continue')}"]
    return [f"for {t} in range({count(scope)}):", *indented(body)]


def until(scope: Scope) -> Lines:
    """A loop until something is small, or too many passes were made."""
    k = scope.name("k")
    inner = scope.inner(loop=True)
    inner.fixed |= {k}
    inner.counts.append(k)
    return [f"{k} = 0", f"while {k} < 3 and {condition(scope)}:", *indented([*block(inner), f"{k} += 1"])]


def branch(scope: Scope) -> Lines:
    """A choice; one of two or three."""
    lines = [f"if {condition(scope)}:", *indented(block(scope.inner()))]
    if scope.chance.random() < 0.3:
        lines += [f"elif {condition(scope)}:", *indented(block(scope.inner()))]
    return lines + (["else:", *indented(block(scope.inner()))] if scope.chance.random() < 0.6 else [])


def joined(scope: Scope) -> Lines:
    """A name that is of one kind on one path and of another on the other."""
    name = scope.name("s")
    sides = [number(scope, 1), scope.pick("0", "1", constant(scope), count(scope), number(scope, 1))]
    scope.chance.shuffle(sides)
    lines = [f"if {condition(scope)}:", f"    {name} = {sides[0]}", "else:", f"    {name} = {sides[1]}"]
    scope.numbers.append(name)
    return lines


def grid(scope: Scope) -> Lines:
    """A table filled from its borders, as dynamic programming does."""
    g, s = scope.name("grid"), scope.name("s")
    v, w = scope.pick(*scope.vectors), scope.pick(*scope.vectors)
    rule = scope.pick(
        f"max({g}[i - 1, j], {g}[i, j - 1], {v}[i - 1] * {w}[j - 1])",
        f"min({g}[i - 1, j], {g}[i, j - 1]) + abs({v}[i - 1] - {w}[j - 1])",
        f"max(0, {g}[i - 1, j - 1] + {v}[i - 1] - {w}[j - 1])",
        f"0.5 * ({g}[i - 1, j] + {g}[i, j - 1]) + {v}[i - 1] * {w}[j - 1]",
        f"np.logaddexp({g}[i - 1, j], {g}[i, j - 1]) + {v}[i - 1]",
    )
    lines = [
        f"{g} = np.zeros((len({v}) + 1, len({w}) + 1))",
        f"for i in range(1, len({v}) + 1):",
        f"    for j in range(1, len({w}) + 1):",
        f"        {g}[i, j] = {rule}",
        f"{s} = {scope.pick(f'{g}[-1, -1]', f'np.max({g})', f'{g}[1:, 1:].mean()', f'np.sum({g}[-1])')}",
    ]
    scope.numbers.append(s)
    return lines


def buffers(scope: Scope) -> Lines:
    """Two buffers that a time loop swaps."""
    a, b = scope.name("u"), scope.name("u")
    c, first = number(scope, 1), scope.pick(*scope.vectors)
    second, passes = scope.pick(f"np.empty_like({a})", f"np.zeros(len({a}))", f"{a}.copy()"), count(scope)
    if not passes.isdigit():  # perhaps none, and what is in new memory has no value
        second = second.replace("empty_like", "zeros_like")
    lines = [
        f"{a} = {first}.copy()",
        f"{b} = {second}",
        f"for _ in range({passes}):",
        f"    {b}[0] = {a}[0]",
        f"    {b}[-1] = {a}[-1] * {constant(scope)}",
        f"    {b}[1:-1] = {a}[1:-1] + ({c}) * 0.1 * ({a}[2:] - 2 * {a}[1:-1] + {a}[:-2])",
        f"    {a}, {b} = {b}, {a}",
    ]
    scope.vectors += [a, b]
    return lines


def pairs_of_points(scope: Scope) -> Lines:
    """Distances between all points of a vector."""
    s, v = scope.name("s"), scope.pick(*scope.vectors)
    power = scope.pick("** 0.5", "** 1.5", "")
    lines = [f"{s} = np.sum(np.exp(-((({v}[:, None] - {v}[None, :]) ** 2 + {scope.pick('0.1', '0.01')}) {power}))) * 0.1"]
    scope.numbers.append(s)
    return lines


def extreme(scope: Scope) -> Lines:
    """An element at a place that is computed."""
    k, s, v = scope.name("k"), scope.name("s"), scope.pick(*scope.vectors)
    lines = [f"{k} = {scope.pick('np.argmax', 'np.argmin')}({v})", f"{s} = {v}[{k}] * {number(scope, 1)}"]
    scope.numbers.append(s)
    return lines


def checked(scope: Scope) -> Lines:
    """What a careful programmer refuses."""
    return [f"if not np.isfinite({scope.pick(*scope.numbers)}):", "    raise ValueError('diverged')"]


def early(scope: Scope) -> Lines:
    """A return from the middle, never from helpers' loops only."""
    value = vector(scope, 1) if scope.returns == "vector" else number(scope, 1)
    return [f"if {condition(scope)}:", f"    return {f'float({value})' if scope.returns == 'float' else value}"]


IDIOMS = (
    Idiom(new_number, "binary_operators names"),
    Idiom(change_number, "augmented conditional_expression boolean_operators comparisons", weight=2),
    Idiom(new_vector, "sorted_by_key list_comprehension"),
    Idiom(change_vector, "augmented masks_and_integer_arrays stores_by_functions sorted_in_place", weight=2),
    Idiom(alias, "views"),
    Idiom(swap, "assigned"),
    Idiom(pair, "assigned rounded"),
    Idiom(extreme, "subscripts"),
    Idiom(joined, "if_statement"),
    Idiom(checked, "raised"),
    Idiom(closure, "nested_function lambda_expression"),
    Idiom(over_places, "for_statement ranges_as_indices", block=True),
    Idiom(over_items, "for_statement iterator_functions", block=True),
    Idiom(over_pairs, "for_statement iterator_functions ndindex_walked", block=True),
    Idiom(steps, "for_statement", block=True),
    Idiom(until, "while_statement", block=True),
    Idiom(branch, "if_statement", block=True, weight=2),
    Idiom(history, "lists_that_loops_fill", block=True),
    Idiom(table, "dicts", block=True),
    Idiom(thing, "methods_and_properties", block=True, weight=2),
    Idiom(grid, "subscripts", block=True),
    Idiom(buffers, "for_statement", block=True),
    Idiom(from_integer, "kinds_along_a_loop", block=True),
    Idiom(pairs_of_points, "subscripts", block=True),
    Idiom(early, "returned", block=True),
)
