"""What programs keep numbers in: lists, dicts, sets, deques, records, and what orders and counts them."""

from __future__ import annotations

from tests.domain.grammar import Idiom, Lines, Scope, condition, constant, count, indented, index, named, number, record, vector


def some(scope: Scope, lines: Lines, most: int = 3) -> Lines:
    """A few of `lines`, in any order."""
    return scope.chance.sample(lines, scope.chance.randint(1, min(most, len(lines))))


def listed(scope: Scope) -> Lines:
    """A list of numbers, and its methods; it is never shorter than two."""
    e = scope.name("items")
    a, b, c, k = number(scope, 1), number(scope, 1), number(scope, 1), constant(scope)
    steps = [
        f"{e}.append({a})", f"{e}.insert(0, {e}.pop() * {k})", f"{e}.insert(1, {b})", f"{e}[1:2] = [{b}, {c}]", f"{e}.reverse()",
        f"{e}.extend(t * {k} for t in {scope.pick(*scope.vectors)})", f"{e} += [{a}, {k}]", f"{e}[0] *= {b}", f"{e}[-1] = {a}",
        f"{e} = {e}[::-1]", f"{e}[:] = [t * {k} for t in {e}]", f"{e} = {e} + {e}[:1]", f"{e} = {e}.copy()",
        f"{e}.append({e}[0] * {b})",
        f"{e}[0], {e}[1] = {e}[1], {e}[0]", f"{e}.append({e}.pop(0))",
    ]  # fmt: skip
    made = scope.pick(
        f"{e}[0] * {e}[-1] + sum({e}[1:]) * len({e})",
        f"sum(t * t for t in {e})",
        f"np.sum(np.array({e}) ** 2)",
        f"max({e}) - {e}[1]",
    )
    return [f"{e} = [{number(scope, 1)}, {b}]", *some(scope, steps, 4), *named(scope, made)]


def cells(scope: Scope) -> Lines:
    """Lists of which the run chooses one, that numbers go into; and then a heap of numbers."""
    e, t, total, v = scope.name("cells"), scope.name("t"), scope.name("total"), scope.pick(*scope.vectors)
    lines = [f"{e} = [[] for _ in range(2)]", f"for {t} in {v}:", f"    {e}[int({t} > {constant(scope)})].append({t})"]
    lines.append(f"{total} = {number(scope, 1)} + sum({t} * {t} for {t} in {e}[{scope.pick('0', '1')}])")
    scope.numbers.append(total)
    return lines


def keyed(scope: Scope) -> Lines:
    """Groups that a condition begins, and dicts of which only the run knows the keys: of numbers, arrays, lists."""
    d, t, k, total, v = (*map(scope.name, ("d", "t", "k", "total")), scope.pick(*scope.vectors))
    first, size = number(scope, 1), constant(scope)
    place = f"int(abs({t}) * {size})"
    key = scope.pick(place, place, f"({place}, int({t} > 0.5))")
    inner = scope.inner(loop=True)
    inner.numbers.append(t)
    term = number(inner, 0)
    squares = f"sum({t} * {t} for {t} in {k})"
    match scope.pick("number", "get", "setdefault", "default", "groups", "runs", "replaced", "array"):
        case "number":
            walk = [f"if {key} in {d}:", f"    {d}[{key}] += {term}", "else:", f"    {d}[{key}] = {t} * 1.0"]
            lines = [f"{d} = {{}}", f"for {t} in {v}:", *indented(walk)]
            last = f"sum({k} * {k} for {k} in {d}.values()) * len({d})"
        case "get":
            lines = [f"{d} = {{}}", f"for {t} in {v}:", f"    {d}[{key}] = {d}.get({key}, 0.5) * {t}"]
            last = f"sum({d}[{k}] for {k} in {d})"
        case "setdefault":
            lines = [f"{d} = {{}}", f"for {t} in {v}:", f"    {d}.setdefault({key}, []).append({t})"]
            last = f"sum({squares} * sum({k}) for {k} in {d}.values())"
        case "default":
            scope.module.append("import collections")
            lines = [f"{d} = collections.defaultdict(list)", f"for {t} in {v}:", f"    {d}[{key}].append({t})"]
            last = f"sum({squares} / len({k}) for {k} in {d}.values())"
        case "groups":
            begun = [f"if {t} > {size}:", f"    {d}.append([])", f"{d}[-1].append({t})"]
            lines = [f"{d} = [[]]", f"for {t} in {v}:", *indented(begun)]
            last = f"sum({squares} * len({k}) for {k} in {d})"
        case "runs":
            begun = [f"if {k} and {t} < {k}[-1]:", f"    {d}.append({k})", f"    {k} = []", f"{k}.append({t})"]
            lines = [f"{d}, {k} = [], []", f"for {t} in {v}:", *indented(begun), f"{d}.append({k})"]
            last = f"sum({squares} * len({k}) for {k} in {d})"
        case "replaced":
            lines = [f"{d} = [[] for _ in range(3)]", f"for {t} in {v}:"]
            lines.append(f"    {d}[{place} % 3] = {scope.pick(f'{d}[{place} % 3] + [{t}]', f'[{t}]', '[]')}")
            last = f"sum({squares} for {k} in {d})"
        case _:
            lines = [f"{d} = {{}}", f"for {t} in {v}:", f"    {d}[{key}] = {d}.get({key}, {v}) * {t}"]
            last = f"sum(np.sum({k}) for {k} in {d}.values())"
    lines.append(f"{total} = {first} + {last}")
    scope.numbers.append(total)
    return lines


