"""Arrays by their places, memory and functions, and numbers of every kind."""

from __future__ import annotations

from tests.domain.grammar import Idiom, Lines, Scope, constant, count, index, named, number, vector


def by_places(scope: Scope) -> Lines:
    """Masks and integer arrays, places that are met twice among them."""
    w, v, a = scope.name("w"), vector(scope, 1), number(scope, 1)
    k = constant(scope)
    line = scope.pick(
        f"{w}[{w} > {k}] = {w}[0]",
        f"{w}[{w} < {k}] *= {a}",
        f"{w}[[0, 0, 1]] += {a}",
        f"{w}[np.array([0, 1, 0])] += {w}[:3]",
        f"{w}[[1, 0]] = {w}[[0, 1]]",
        f"{w}[np.argsort({w})] = {w}",
        f"{w}[np.abs({w}) > {k}] -= {w}[np.abs({w}) > {k}] * 0.5",
    )
    made = scope.pick(
        f"np.sum({w} ** 2)",
        f"np.sum({w}[np.array([0, 0, 2])] ** 2) + {w}[-1]",
        f"np.sum({w}[{w} > {k}]) + {w}[1]",
        f"np.sum({w}[[True, False, True, False]] * 2.0)",
        f"np.sum({w}[np.nonzero({w} > 0.1)] * {a})",
        f"np.sum(np.outer({w}, {w})[[0, 1, 1], [2, 0, 0]]) + np.sum(np.outer({w}, {w})[np.ix_([0, 1], [2, 3])])",
    )
    return [f"{w} = {vectors_of_four(scope, v)}", line, *named(scope, made)]


def vectors_of_four(scope: Scope, made: str) -> str:
    """An array of four numbers that nothing else holds."""
    return scope.pick(
        f"np.resize({made}, 4)",
        f"np.array([{scope.pick(*scope.vectors)}[0], {number(scope, 1)}, {number(scope, 1)}, {constant(scope)}]) * 1.0",
    )


def by_functions(scope: Scope) -> Lines:
    """Functions that store."""
    w, a = scope.name("w"), number(scope, 1)
    lines = [f"{w} = {vectors_of_four(scope, vector(scope, 1))}"]
    line = scope.pick(
        f"np.copyto({w}, {w}[::-1].copy(), where={w} > {constant(scope)})",
        f"np.put({w}, [0, 2], {scope.pick(a, f'[{a}, 0.5]')})",
        f"np.place({w}, {w} < 0.1, [{a}])",
        f"np.put_along_axis({w}, np.array([1]), {a}, 0)",
        f"np.add.at({w}, [0, 0, 1], {scope.pick(a, f'{w}[:3]')})",
        f"np.add({w}, {a}, out={w})",
        f"{w}.partition(1)",
        f"{w}.sort()",
        f"{w}.fill({a})",
        f"{w}[...] = np.sort({w})",
        f"np.putmask({w}, {w} > 0.3, {w} * 2.0)",
    )
    return [*lines, line, *named(scope, f"np.sum({w} ** 2) + {w}[{index(scope)}] * {a}")]


def viewed(scope: Scope) -> Lines:
    """Views: transposed, of other shapes, of parts; what is written through them."""
    w, z, a = scope.name("w"), scope.name("z"), number(scope, 1)
    lines = [f"{w} = {vectors_of_four(scope, vector(scope, 1))}"]
    lines += [
        f"{z} = {w}.{scope.pick('reshape(2, 2)', 'reshape(2, -1)', 'reshape((2, 2)).T', 'reshape(2, 2)[::-1]')}",
        scope.pick(
            f"{z}[0] *= {a}",
            f"{z}[:, 1] += {a}",
            f"{z}[1, 0] = {a}",
            f"row = {z}[1]; row += {a}",
            f"{z} *= {w}[0]",
            f"{z}.T[0] = {w}[2:]",
            f"{z} += {z}.T",
        ),
    ]
    made = scope.pick(
        f"np.sum({w} ** 2) + {z}[0, 1]",
        f"np.sum({z}.ravel() * {w})",
        f"np.sum({z} @ {z}) * {w}[0]",
        f"{z}.flatten()[1] * np.trace({z})",
        f"np.sum({w}[::2] * {z}[0])",
    )
    return [line for each in lines for line in each.split("; ")] + named(scope, made)


