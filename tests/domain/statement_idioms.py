"""Statements and names of Python as programs use them: errors, managers, patterns, generators, closures, state outside."""

from __future__ import annotations

from tests.domain.grammar import (
    LIMIT,
    Idiom,
    Lines,
    Scope,
    block,
    condition,
    constant,
    count,
    indented,
    index,
    named,
    number,
    record,
    vector,
)


def chained(scope: Scope) -> Lines:
    """Several targets, nested ones and those with a star."""
    a, b, rest = scope.name("s"), scope.name("s"), scope.name("rest")
    first, second, third = number(scope, 1), number(scope, 1), constant(scope)
    line = scope.pick(
        f"{a} = {b} = {first}; {rest} = [{second}]",
        f"({a}, {b}), *{rest} = ({first}, {second}), {third}, {number(scope, 1)}",
        f"{a}, *{rest}, {b} = [{first}, {second}, {third}]",
        f"[{a}, ({b}, *{rest})] = {first}, ({second}, {third})",
        f"{a}, {b}, *{rest} = {scope.pick(*scope.vectors)}",
    )
    scope.numbers += [a, b]
    return [*line.split("; "), *named(scope, f"sum({rest}) * {number(scope, 0)}")]


def annotated(scope: Scope) -> Lines:
    """A name with a type."""
    name, other, made = scope.name("s"), scope.name("s"), number(scope, 1)
    scope.numbers += [name, other]
    return [f"{name}: float = {made}", f"{other}: float", f"{other} = {name} * {constant(scope)}"]


def deleted(scope: Scope) -> Lines:
    """Names, items and keys go."""
    items, table, name = scope.name("items"), scope.name("d"), scope.name("v")
    first, second = number(scope, 1), number(scope, 1)
    lines = [
        f"{items}, {name} = [{first}, {number(scope, 1)}, {second}], {vector(scope, 1)}",
        f"{table} = {{'a': {first}, 'b': {second}}}",
        scope.pick(f"del {items}[0], {table}['a']", f"del {items}[:1]; del {table}['a']", f"del {items}[-1], {table}['a']"),
    ]
    return [*lines, *named(scope, f"np.sum({name}) * {items}[0] * {table}['b'] + {items}[1] * len({items})"), f"del {name}"]


def searched(scope: Scope) -> Lines:
    """A search that ends early, and what is done where it finds nothing."""
    found, item = scope.name("s"), scope.name("e")
    first, otherwise = constant(scope), number(scope, 1)
    inner = scope.inner(loop=True)
    inner.numbers.append(item)
    lines = [f"{found} = {first}", f"for {item} in {scope.pick(*scope.vectors)}:"]
    lines += indented([f"if {condition(inner, 0)}:", f"    {found} = {number(inner, 1)}", "    break"])
    scope.numbers.append(found)
    return [*lines, "else:", f"    {found} = {otherwise}"]


def managed(scope: Scope) -> Lines:
    """Managers of NumPy's, of Python's and of the program's."""
    inner = scope.inner()
    k, name = scope.name("k"), scope.name("s")
    before = [f"{name} = {constant(scope)}"]
    value = number(scope, 1)
    match scope.pick("errors", "value", "several", "suppressed", "own"):
        case "errors":
            head = "with np.errstate(all='ignore'):"
        case "value":
            head = f"with contextlib.nullcontext({value}) as {k}:"
            inner.numbers.append(k)
        case "several":
            head = f"with np.errstate(divide='ignore', over='ignore'), contextlib.nullcontext({value}) as {k}:"
            inner.numbers.append(k)
        case "suppressed":
            head = "with contextlib.suppress(ValueError):"
            before.append(f"{k} = {value}")
            inner.numbers.append(k)
            raising = [f"if {condition(inner)}:", "    raise ValueError('left')"]
            scope.numbers.append(name)
            return [*before, head, *indented([f"{name} = {number(inner, 1)}", *raising, f"{name} = {number(inner, 1)}"])]
        case _:
            cls = scope.name("Phase")
            own = scope.apart("self.scale", "np.array([self.scale, 0.3, 0.5])")
            scope.module += [
                f"class {cls}:",
                *indented(["def __init__(self, scale):", "    self.scale, self.depth = scale, 0", "def __enter__(self):"]),
                "        self.depth += 1",
                f"        self.scale = {number(own, 1)}",
                "        return self",
                *indented(["def __exit__(self, kind, error, trace):", "    self.depth -= 1", "    return False"]),
            ]
            head = f"with {cls}({value}) as {k}:"
            inner.numbers.append(f"{k}.scale")
            inner.fixed |= {f"{k}.scale"}
    scope.numbers.append(name)
    body = block(inner, 1) if scope.deep < LIMIT - 1 else []
    return [*before, head, *indented([*body, f"{name} = {number(inner, 1)}"])]