def heaped(scope: Scope) -> Lines:
    """A heap of numbers that move, of which the least is taken and changed."""
    e, t, total = scope.name("heap"), scope.name("t"), scope.name("total")
    lines = [f"{e} = []", f"for {t} in {scope.pick(*scope.vectors)}:", f"    heapq.heappush({e}, {t} * {constant(scope)})"]
    lines += [f"{total} = heapq.heappop({e}) * {number(scope, 1)}"]
    scope.numbers.append(total)
    return [*lines, f"heapq.heappush({e}, {total})", f"{total} = {total} + heapq.heappop({e})"]


def fields(scope: Scope) -> Lines:
    """A structured array, by its fields."""
    p, v, w = scope.name("table"), scope.pick(*scope.vectors), scope.pick(*scope.vectors)
    made = f"np.sum({p}['a'] * {p}['b']) + {p}['a'][0]"
    lines = [
        f"{p} = np.zeros(len({v}), dtype=[('a', float), ('b', float)])",
        f"{p}['a'] = {v}",
        f"{p}['b'] = {w} * {constant(scope)}",
    ]
    return [*lines, f"{p}['b'][1] += {number(scope, 1)}", *named(scope, made)]


def vectorised(scope: Scope) -> Lines:
    """A function of numbers that `np.vectorize` calls for each element."""
    f, k = scope.name("each"), constant(scope)
    lines = [f"{f} = np.vectorize(lambda t: t * t if t > {k} else t * {scope.pick(*scope.numbers)}, otypes=[float])"]
    if scope.chance.random() < 0.3:
        lines = [f"{f} = np.frompyfunc(lambda t, u: t * u if t > {k} else u, 2, 1)"]
        return [*lines, *named(scope, f"np.sum({f}({scope.pick(*scope.vectors)}, {number(scope, 1)}).astype(float))")]
    return [*lines, *named(scope, f"np.sum({f}({scope.pick(*scope.vectors)}))")]


def in_turn(scope: Scope) -> Lines:
    """Nested functions that call one another in turn."""
    even, odd = scope.name("even"), scope.name("odd")
    a, b = number(scope, 1), number(scope, 1)
    lines = [f"def {even}(k):", f"    return {a} if k == 0 else {odd}(k - 1) * 0.5"]
    lines += [f"def {odd}(k):", f"    return {b} if k == 0 else {even}(k - 1) + {constant(scope)}"]
    return [*lines, *named(scope, f"{even}({scope.pick('2', '3', '4')})")]


def counted_down(scope: Scope) -> Lines:
    """A class with a `__next__` of its own."""
    cls, t, total, v = scope.name("Places"), scope.name("t"), scope.name("total"), scope.pick(*scope.vectors)
    lines = [
        f"class {cls}:",
        "    def __init__(self, k):",
        "        self.k = k",
        "    def __iter__(self):",
        "        return self",
    ]
    lines += ["    def __next__(self):", "        if self.k == 0:", "            raise StopIteration"]
    lines += ["        self.k -= 1", "        return self.k", f"{total} = {number(scope, 1)}"]
    scope.numbers.append(total)
    return [*lines, f"for {t} in {cls}({scope.pick('2', '3')}):", f"    {total} += {v}[{t}] * {constant(scope)}"]


