"""Idioms of what only the run has or chooses: logs, sets, functions, floats as keys; and functions with caches or managers."""

from __future__ import annotations

from tests.domain.grammar import Idiom, Lines, Scope, condition, constant, named, number


def logged(scope: Scope) -> Lines:
    """Texts that a loop notes on a condition, counted or asked for."""
    log, v = scope.name("log"), scope.pick(*scope.vectors)
    lines = [f"{log} = []", f"for i, item in enumerate({v}):", f"    if item > {number(scope, 0)}:"]
    noted = scope.pick("f'{i}'", "'high'", "('high', i)")
    lines.append(f"        {log}.append({noted})")
    asked = scope.pick(f"len({log})", f"(1.0 if {log} else 2.0)", f"(2.0 if '1' in {log} else 1.0)")
    return [*lines, *named(scope, f"{asked} * {number(scope, 1)}")]


def visited(scope: Scope) -> Lines:
    """A set of whole numbers that only the run knows."""
    seen, v, total = scope.name("seen"), scope.pick(*scope.vectors), scope.name("total")
    if scope.chance.random() < 0.5:
        lines = [f"{seen} = {{int(item * 3.0) for item in {v}}}"]
    else:
        lines = [f"{seen} = set()", f"for item in {v}:", f"    {seen}.add(int(item * {scope.pick('2.0', '3.0')}))"]
    lines.append(f"{total} = sum(item ** 2 for item in {v} if int(item * 3.0) + 1 in {seen}) + len({seen}) * {number(scope, 1)}")
    scope.numbers.append(total)
    return lines


def chosen(scope: Scope) -> Lines:
    """A function that a condition chooses, called."""
    f, a = scope.name("f"), number(scope, 1)
    one, other = scope.pick("np.sin", "np.tanh", "(lambda t: t * t)"), scope.pick("np.cos", "(lambda t: 0.5 * t)")
    if scope.chance.random() < 0.5:
        lines = [f"{f} = {one} if {condition(scope)} else {other}"]
    else:
        lines = [f"{f} = {one}", f"if {condition(scope)}:", f"    {f} = {other}"]
    return [*lines, *named(scope, f"{f}({a}) * {number(scope, 1)}")]


def keyed_by_floats(scope: Scope) -> Lines:
    """Sums under keys that are floats of the run."""
    d, v = scope.name("sums"), scope.pick(*scope.vectors)
    made = f"{d}[np.floor(2.0 * item)] = {d}.get(np.floor(2.0 * item), {constant(scope)}) + item * {number(scope, 0)}"
    return [f"{d} = {{}}", f"for item in {v}:", f"    {made}", *named(scope, f"sum({d}.values())")]


def bound_inside(scope: Scope) -> Lines:
    """A name that a comprehension binds, in each of its items."""
    y, v = scope.name("y"), scope.pick(*scope.vectors)
    made = f"[({y} := item * {number(scope, 1)}) * {y} for item in {v}]"
    return named(scope, f"sum({made}) * {y}" if scope.chance.random() < 0.5 else f"sum({made})")


def managed(scope: Scope) -> Lines:
    """A manager that the function makes of a generator, and enters."""
    f, used, z = scope.name("scaled"), scope.name("used"), scope.name("z")
    lines = [f"{used} = []", "@contextlib.contextmanager", f"def {f}(a):", "    try:", f"        yield a * {number(scope, 1)}"]
    lines += ["    finally:", f"        {used}.append(a)", f"with {f}({number(scope, 1)}) as {z}:"]
    total = scope.name("total")
    scope.numbers.append(total)
    return [*lines, f"    {total} = {z} * {number(scope, 1)}", f"{total} = {total} + len({used})"]


def cached(scope: Scope) -> Lines:
    """A nested function that keeps what it computed."""
    f, a = scope.name("term"), number(scope, 1)
    lines = ["@functools.lru_cache(maxsize=None)", f"def {f}(k):"]
    lines.append(f"    return {a} * 0.5 if k < 1 else {scope.pick('0.5', '0.3')} * {f}(k - 1) + {constant(scope)}")
    return [*lines, *named(scope, f"{f}(3) * {f}({scope.pick('2', '3')})")]


def recorded(scope: Scope) -> Lines:
    """Dicts or tuples with a dict that a loop notes on a condition, walked over, chosen by a key, put in order."""
    kept, v, total = scope.name("steps"), scope.pick(*scope.vectors), scope.name("total")
    lines = [f"{kept} = [{{'v': {number(scope, 1)}, 'k': -1}}]", f"for i, item in enumerate({v}):"]
    lines += [f"    if item > {number(scope, 0)}:", f"        {kept}.append({{'v': item * {number(scope, 1)}, 'k': i}})"]
    result = scope.pick(
        f"sum(r['v'] * (r['k'] + 2.0) for r in {kept})",
        f"{kept}[-1]['v'] + len({kept})",
        f"max({kept}, key=lambda r: r['v'])['v']",
        f"sorted({kept}, key=lambda r: r['v'])[0]['v'] * {kept}[0]['v']",
        f"sum(a['v'] * b['v'] for a, b in zip({kept}, {kept}[1:]))",
        f"{kept}.pop()['v'] * {number(scope, 0)}",
        f"sum([r['v'] for r in {kept} if r['k'] > 0])",
    )
    scope.numbers.append(total)
    return [*lines, f"{total} = {result}"]


IDIOMS = (
    Idiom(logged, "log_of_texts"),
    Idiom(recorded, "records_of_the_run"),
    Idiom(visited, "sets_of_the_run"),
    Idiom(chosen, "chosen_function"),
    Idiom(keyed_by_floats, "dict_keyed_by_floats"),
    Idiom(bound_inside, "comprehension_that_binds"),
    Idiom(managed, "manager_of_a_generator"),
    Idiom(cached, "cached_nested_function"),
)