def of_many_shapes(scope: Scope) -> Lines:
    """Arrays of all shapes and orders, and functions applied along and piece by piece."""
    v, w, a, k = vector(scope, 1), scope.pick(*scope.vectors), number(scope, 1), constant(scope)
    made = scope.pick(
        f"np.sum(np.apply_along_axis(lambda row: row[0] * row[1], {scope.pick('0', '1')}, np.outer({v}, {w})))",
        f"np.sum(np.piecewise({w} * 1.0, [{w} < {k}, {w} >= {k}], [lambda t: t ** 2, {scope.pick('lambda t: t ** 3', '0.5')}]))",
        f"np.sum(np.r_[{v}, 0.0, {w}[:2]] ** 2) + np.sum(np.c_[{w}, {w}] ** 2)",
        f"np.sum(({v})[:0]) + np.asarray({a}) ** 2 + np.array({a})[()]",
        f"np.sum(np.asfortranarray(np.outer({w}, {w}))[:, 0] * {w})",
        f"np.sum(np.concatenate([{v}, [{a}], {w}[1:]]) ** 2)",
        f"np.sum(np.block([[{w}], [{w} * {a}]]))",
        f"np.sum(np.tensordot(np.outer({w}, {w}), {w}, axes=1))",
        f"np.sum(np.expand_dims({w}, 0) * {w}[:, np.newaxis]) + np.squeeze(np.array([[{a}]]))",
        f"np.sum(np.pad({w}, 1, mode={scope.pick(repr('edge'), repr('constant'))}) ** 2)",
        f"np.sum(np.split({w}[:2], 2)[0] * {a}) + np.sum(np.diff({v}) ** 2)",
        f"np.sum(np.triu(np.outer({w}, {w})) * {a}) + np.prod(1.0 + {w} * 0.1)",
        f"np.sum(np.where({w} > {k}, {v}, {a})) + np.interp({a}, [-1.0, 0.0, 1.0], [{k}, {a}, 0.5])",
    )
    return named(scope, made)


def filled(scope: Scope) -> Lines:
    """New memory that loops fill, and walks over places."""
    w, v, k = scope.name("w"), scope.pick(*scope.vectors), constant(scope)
    match scope.pick("class", "indices", "enumerated", "records", "orders"):
        case "class":
            lines = [
                f"{w} = {scope.pick('np.ndarray((2,), float)', 'np.empty(2)')}",
                f"{w}[0], {w}[1] = {number(scope, 1)}, {v}[0] * {k}",
            ]
            return [*lines, *named(scope, f"{w}[0] * {w}[1] + np.sum({w})")]
        case "indices":
            total = scope.name("total")
            lines = [
                f"{w}, {total} = np.outer({v}, {v}), 0.0",
                "for i, j in np.ndindex(2, 3):",
                f"    {total} += {w}[i, j] * (i + {k})",
            ]
            scope.numbers.append(total)
            return lines
        case "enumerated":
            return named(scope, f"sum(t * i * {k} for (i,), t in np.ndenumerate({v}))")
        case "records":
            lines = [f"{w} = np.zeros(3, dtype=[('a', float), ('b', int)])", f"{w}['b'] = {count(scope)}"]
            return [*lines, *named(scope, f"({number(scope, 1)}) * float({w}['b'].sum())")]
        case _:
            lines = [f"{w} = np.asfortranarray(np.outer({v}, {v}))", f"{w}[0, :] *= {number(scope, 1)}"]
            return [*lines, *named(scope, f"np.sum({w}[:, 0]) + {w}.T[1, 0]")]


def in_order(scope: Scope) -> Lines:
    """The elements of an array in their order, by `.flat`: read, written, walked over; arrays that are given another shape."""
    w, z, v, a, k = scope.name("w"), scope.name("z"), scope.pick(*scope.vectors), number(scope, 1), constant(scope)
    if scope.chance.random() < 0.4:
        lines = [f"{w} = {vectors_of_four(scope, vector(scope, 1))}", f"{z} = {w}{scope.pick('', '[:]', '[::-1]')}"]
        held = scope.pick(w, f"{w}s[0]")
        lines += [] if held == w else [f"{w}s = [{w}, {k}]"]
        lines += [f"{held}.shape = {scope.pick('(2, 2)', '2, -1', '(1, 4)')}", f"{w}[0, 1] {scope.pick('=', '*=')} {a}"]
        last = f"{z}{scope.pick('.ravel()', '.reshape(-1)')}[-1]"
        return [*lines, *named(scope, f"np.sum({w} ** 2) + np.sum({w}[0]) * {last} * {k}")]
    lines = [f"{w} = np.outer({v}, {vectors_of_four(scope, v)}){scope.pick('', '.T')}"]
    lines += scope.pick(
        [f"{w}.flat[{scope.pick('1', '-2')}] = {a}"],
        [f"{w}.flat[1:4] *= {a}"],
        [f"{w}.flat = {scope.pick(v, a)}"],
        [f"for i, t in enumerate({w}.flat):", f"    {w}.flat[i] = t * {k} + {w}.flat[i - 1]"],
        [f"{w}.flat[[0, 3, 0]] = {scope.pick(a, f'{w}.flat[:3]')}"],
        [f"{w}.flat[{w}.ravel() > {k}] = {a}"],
    )
    made = scope.pick(f"sum(t * t for t in {w}.flat)", f"np.sum({w}.flat[::2] ** 2) * {w}.flat[1]", f"np.dot({w}.flat, {w}.flat)")
    return [*lines, *named(scope, made)]