def caught(scope: Scope) -> Lines:
    """Errors are raised, handled, raised anew; what is tried has an end that always comes."""
    name, told = scope.name("s"), scope.name("s")
    first, given = number(scope, 1), constant(scope)
    lines = [f"{name}, {told} = {first}, {given}"]
    inner = scope.inner()
    inner.numbers += [name, told]
    kind = scope.pick("ValueError", "ArithmeticError", "KeyError", "RuntimeError")
    handled = {"ArithmeticError": "(ZeroDivisionError, ArithmeticError)"}.get(kind, kind)
    body = [f"{name} = {number(inner, 1)}", f"if {condition(inner)}:", f"    raise {kind}('too large')"]
    body += block(inner.inner(), 1) if scope.deep < LIMIT - 1 else []
    handler = scope.pick(f"except {handled}:", f"except {handled} as error:", f"except (IndexError, {kind}):")
    lines += ["try:", *indented([*body, f"{name} = {number(inner, 1)}"]), handler, f"    {told} = {number(inner, 1)}"]
    if scope.chance.random() < 0.4:
        lines += ["else:", f"    {told} = {number(inner, 1)}"]
    if scope.chance.random() < 0.4:
        lines += ["finally:", f"    {name} {scope.pick('+=', '*=')} {number(inner, 1)}"]
    scope.numbers += [name, told]
    return lines


def raised_anew(scope: Scope) -> Lines:
    """An error of a helper becomes another one."""
    law, name = scope.name("law"), scope.name("s")
    own = scope.apart("u w", "np.array([u, w, 0.5])")
    scope.module += [
        f"def {law}(u, w):",
        "    try:",
        f"        if {condition(own)}:",
        "            raise KeyError('missing')",
        f"        return {number(own, 1)}",
        f"    except KeyError{scope.pick(' as error:', ' as error:', ':')}",
    ]
    scope.module.append(
        "        raise ValueError('no law') from error"
        if scope.module[-1].endswith("error:")
        else f"        raise {scope.pick('ValueError() from None', 'ValueError')}"
    )
    value, otherwise = f"{law}({number(scope, 1)}, {constant(scope)})", number(scope, 1)
    scope.numbers.append(name)
    return ["try:", f"    {name} = {value}", "except ValueError:", f"    {name} = {otherwise}"]


def asserted(scope: Scope) -> Lines:
    """What is held for certain; statements that do nothing."""
    name = scope.pick(*scope.numbers)
    return [scope.pick(f"assert {name} == {name}", f"assert np.isfinite({name}), 'diverged'", "pass", "...", "'a note'")]


def imported(scope: Scope) -> Lines:
    """Imports inside of a function."""
    name = scope.name("m")
    line = scope.pick(
        f"import math as {name}; {name}.sin({number(scope, 1)})",
        f"from operator import mul as {name}; {name}({number(scope, 1)}, {number(scope, 1)})",
        f"import numpy.linalg as {name}; {name}.norm({vector(scope, 1)} + 2.0)",
    )
    head, _, made = line.partition("; ")
    return [head, *named(scope, made)]