def stack(scope: Scope) -> Lines:
    """A list that grows and shrinks in a loop, or while it is walked over."""
    e, t, total = scope.name("stack"), scope.name("t"), scope.name("total")
    k, factor = constant(scope), scope.pick("0.5", "0.3", "0.7")
    first, v = number(scope, 1), scope.pick(*scope.vectors)
    scope.numbers.append(total)
    lines = [f"{e}, {total} = [{first}], {scope.pick('0.0', k)}"]
    if scope.chance.random() < 0.5:
        lines += [f"for {t} in {e}:", f"    {total} += {t} * {k}", f"    if len({e}) < {scope.pick('3', '4')}:"]
        return [
            *lines,
            f"        {e}.append({scope.pick(f'{t} * {factor}', f'np.sin({t})', f'{t} * {v}[len({e}) - 1]')})",
        ]
    room = scope.pick("6", "8")
    lines = [f"{e}, {total} = [({first}, 0)], {k}", f"while {e}:", f"    {t}, depth = {e}.pop({scope.pick('', '0')})"]
    lines += [f"    {total} += {t} * {t}", f"    if depth < 2 and len({e}) < {room}:"]
    grown = [f"        {e}.append(({t} * {factor}, depth + 1))", f"        {e}.append((-{t}, depth + 1))"]
    return [*lines, *some(scope, grown)]


def nested_lists(scope: Scope) -> Lines:
    """Lists of lists, of numbers that a loop adds and of arrays of several shapes; neighbours of places."""
    rows, v = scope.name("rows"), scope.pick(*scope.vectors)
    a, k = number(scope, 1), constant(scope)
    match scope.pick("filled", "shapes", "neighbours", "transposed", "joined"):
        case "filled":
            lines = [
                f"{rows} = [[] for _ in range({scope.pick('2', '3')})]",
                f"for i, row in enumerate({rows}):",
                f"    for t in {v}[:2]:",
            ]
            lines += [f"        row.append({scope.pick('t * i', f't * {k} + i', f'np.sin(t) * {a}')})"]
            return [*lines, *named(scope, f"sum(sum(row) for row in {rows}) + {rows}[1][0] * {rows}[-1][1]")]
        case "shapes":
            lines = [f"{rows} = [{v}[:2], {v}[:1] * {a}, np.outer({v}, {v})]"]
            made = scope.pick(f"sum(np.sum(w * w) for w in {rows})", f"np.sum({rows}[2] @ {v}) + {rows}[0][1] * {rows}[1][0]")
            return [*lines, *named(scope, made)]
        case "neighbours":
            total = scope.name("total")
            lines = [
                f"{rows} = {scope.pick('[[1], [0, 2], [1]]', '[(1, 2), (0,), (1, 0)]', '{0: [1, 2], 1: [2], 2: []}')}",
                f"{total} = 0.0",
            ]
            lines += [
                "for i in range(3):",
                f"    for j in {rows}[i]:",
                f"        {total} += {v}[i] * {v}[j] * {scope.pick(k, number(scope, 0))}",
            ]
            scope.numbers.append(total)
            return lines
        case "transposed":
            lines = [f"{rows} = [({a}, {k}), ({v}[0], {number(scope, 1)}), ({v}[1], {a})]", f"left, right = zip(*{rows})"]
            return [
                *lines,
                *named(scope, scope.pick("left[0] * right[1] + sum(left)", "sum(t * u for t, u in zip(left, right))")),
            ]
        case _:
            lines = [
                f"{rows} = []",
                f"for t in {v}:",
                f"    {rows}.append({scope.pick(f'{v} * t', f'np.sin({v}) + t', f'[t, t * {k}]')})",
            ]
            made = scope.pick(
                f"np.concatenate({rows})", f"np.vstack({rows})[0]", f"np.array({rows})", f"np.stack({rows}, axis=1)"
            )
            return [*lines, *named(scope, f"np.sum({made} ** 2)")]