def walked(scope: Scope) -> Lines:
    """The elements of arrays one after the other, by `np.nditer`: read, with their places, written, side by side."""
    w, total, v, a, k = scope.name("w"), scope.name("total"), scope.pick(*scope.vectors), number(scope, 1), constant(scope)
    lines = [f"{w}, {total} = np.outer({v}, {v}), {a}"]
    lines += scope.pick(
        [f"for t in np.nditer({w}):", f"    {total} += t * t * {k}"],
        [f"it = np.nditer({w}, flags=['multi_index'])", "for t in it:", f"    {total} += t * {k} * it.multi_index[0]"],
        [f"with np.nditer({w}, op_flags=['readwrite']) as it:", "    for t in it:", f"        t[...] = t * {k} + {v}[0]"],
        [f"for t, u in np.nditer([{w}, {v}]):", f"    {total} += t * u"],
        [f"it = np.nditer({v})", "while not it.finished:", f"    {total} = {total} * {k} + it[0]", "    it.iternext()"],
    )
    scope.numbers.append(total)
    return [*lines, f"{total} += {w}[0, 1]"]


def where_chosen(scope: Scope) -> Lines:
    """Elementwise functions that are computed for chosen elements alone."""
    w, z, v, a, k = scope.name("w"), scope.name("z"), scope.pick(*scope.vectors), number(scope, 1), constant(scope)
    call = scope.pick(
        f"np.divide({a}, {v}, out={w}, where={v} != 0)",
        f"np.log({v}, out={w}, where={v} > {k})",
        f"np.sqrt({v} * {v}, {w}, where=np.abs({v}) > 0.01)",
        f"np.multiply({w}, {v}, out={w}, where={w} < {a})",
        f"np.maximum({v}, {a}, out={w}, where={scope.pick('True', 'False', f'{v}[0] > {k}')})",
    )
    lines = [f"{w} = {scope.pick(f'np.zeros_like({v})', f'{v} * {k}', f'np.full({v}.shape, {a})')}", f"{z} = {call}"]
    return [*lines, *named(scope, f"np.sum({w} ** 2) + np.sum({z} * {v})")]


def converted(scope: Scope) -> Lines:
    """Numbers of other kinds, texts of numbers, and complex ones."""
    a, b, v = number(scope, 1), number(scope, 1), scope.pick(*scope.vectors)
    z = scope.name("z")
    made = scope.pick(
        f"float({a}) ** 2 + ({b}) * int({a}) + ({a}) * bool({b})",
        f"({a}) * round(float({b})) + round({a}, 1)",
        f"sum(divmod({a}, 1.5)) * {b}",
        f"({a}) * float('1.5') + ({b}) * int('3') + len(str(len({v})))",
        f"({a}) * float(fractions.Fraction(1, 3)) + ({b}) * float(decimal.Decimal('0.5'))",
        f"({a}) * len(f'{{len({v})!r:>4}} values, the first is {{{v}[0]:.1f}}')",
        f"({a}) * len('%d of %s' % (3, 'four')) + ({b}) * len('{{}}'.format(2))",
        f"(complex({a}, {b}) * 1j).real + abs(complex({b}, 0.5) ** 2)",
        f"np.int64({count(scope)}) * ({a}) + np.float64({b}) + {v}.astype(float)[0]",
        f"float(np.float64({a})) * {v}.astype(int)[0] + {v}.tolist()[1]",
        f"np.sum({v}.astype(np.int64) * {v}) + {v}[0].item()",
    )
    if scope.chance.random() < 0.2:
        lines = [f"{z} = complex({a}, {b})", f"{z} {scope.pick('*=', '+=')} {scope.pick('1j', z, f'cmath.exp(1j * {v}[0])')}"]
        return [
            *lines,
            *named(
                scope,
                scope.pick(
                    f"abs({z})", f"{z}.real * {z}.imag", f"({z} * {z}.conjugate()).real", f"np.sum(np.abs({v} * {z}) ** 2)"
                ),
            ),
        ]
    return named(scope, made)


IDIOMS = (
    Idiom(by_places, "masks_and_integer_arrays", weight=2),
    Idiom(by_functions, "stores_by_functions sorted_in_place", weight=2),
    Idiom(viewed, "views", weight=2),
    Idiom(of_many_shapes, "along_an_axis piecewise joined_by_indexing empty_and_zero_dimensional", weight=2),
    Idiom(filled, "array_by_its_class ndindex_walked structured_inactive fortran_order", block=True),
    Idiom(in_order, "flat_iterator flat_written shape_assigned shape_assigned_in_a_list", block=True),
    Idiom(where_chosen, "where_and_out"),
    Idiom(walked, "nditer_walked", block=True),
    Idiom(converted, "conversions rounded parsed exact_numbers complex_numbers formatted_text", weight=2),
)