def matched(scope: Scope) -> Lines:
    """A choice by patterns."""
    name, a, b, rest = scope.name("s"), scope.name("s"), scope.name("s"), scope.name("rest")
    first, second = number(scope, 1), number(scope, 1)
    inner = scope.inner()
    otherwise = number(scope, 1)
    match scope.pick("value", "single", "sequence", "mapping", "class", "guard"):
        case "value":
            subject, pattern = count(scope), scope.pick("2 | 3", "1", "math.pi | 2", "0 | 1 | 2")
        case "single":
            subject, pattern = f"None if {count(scope)} > 2 else True", scope.pick("None", "True")
        case "sequence":
            subject, pattern = f"[{first}, {second}, {constant(scope)}]", f"[{a}, {b}, *{rest}]"
        case "mapping":
            subject = f"{{'kind': '{scope.pick('scale', 'shift')}', 'by': {first}, 'of': {second}}}"
            pattern = scope.pick(f"{{'kind': 'scale', 'by': {a}, 'of': {b}}}", f"{{'kind': 'scale', 'by': {a}, **{b}}}")
        case "class":
            cls = record(scope, "rate", "size")
            subject, pattern = f"{cls}({first}, {second})", scope.pick(f"{cls}({a}, size={b})", f"{cls}(rate={a}, size={b})")
        case _:
            subject, pattern = f"({first}, {second})", f"({a}, {b}) if {a} > {constant(scope)}"
    inner.numbers += [name for name in (a, b) if name in pattern and f"**{name}" not in pattern]
    inner.numbers += [f"{b}['of']"] if f"**{b}" in pattern else []
    inner.numbers += [f"len({rest})"] if rest in pattern else []
    inner.fixed |= {f"{b}['of']", f"len({rest})"}
    lines = [f"match {subject}:", f"    case {pattern}:", f"        {name} = {number(inner, 1)}", "    case _:"]
    scope.numbers.append(name)
    return [*lines, f"        {name} = {otherwise}"]


def rebound(scope: Scope) -> Lines:
    """A closure whose variable changes, outside of it or inside."""
    g, k, t = scope.name("g"), scope.name("k"), number(scope, 1)
    inner = scope.inner()
    inner.numbers += ["t", k]
    inner.fixed |= {"t", k}
    body = number(inner, 1)
    lines = [f"{k} = {constant(scope)}"]
    if scope.chance.random() < 0.5:
        lines += [scope.pick(f"{g} = lambda t: {body}", f"def {g}(t): return {body}"), f"{k} = {number(scope, 1)}"]
        return [*lines, *named(scope, f"{g}({t}) * {k}")]
    lines += [f"def {g}(t):", f"    nonlocal {k}", f"    {k} {scope.pick('+=', '*=', '=')} {body}", "    return t"]
    calls = [f"for _ in range({count(scope)}):", f"    {g}({t})"] if scope.chance.random() < 0.5 else [f"{g}({t})"]
    scope.numbers.append(k)
    scope.captured.add(k)
    return [*lines, *calls, *named(scope, f"{k} * {constant(scope)}")]


def defaults(scope: Scope) -> Lines:
    """Defaults that are kept between calls, and calls by position, by name, and with stars."""
    g = scope.name("g")
    a, b = number(scope, 1), number(scope, 1)
    if scope.chance.random() < 0.4:
        lines = [f"def {g}(t, held=[]):", "    held.append(t)", "    return held[-1] * len(held)"]
        return [*lines, *named(scope, f"{g}({a}) + {g}({b})")]
    lines = [f"def {g}(t, /, u=1.0, *rest, k=2.0, **named):", "    return t * u + sum(rest) * k + named.get('n', 0.5)"]
    call = scope.pick(
        f"{g}({a}, *({b}, {constant(scope)}), k={a})", f"{g}({a}, u={b}, **{{'n': {b}}})", f"{g}({a}, {b}, {b}, n={a}, k={b})"
    )
    return [*lines, *named(scope, call)]