def chosen(scope: Scope) -> Lines:
    """Places in lists and dicts that only the run knows."""
    e, place, a, b = scope.name("items"), scope.name("k"), number(scope, 1), number(scope, 1)
    lines = [
        f"{place} = {scope.pick(f'int({condition(scope)})', f'int(abs({number(scope, 1)}) * 4) % 3', f'{count(scope)} % 3')}"
    ]
    match scope.pick("list", "dict", "store", "texts", "added"):
        case "list":
            return [
                *lines,
                f"{e} = [{a}, {b}, {constant(scope)}]",
                *named(scope, f"{e}[{place}] * {e}[{scope.pick('0', f'-{place}')}]"),
            ]
        case "dict":
            return [*lines, f"{e} = {{0: {a}, 1: {b}, 2: {a}}}", *named(scope, f"{e}[{place}] * {constant(scope)}")]
        case "store":
            lines += [f"{e} = {scope.pick(f'[{a}, {b}, 1.0]', f'{{0: {a}, 1: {b}, 2: 1.0}}', '[0.0] * 3')}"]
            lines += [f"{e}[{place}] {scope.pick('=', '+=', '*=')} {number(scope, 1)}"]
            return [*lines, *named(scope, f"{e}[0] + {e}[1] * {e}[2]")]
        case "texts":
            lines += [f"{e} = ('sin', 'cos', 'tanh')[{place}]"]
            made = scope.pick(
                f"getattr(np, {e})({a})", f"np.sin({a}) if {e} == 'sin' else {b}", f"{{'sin': {a}, 'cos': {b}, 'tanh': 1.0}}[{e}]"
            )
            return [*lines, *named(scope, made if "getattr" not in made else made.replace(e, scope.pick("'sin'", "'cos'")))]
        case _:
            v = scope.pick(*scope.vectors)
            lines = [f"{e} = {scope.pick('[0.0] * 3', '{0: 0.0, 1: 0.0, 2: 0.0}')}", f"for i, t in enumerate({v}):"]
            lines += [f"    {e}[{scope.pick('i % 3', 'int(t > 0.3)', 'min(i, 2)')}] += t * {number(scope, 0)}"]
            return [*lines, *named(scope, f"{e}[0] * {e}[1] + {e}[2]")]


def mapping(scope: Scope) -> Lines:
    """Dicts of every kind, and their methods."""
    d, v = scope.name("d"), scope.pick(*scope.vectors)
    a, b, c, k = number(scope, 1), number(scope, 1), number(scope, 1), constant(scope)
    match scope.pick("plain", "plain", "default", "ordered", "counter", "product"):
        case "default":
            kind, step = scope.chance.choice((("float", f"+= t * {k}"), ("list", f".append(t * {k})")))
            lines = [
                f"{d} = collections.defaultdict({kind})",
                f"for key, t in zip('abab', {v}):",
                f"    {d}[key] {step}".replace("] .", "]."),
            ]
            total = f"{d}['a'] * {d}['b']" if kind == "float" else f"sum({d}['a']) * {d}['b'][0]"
            return [*lines, *named(scope, total)]
        case "ordered":
            lines = [
                f"{d} = collections.OrderedDict(a={a}, b={b})",
                scope.pick(f"{d}['c'] = {c}", f"{d}['a'] *= {c}", f"{d}.move_to_end('a')"),
            ]
            return [*lines, *named(scope, f"list({d}.values())[1] * {d}['a']")]
        case "counter":
            texts = scope.pick("['a', 'b', 'a']", "'abracadabra'")
            return [f"{d} = collections.Counter({texts})", *named(scope, f"({a}) * int({d}['a']) + {b} * len({d})")]
        case "product":
            return [f"{d} = {{'a': {a}, 'b': {b}, 'c': {k}}}", *named(scope, f"math.prod({d}.values())")]
    steps = [
        f"{d}['b'] = {b} * {d}['a']", f"{d}.update(c={c})", f"{d}['e'] = {d}.pop('a') + {d}.setdefault('a', {c})",
        f"{d} = {{key: t * {k} for key, t in {d}.items()}}", f"{d} |= {{'g': {c}}}", f"{d} = dict({d}, h={b})",
        f"{d}.setdefault('f', {c})", f"{d}.update({{'a': {c}}})",
    ]  # fmt: skip
    made = scope.pick(
        f"sum({d}.values()) + {d}.get('e', {c})", f"sum(t for key, t in {d}.items() if key != 'b') * {d}['a']",
        f"sum({d}[key] * i for i, key in enumerate({d}))", f"{d}['a'] * ('b' in {d}) + len({d})",
    )  # fmt: skip
    return [f"{d} = {{'a': {a}, 'z': {k}}}", *some(scope, steps), *named(scope, made)]


