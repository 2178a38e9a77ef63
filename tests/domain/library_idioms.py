"""Classes of programs that are lists and dicts; what `contextlib`, `functools` and `itertools` make of functions of theirs."""

from __future__ import annotations

from tests.domain.grammar import Idiom, Lines, Scope, constant, indented, named, number


def own_list(scope: Scope) -> Lines:
    """A class of the program whose objects are lists."""
    cls, c = scope.name("Stack"), scope.name("c")
    body = scope.pick(
        ["def push(self, *items):", "    for item in items:", "        self.append(item)"],
        ["def push(self, item):", "    self.extend([item])", "    return self"],
        ["def push(self, item):", f"    super().append(item * {constant(scope)})"],
    )
    made = scope.pick([], ["def __getitem__(self, k):", "    return 2.0 * super().__getitem__(k)"], ["unit = 2.0"])
    scope.module += [f"class {cls}(list):", *indented([*body, *made])]
    lines = [
        f"{c} = {cls}([{number(scope, 1)}])",
        f"{c}.push({number(scope, 1)})",
        *scope.pick([], [f"{c} += [{number(scope, 0)}]"]),
    ]
    return [
        *lines,
        *named(scope, scope.pick(f"{c}[-1] * len({c})", f"sum({c})", f"max({c}) - {c}.pop()", f"{c}[0] if {c} else 0.0")),
    ]


def own_dict(scope: Scope) -> Lines:
    """A class of the program whose objects are dicts, with attributes for keys or with items that it makes."""
    cls, c = scope.name("Options"), scope.name("c")
    by_name = ["def __getattr__(self, name):", "    return self[name]", "def __setattr__(self, name, v):", "    self[name] = v"]
    itself = ["def __init__(self, **given):", "    super().__init__(**given)", "    self.__dict__ = self"]
    scope.module += [f"class {cls}(dict):", *indented(scope.pick(by_name, itself))]
    scope.module += indented(scope.pick([], ["def __missing__(self, key):", f"    return {constant(scope)}"]))
    lines = [f"{c} = {cls}(a={number(scope, 1)})", scope.pick(f"{c}.b = {number(scope, 1)}", f"{c}['b'] = {number(scope, 1)}")]
    return [*lines, *named(scope, scope.pick(f"{c}.a * {c}.b", f"{c}['a'] + {c}.b", f"sum({c}.values())", f"{c}.b * len({c})"))]


def manager_outside(scope: Scope) -> Lines:
    """A manager that a function of the program is, which changes a dict for a while."""
    f, c, z, total = scope.name("instead"), scope.name("c"), scope.name("z"), scope.name("total")
    scope.module += ["@contextlib.contextmanager", f"def {f}(table, value):", "    before = table['a']", "    table['a'] = value"]
    kept = ["    try:", f"        yield table['a'] * {constant(scope)}", "    finally:", "        table['a'] = before"]
    scope.module += scope.pick(kept, ["    yield value", "    table['a'] = before + table['a']"])
    lines = [f"{c} = {{'a': {number(scope, 1)}}}", f"with {f}({c}, {number(scope, 1)}) as {z}:", f"    {total} = {z} * {c}['a']"]
    scope.numbers.append(total)
    return [*lines, f"{total} = {total} + {c}['a']"]


def dispatched(scope: Scope) -> Lines:
    """A function of the program under `functools.singledispatch`."""
    f = scope.name("worth")
    scope.module += ["@functools.singledispatch", f"def {f}(kind, v):", f"    return v * {constant(scope)}"]
    scope.module += [f"@{f}.register(int)", f"def {f}_of_int(kind, v):", "    return v * kind"]
    scope.module += [f"@{f}.register(tuple)", f"def {f}_of_all(kind, v):", f"    return sum({f}(one, v) for one in kind)"]
    kind = scope.pick("2", "'bond'", "(1, 'bond', 2)", "True", "None")
    return named(scope, f"{f}({kind}, {number(scope, 1)})")


def grouped(scope: Scope) -> Lines:
    """Runs of equal keys, each an iterator."""
    rows, total = scope.name("rows"), scope.name("total")
    lines = [f"{rows} = [(1, {number(scope, 0)}), (1, {number(scope, 1)}), (2, {number(scope, 0)})]", f"{total} = 0.0"]
    lines += [f"for k, group in itertools.groupby({rows}, key=lambda row: row[0]):"]
    lines += [f"    {total} += k * {scope.pick('sum(v for _, v in group) ** 2', 'max([v for _, v in group])')}"]
    scope.numbers.append(total)
    return lines


IDIOMS = (
    Idiom(own_list, "own_list"),
    Idiom(own_dict, "own_dict"),
    Idiom(manager_outside, "manager_of_a_module"),
    Idiom(dispatched, "dispatched_function"),
    Idiom(grouped, "grouped_items"),
)