def generated(scope: Scope) -> Lines:
    """Generators: functions, one that yields from another, expressions that are kept."""
    g = scope.name("gen")
    own = scope.apart("t k", "q")
    v, k = scope.pick(*scope.vectors), number(scope, 1)
    match scope.pick("function", "delegated", "expression", "parts", "nested", "tried", "tried"):
        case "function":
            scope.module += [
                f"def {g}(q, k):",
                "    for t in q:",
                f"        if {condition(own, 0)}:",
                f"            yield {number(own, 1)}",
            ]
            scope.module += ["    yield k"]
            return named(scope, f"sum({scope.pick('', 't * t for t in ')}{g}({v}, {k}))")
        case "delegated":
            scope.module += [f"def {g}(q, k):", "    t = k", f"    yield {number(own, 1)}"]
            scope.module += [f"    yield from {scope.pick('q', '(q[0], q[1] * k)', '[t * k for t in q]')}"]
            total, item = scope.name("total"), scope.name("e")
            inner = scope.inner(loop=True)
            inner.numbers += [total, item]
            lines = [
                f"{total} = 0.0",
                f"for {item} in {g}({v}, {k}):",
                f"    {total} = {total} * 0.5 + {number(inner, 0)} * {item}",
            ]
            scope.numbers.append(total)
            return lines
        case "expression":
            lines = [f"{g} = ({scope.pick('t * t', 'np.sin(t)', f't * {k}')} for t in {v} if {scope.pick('t > -0.4', 't != 0')})"]
            return [*lines, *named(scope, scope.pick(f"sum({g})", f"next({g}, 0.5)", f"max({g}, default=0.3)"))]
        case "parts":
            scope.module += [f"def {g}(q, size):", "    for t in range(0, len(q), size):", "        yield q[t : t + size]"]
            return named(scope, f"sum(np.sum(part) ** 2 for part in {g}({v}, 2))")
        case "tried":
            return tried(scope, g, own, v, k)
        case _:
            lines = [f"def {g}():", f"    yield {k}", f"    for e in {v}:", f"        yield e * {constant(scope)}"]
            return [*lines, *named(scope, f"sum({g}())")]


def tried(scope: Scope, g: str, own: Scope, v: str, k: str) -> Lines:
    """A generator that raises where it is walked over in a ``try``, or handles what its own items raise."""
    raising = [f"if {condition(own, 0)}:", "    raise ValueError('no item')"]
    own_try = scope.chance.random() < 0.5
    given = ["try:", *indented([*raising, f"yield {number(own, 1)}"]), "except ValueError:", f"    yield {number(own, 1)}"]
    scope.module += [
        f"def {g}(q, k):",
        *indented(["for t in q:", *indented(given if own_try else [*raising, f"yield {number(own, 1)}"]), "    k = k * 0.5 + t"]),
    ]
    total, item = scope.name("total"), scope.name("e")
    inner = scope.inner(loop=True)
    inner.numbers += [total, item]
    loop = [f"for {item} in {g}({v}, {k}):", f"    {total} = {total} * 0.5 + {number(inner, 1)}"]
    if scope.chance.random() < 0.5:
        loop += [f"    if {condition(inner)}:", f"        {scope.pick('break', 'raise KeyError(1)', 'continue')}"]
    handled = scope.pick("except ValueError:", "except (ValueError, KeyError):", "except Exception:")
    last = scope.inner()
    last.numbers.append(total)
    tries = ["try:", *indented(loop), handled, f"    {total} = {number(last, 1)}"]
    lines = [f"{total} = {number(scope, 0)}", *(loop if own_try and "raise" not in loop[-1] else tries)]
    if "KeyError" in loop[-1] and handled == "except ValueError:" and lines[1] == "try:":
        lines += ["except KeyError:", f"    {total} = {number(last, 0)}"]
    scope.numbers.append(total)
    return lines


def iterated(scope: Scope) -> Lines:
    """Iterators and what is left of them."""
    name, items, v = scope.name("s"), scope.name("it"), scope.pick(*scope.vectors)
    lines = [f"{items} = iter({scope.pick(v, f'{v} * {constant(scope)}')})", f"{name} = next({items})"]
    lines += [f"for item in {items}:", f"    {name} = {name} * 0.5 + item * {number(scope, 0)}"]
    if scope.chance.random() < 0.3:
        lines += [f"{name} += next({items}, {number(scope, 1)})"]
    scope.numbers.append(name)
    return lines