def seen(scope: Scope) -> Lines:
    """A set of what was met before."""
    e, total, v = scope.name("seen"), scope.name("total"), scope.pick(*scope.vectors)
    scope.numbers.append(total)
    lines = [
        f"{e}, {total} = {scope.pick('set()', '{0}', 'set([0])')}, 0.0",
        f"for i in {scope.pick('(1, 2, 2, 1)', '[0, 1, 0]')}:",
    ]
    return [*lines, f"    if i not in {e}:", f"        {e}.add(i)", f"        {total} += {v}[i] * {number(scope, 0)}"]


def window(scope: Scope) -> Lines:
    """A queue with two ends, of what moves or of numbers that do not."""
    w, v = scope.name("window"), scope.pick(*scope.vectors)
    a, k = number(scope, 1), constant(scope)
    match scope.pick("moving", "queue", "inactive"):
        case "moving":
            total = scope.name("total")
            lines = [
                f"{w}, {total} = collections.deque(maxlen={scope.pick('2', '3')}), 0.0",
                f"for t in {v}:",
                f"    {w}.append({scope.pick('t', f't * {k}', 'np.sin(t)')})",
            ]
            scope.numbers.append(total)
            return [*lines, f"    {total} += {scope.pick(f'sum({w})', f'{w}[0] * {w}[-1]', f'sum({w}) / len({w})', f'max({w})')}"]
        case "queue":
            lines = [f"{w} = collections.deque([{a}, {k}, {v}[0]])"]
            lines += some(
                scope,
                [
                    f"{w}.append({v}[1])",
                    f"{w}.appendleft({number(scope, 1)})",
                    f"{w}.rotate({scope.pick('1', '-1')})",
                    f"{w}.append({w}.popleft() * {k})",
                ],
            )
            return [*lines, *named(scope, f"{w}[0] * {w}[-1] + sum({w})")]
        case _:
            lines = [f"{w} = collections.deque([1, 2, 3], maxlen=3)", f"{w}.append({scope.pick('4', '0')})"]
            return [*lines, *named(scope, f"({a}) * len({w}) + {w}[0]")]


def tuples(scope: Scope) -> Lines:
    """Records: named tuples and dataclasses, replaced and changed, and lists of them."""
    o, v = scope.name("o"), scope.pick(*scope.vectors)
    a, b = number(scope, 1), number(scope, 1)
    match scope.pick("named", "data", "frozen", "method", "list"):
        case "named":
            cls = scope.name("Point")
            scope.module.append(
                f"{cls} = collections.namedtuple('{cls}', {scope.pick(repr('rate size'), repr(['rate', 'size']))})"
            )
            lines = [f"{o} = {cls}({a}, {scope.pick(f'{b}', f'size={b}')})"]
            lines += some(
                scope,
                [f"{o} = {o}._replace(rate={number(scope, 1)})", f"{o} = {cls}(*{o})", f"{o} = {cls}._make([{b}, {o}.size])"],
                2,
            )
            return [*lines, *named(scope, f"{o}.rate * {o}[1] + len({o}) + sum({o})")]
        case "data" | "frozen" as kind:
            cls = scope.name("Body")
            scope.module += [
                f"@dataclasses.dataclass{'(frozen=True)' if kind == 'frozen' else scope.pick('', '(slots=True)')}",
                f"class {cls}:",
            ]
            scope.module += indented(["place: typing.Any", f"mass: float = {constant(scope)}", "name: str = 'body'"])
            lines = [f"{o} = {cls}({v} * 1.0{scope.pick('', f', mass={a}')})"]
            lines += some(
                scope,
                [
                    f"{o} = dataclasses.replace({o}, mass={b})",
                    *([f"{o}.mass *= {b}", f"{o}.place[0] += {b}", f"{o}.place = {o}.place * {b}"] * (kind == "data")),
                ],
            )
            return [*lines, *named(scope, f"np.sum({o}.place) * {o}.mass * len({o}.name)")]
        case "method":
            cls, own = scope.name("Body"), scope.apart("self.rate self.size", "np.array([self.rate, self.size, 0.5])")
            scope.module += ["@dataclasses.dataclass", f"class {cls}:", "    rate: float", f"    size: float = {constant(scope)}"]
            scope.module += ["    kept: list = dataclasses.field(default_factory=list)", "    def law(self, k):"]
            scope.module += ["        self.kept.append(k)", f"        return {number(own, 1)} * k"]
            return [f"{o} = {cls}({a}{scope.pick('', f', {b}')})", *named(scope, f"{o}.law({b}) + sum({o}.kept) * {o}.size")]
        case _:
            cls = record(scope, "rate", "size")
            lines = [f"{o} = [{cls}(t, t * {constant(scope)}) for t in ({a}, {b}, {v}[0])]"]
            made = scope.pick(
                f"sum(e.rate * e.size for e in {o})",
                f"{o}[0].rate * {o}[-1].size",
                f"sum(a.rate - b.rate for a in {o} for b in {o} if a.rate != b.rate)",
            )
            return [*lines, *named(scope, made)]