def over_tools(scope: Scope) -> Lines:
    """Functions of iterators, also of those without an end."""
    v, w, k = scope.pick(*scope.vectors), scope.pick(*scope.vectors), constant(scope)
    total = scope.name("total")
    if scope.chance.random() < 0.4:
        lines = [f"{total} = 0.0", f"for i in itertools.count({scope.pick('', '0, 2')}):", "    if i >= 3:", "        break"]
        scope.numbers.append(total)
        return [*lines, f"    {total} += {v}[i] * {number(scope, 0)}"]
    made = scope.pick(
        f"sum(map(np.sin, {v})) + sum(filter(lambda t: t > -2.0, {w}))",
        f"sum(t * u for t, u in zip({v}, itertools.cycle((1.0, -1.0))))",
        f"list(itertools.accumulate({v}))[-1] * {k}",
        f"list(itertools.accumulate({v}, lambda t, u: 0.5 * t + u))[-1]",
        f"sum(t * i for i, t in enumerate({v}, 1)) + sum(t * u for t, u in zip(reversed({v}), {w}))",
        f"sum(t * u for t, u in itertools.combinations([{v}[0], {v}[1], {w}[1]], 2))",
        f"sum(itertools.chain({v}, {w})) + sum(itertools.islice({v}, 2))",
        f"sum(u - t for t, u in itertools.pairwise({v})) * {k}",
        f"sum(t * u for t in {v} for u in {w} if t != u)",
        f"functools.reduce(lambda t, u: 0.5 * t + u, {v})",
        f"sum(t * u for t, u in itertools.zip_longest({v}, [{w}[0], {k}], fillvalue={w}[1]))",
    )
    return named(scope, made)


def expressions(scope: Scope) -> Lines:
    """Operators and displays that are met less often."""
    a, b, k, v = number(scope, 1), number(scope, 1), count(scope), scope.pick(*scope.vectors)
    name = scope.name("s")
    made = scope.pick(
        f"({name} := {a}) * {name}",
        f"({a} or {b}) * ({condition(scope, 0)} and {b} or 0.5)",
        f"({a}) // 0.7 + ({b}) % 0.9",
        f"((({k} << 2 >> 1) | 3) & 7 ^ 2) * ({a}) + {v}[~0]",
        f"+({a}) - -({b}) * (not {condition(scope, 0)})",
        f"({a}) * len({{1, 2, *(2, 3)}}) + sum({{i % 3 for i in range(5)}})",
        f"({a}) * sum({{i % 2 for i in (1, 2, 3)}})",
        f"({a}) * ({k} in (1, 2)) + ({b}) * ('c' not in {{'a': 1}}) * ({v} is not None)",
        f"{v}[None, ..., 0][0] + np.sum({v}[::2, None]) + {v}.T.size",
        f"[*[{a}, {b}], *{v}][1] + math.hypot(*({a}, {b}))",
        f"sum([t * u for t in {v} for u in ({a}, {b}) if t > -2.0])",
        f"{{i: t * t for i, t in enumerate({v})}}[1] * {{'a': {a}, **{{'b': {b}}}}}['b']",
        f"np.outer({v}, {v})[0] @ {v} + ({v} @ {v}) * abs(1j)",
        f"({a}) * ({constant(scope)} < {b} <= 2.0 != {a})",
    )
    if f"{name} :=" in made:
        scope.numbers.append(name)
    return named(scope, made)


def decorated(scope: Scope) -> Lines:
    """Helpers with decorators, of those that are cached and applied in part, and of those defined further down."""
    law, twice = scope.name("law"), scope.name("twice")
    own = scope.apart("u w", "np.array([u, w, 0.5])")
    a, b, body = number(scope, 1), number(scope, 1), number(own, 2)
    match scope.pick("wraps", "cached", "later", "partial"):
        case "wraps":
            scope.module += [f"def {twice}(fn):", "    @functools.wraps(fn)", "    def inner(*args, **kwargs):"]
            scope.module += ["        return 2.0 * fn(*args, **kwargs)", "    return inner"]
            scope.module += [f"@{twice}", f"def {law}(u, w=0.5):", f"    return {body}"]
            return named(scope, scope.pick(f"{law}({a}, w={b})", f"{law}({a}) + {law}({b}, {constant(scope)})"))
        case "cached":
            scope.module += [f"@functools.lru_cache{scope.pick('', '(maxsize=None)', '(8)')}", f"def {law}(i, j=2):"]
            scope.module += [f"    return {scope.pick('i * j + 1', 'math.comb(i + j, j)', 'float(i + j) / 2')}"]
            return named(scope, f"({a}) * float({law}({count(scope)}))")
        case "later":
            scope.after += [f"def {law}(u, w):", f"    return {body}"]
            return named(scope, f"{law}({a}, {b})")
        case _:
            scope.module += [f"def {law}(u, w, k=1.0):", f"    return ({body}) * k"]
            g = scope.name("g")
            made = scope.pick(f"functools.partial({law}, w={b})", f"functools.partial({law}, {b}, k={a})")
            lines = [f"{g} = {made}"]
            return [
                *lines,
                *named(
                    scope,
                    f"{g}({constant(scope) if 'w=' in made else f'w={a}'}) * {g}(k=0.5, {'u=0.3' if 'w=' in made else 'w=0.3'})",
                ),
            ]


def structures(scope: Scope) -> Lines:
    """A helper that returns several things, from several places."""
    law, a, b = scope.name("law"), scope.name("s"), scope.name("s")
    own = scope.apart("u w", "np.array([u, w, 0.5])")
    if scope.chance.random() < 0.5:
        results = [f"({number(own, 1)}, ({number(own, 1)}, {constant(own)}))" for _ in range(2)]
        last = f"{a}, ({b}, _) = "
    else:
        results = [f"{{'a': {number(own, 1)}, 'b': {number(own, 1)}}}" for _ in range(2)]
        last = f"{a}, {b} = "
    scope.module += [f"def {law}(u, w):", f"    if {condition(own)}:", f"        return {results[0]}", f"    return {results[1]}"]
    call = f"{law}({number(scope, 1)}, {constant(scope)})"
    lines = [f"{last}{call}{'.values()' if 'dict' in last or '{' in results[0] else ''}"]
    scope.numbers += [a, b]
    return lines


def place_of(scope: Scope) -> Lines:
    """Ranges and places that only the run knows."""
    v, k = scope.pick(*scope.vectors), scope.name("k")
    lines = [f"{k} = int(abs({number(scope, 1)}) * 3) % {scope.pick('2', '3')}"]
    made = scope.pick(
        f"{v}[{k}] * {number(scope, 1)}",
        f"np.sum({v}[{k}:])",
        f"sum({v}[i] for i in range({k} + 1))",
        f"sum({v}[i] * i for i in range(len({v}))[::-1])",
        f"np.mean({v}[: {k} + 1]) + {v}[{k} - 1]",
        f"np.sum({v}[np.arange(2)[::-1]]) + np.sum({v}[range({k})])"
        if scope.chance.random() < 0.3
        else f"{v}[{index(scope)}] * {k}",
    )
    return [*lines, *named(scope, made)]


IDIOMS = (
    Idiom(chained, "assigned starred displays"),
    Idiom(annotated, "annotated"),
    Idiom(deleted, "deleted"),
    Idiom(searched, "for_statement", block=True),
    Idiom(managed, "with_statement", block=True),
    Idiom(caught, "try_statement raised", block=True, weight=2),
    Idiom(raised_anew, "raised_from try_statement", block=True),
    Idiom(asserted, "asserted passed"),
    Idiom(imported, "imported"),
    Idiom(
        matched, "match_statement value_patterns singleton_patterns sequence_patterns mapping_patterns class_patterns", weight=2
    ),
    Idiom(rebound, "closure_cell nonlocal_written", weight=2),
    Idiom(defaults, "mutable_default calls"),
    Idiom(generated, "generator_function yield_from generator_expression generator_in_a_try", weight=2),
    Idiom(iterated, "iterators"),
    Idiom(over_tools, "iterator_functions unbounded_iterators zip_longest"),
    Idiom(
        expressions,
        "assignment_expression boolean_operators binary_operators integer_operators unary_operators set_display "
        "set_comprehension identity_and_membership subscripts starred list_comprehension dict_comprehension dict_display "
        "comparisons constants attributes",
        weight=3,
    ),
    Idiom(decorated, "decorated_by_wraps cached_function helper_defined_later partial_application", weight=2),
    Idiom(structures, "returned"),
    Idiom(place_of, "ranges_as_indices"),
)