def members(scope: Scope) -> Lines:
    """Members of enumerations, and texts, that decide."""
    cls, kind, total = scope.name("Kind"), scope.name("kind"), scope.name("s")
    a, b = number(scope, 1), number(scope, 1)
    base = scope.pick("Enum", "Enum", "IntEnum")
    values = ("1", "2") if base == "IntEnum" else ("'one'", scope.pick("'two'", "2"))
    scope.module += [f"class {cls}(enum.{base}):", f"    ONE = {values[0]}", f"    TWO = {values[1]}"]
    choice = condition(scope)
    scope.numbers.append(total)
    if scope.chance.random() < 0.4:
        lines = [f"{total} = {constant(scope)}", f"for {kind} in {scope.pick(cls, str(('sin', 'cos')))}:"]
        tested = f"{kind} is {cls}.ONE" if cls in lines[1] else f"{kind} == 'sin'"
        return [*lines, f"    if {tested}:", f"        {total} += {a}", "    else:", f"        {total} *= {b}"]
    lines = [f"{kind} = {cls}.ONE if {choice} else {cls}.{scope.pick('ONE', 'TWO')}"]
    if scope.chance.random() < 0.5:
        return [*lines, f"{total} = {a} if {kind} {scope.pick('is', '==')} {cls}.ONE else {b}"]
    return [
        f"{kind} = {cls}.{scope.pick('ONE', 'TWO')}",
        f"{total} = {{{cls}.ONE: {a}, {cls}.TWO: {b}}}[{kind}] * len({kind}.name)",
    ]


def ordered(scope: Scope) -> Lines:
    """What is sorted with keys, and looked up in borders."""
    e, v = scope.name("items"), scope.pick(*scope.vectors)
    a, b = number(scope, 1), number(scope, 1)
    match scope.pick("keys", "numbers", "bisect", "borders", "places"):
        case "keys":
            lines = [f"{e} = sorted([({a}, 2), ({b}, 1), ({v}[0], 3)], key=lambda t: t[1]{scope.pick('', ', reverse=True')})"]
            return [*lines, *named(scope, f"{e}[0][0] * {e}[1][0] ** 2")]
        case "numbers":
            key = scope.pick("", ", reverse=True", ", key=abs", ", key=lambda t: -t")
            return [
                f"{e} = sorted({scope.pick(v, f'[{a}, {b}, 0.3]', f'list({v})')}{key})",
                *named(scope, f"{e}[0] * {e}[1] + {e}[-1]"),
            ]
        case "bisect":
            made = f"bisect.{scope.pick('bisect', 'bisect_left', 'bisect_right')}([0.0, 0.5, 1.0], {scope.pick('0.7', a)})"
            return named(scope, f"{v}[{made} % 3] * {b}")
        case "borders":
            lines = [f"{e} = [-1.0, 0.0, 1.0]", f"k = min(max(bisect.bisect({e}, {a}) - 1, 0), 1)"]
            return [*lines, *named(scope, f"{v}[k] + ({v}[k + 1] - {v}[k]) * ({a} - {e}[k])")]
        case _:
            lines = [f"{e} = sorted(range(len({v})), key=lambda i: {v}[i])"]
            return [*lines, *named(scope, f"{v}[{e}[0]] * {scope.pick(*scope.vectors)}[{e}[{index(scope)}]]")]


def memory(scope: Scope) -> Lines:
    """A dict that keeps what was computed, arrays too."""
    d, v, total = scope.name("memo"), scope.pick(*scope.vectors), scope.name("total")
    k = scope.pick("i % 2", "(i, 1)", "i")
    inner = scope.inner(loop=True)
    inner.counts.append("i")
    made = scope.pick(f"{v} * {number(inner, 0)}", number(inner, 1), vector(inner, 1))
    lines = [f"{d}, {total} = {{}}, 0.0", "for i in range(3):", f"    if {k} not in {d}:", f"        {d}[{k}] = {made}"]
    scope.numbers.append(total)
    return [*lines, f"    {total} += np.sum({d}[{k}])"]


def doubtful(scope: Scope) -> Lines:
    """A dict, or an object, that gets a key or an attribute on some paths, and is asked for it."""
    d, v, test = scope.name("found"), scope.pick(*scope.vectors), condition(scope)
    a, b, other = number(scope, 1), number(scope, 1), number(scope, 0)
    if scope.chance.random() < 0.4:
        lines = [f"{d} = types.SimpleNamespace(a={a})"]
        asked = scope.pick(f"getattr({d}, 'b', {other})", f"({d}.b if hasattr({d}, 'b') else {other})")
        store, kept = f"{d}.b = {b}", f"{d}.a"
    else:
        lines = [f"{d} = {{'a': {a}}}"]
        asked = scope.pick(
            f"{d}.get('b', {other})",
            f"({d}['b'] if 'b' in {d} else {other})",
            f"{d}.setdefault('b', {other})",
            f"sum({d}.values())",
        )
        store, kept = (
            scope.pick(f"{d}['b'] = {b}", f"{d}.update(b={b})", f"{d}['a'] = {b}", f"{d}.pop('a')"),
            f"{d}.get('a', 2.0)",
        )
    if scope.chance.random() < 0.6:
        lines += [f"if {test}:", f"    {store}"]
    else:
        lines += [f"for item in {v}[{v} > {other}]:", f"    {store}".replace(".pop('a')", ".pop('a', 0.0)")]
    return [*lines, *named(scope, f"{asked} * {kept}")]


def labelled(scope: Scope) -> Lines:
    """Sums under names that the run chooses."""
    d, v, e = scope.name("sums"), scope.pick(*scope.vectors), scope.name("kind")
    a, b, kept = number(scope, 1), number(scope, 0), scope.pick("get", "in", "default")
    made = "collections.defaultdict(float)" if kept == "default" else scope.pick("{}", f"{{'up': {b}}}")
    lines = [f"{d} = {made}", f"for item in {v}:", f"    {e} = 'up' if item > {b} else 'down'"]
    match kept:
        case "get":
            lines.append(f"    {d}[{e}] = {d}.get({e}, {a}) + item * {b}")
        case "in":
            lines += [f"    if {e} in {d}:", f"        {d}[{e}] *= item", "    else:", f"        {d}[{e}] = item + {a}"]
        case _:
            lines.append(f"    {d}[{e}] += item * {a}")
    return [*lines, *named(scope, f"{d}.get('up', 0.5) * 2.0 - {d}.get('down', {a})")]


IDIOMS = (
    Idiom(doubtful, "keys_of_some_paths", weight=2),
    Idiom(labelled, "keys_of_a_few_texts"),
    Idiom(listed, "lists", weight=2),
    Idiom(cells, "cell_lists"),
    Idiom(keyed, "groups runs cells_replaced dict_keyed_by_run lists_keyed_by_run", weight=2),
    Idiom(heaped, "heap_of_floats"),
    Idiom(fields, "structured_by_field"),
    Idiom(vectorised, "vectorized from_python_function"),
    Idiom(in_turn, "mutually_recursive"),
    Idiom(counted_down, "iterator_class"),
    Idiom(stack, "list_grows_while_walked lists", block=True),
    Idiom(
        nested_lists,
        "lists_of_lists arrays_of_differing_shapes adjacency_lists transposed_lists joins_of_filled_lists",
        block=True,
        weight=2,
    ),
    Idiom(chosen, "list_index_of_the_run dict_index_of_the_run string_flags", weight=2),
    Idiom(mapping, "dicts default_dict ordered_dict counter product_of_a_dict", weight=2),
    Idiom(seen, "sets", block=True),
    Idiom(window, "deque_of_floats deque_inactive", block=True),
    Idiom(tuples, "named_tuples dataclass_fields", weight=2),
    Idiom(members, "enums string_flags", block=True),
    Idiom(ordered, "sorted_by_key bisected", weight=2),
    Idiom(memory, "dicts", block=True),
)
