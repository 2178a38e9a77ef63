"""Classes of programs: methods of every kind, operators, inheritance; and what programs keep outside of their functions."""

from __future__ import annotations

from tests.domain.grammar import Idiom, Lines, Scope, condition, constant, indented, named, number, vector


def shape_class(scope: Scope) -> str:
    """The name of a class at the top of the program that has properties, operators and methods of every kind."""
    cls, own = scope.name("Shape"), scope.apart("self.a self.b", "np.array([self.a, self.b, 0.5])")
    one = scope.apart("v k", "np.array([v, k, 0.5])")
    methods = [
        ["@property", "def area(self):", f"    return {number(own, 1)}"],
        ["@area.setter", "def area(self, value):", f"    self.a = value * {constant(scope)} + self.b"],
        ["@functools.cached_property", "def ratio(self):", f"    return {number(own, 1)}"],
        ["@staticmethod", "def law(v, k=0.5):", f"    return {number(one, 1)}"],
        ["@classmethod", "def square(cls, a):", "    return cls(a, a * 0.5)"],
        ["def __call__(self, k):", f"    return {number(own, 1)} * k"],
        ["def __getitem__(self, k):", "    return (self.a, self.b)[k]"],
        ["def __len__(self):", "    return 2"],
        ["def __iter__(self):", "    yield self.a", f"    yield {number(own, 1)}"],
        ["def __add__(self, other):", "    return type(self)(self.a + other.a, self.b + other.b)"],
        ["def __mul__(self, k):", "    return type(self)(self.a * k, self.b)"],
        ["__rmul__ = __mul__"],
        ["def __neg__(self):", "    return type(self)(-self.a, self.b)"],
        ["def __lt__(self, other):", "    return self.a < other.a"],
        ["def __eq__(self, other):", "    return self.a == other.a"],
        ["__hash__ = None"],
    ]
    scope.module += [
        f"class {cls}:",
        f"    count = {scope.pick('0', '2')}",
        "    def __init__(self, a, b):",
        "        self.a, self.b = a, b",
    ]
    scope.module += [line for method in methods for line in indented(method)]
    return cls


def used(scope: Scope) -> Lines:
    """An object of a class of the program, by its methods and operators."""
    cls, o = shape_class(scope), scope.name("o")
    a, b, c = number(scope, 1), number(scope, 1), number(scope, 1)
    start = scope.pick(
        f"{cls}({a}, {b})",
        f"{cls}.square({a})",
        f"{cls}({a}, {c}) + {cls}({b}, 0.5)",
        f"{cls}({a}, {b}) * {c}",
        f"0.5 * -{cls}({a}, {b})",
    )
    steps = [
        f"{o}.area = {c}",
        f"{o}.a += {b}",
        f"{o} = {o} + {o}",
        f"{o}.b, {o}.a = {o}.a, {o}.b",
        f"{o} += {cls}({c}, {a})",
        f"setattr({o}, 'a', {c})",
    ]
    made = [
        f"{o}.area * {cls}.law({a})", f"{o}.ratio * {o}.ratio", f"{o}({b}) + {o}[1] * len({o})", f"sum(t for t in {o})",
        f"max({o}, {cls}({b}, {a}), key=lambda t: t.a).b", f"{o}.b if {o} < {cls}(0.3, 1.0) else {o}.a",
        f"{o}.a * ({o} == {o}) + {o}.count", f"getattr({o}, 'b') * {o}.law({a}, k={b})",
    ]  # fmt: skip
    taken = [scope.pick(*steps)] if scope.chance.random() < 0.5 else []
    return [f"{o} = {start}", *taken, *named(scope, " + ".join(scope.chance.sample(made, scope.chance.randint(1, 2))))]


def derived(scope: Scope) -> Lines:
    """A class made of another one."""
    base, cls, o = shape_class(scope), scope.name("Cube"), scope.name("o")
    own = scope.apart("self.a self.b", "np.array([self.a, self.b, 0.5])")
    parent = scope.pick("super()", f"super({cls}, self)", "super()")
    scope.module += [
        f"class {cls}({base}):",
        *indented(
            ["def __init__(self, a):", f"    super().__init__(a, a * {constant(scope)})", f"    self.c = {constant(scope)}"]
        ),
        *indented(["@property", "def area(self):", f"    return 2.0 * {parent}.area + self.c * {number(own, 1)}"]),
        *indented(
            [
                "def __call__(self, k=1.0):",
                f"    return {scope.pick(f'{base}.__call__(self, k)', 'super().__call__(k)')} * self.a",
            ]
        ),
    ]
    lines = [f"{o} = {cls}({number(scope, 1)})"]
    made = scope.pick(
        f"{o}.area + {o}(0.5)",
        f"{o}() * {o}.c",
        f"{o}.area if isinstance({o}, {base}) else 0.0",
        f"sum(e.area for e in ({o}, {cls}(0.3)))",
    )
    return [*lines, *named(scope, made)]


def local_class(scope: Scope) -> Lines:
    """A class inside of a function, which uses none of its variables."""
    cls, o, own = scope.name("Box"), scope.name("o"), scope.apart("self.v k", "np.array([self.v, k, 0.5])")
    lines = [f"class {cls}:", f"    scale = {constant(scope)}"]
    lines += indented(
        ["def __init__(self, v):", "    self.v = v", "def law(self, k):", f"    return {number(own, 1)} * self.scale"]
    )
    return [*lines, f"{o} = {cls}({number(scope, 1)})", *named(scope, f"{o}.law({number(scope, 1)}) * {cls}.scale")]


def outside(scope: Scope) -> Lines:
    """What a program leaves outside: counters, histories, the last value, arrays; sometimes it reads what it has left."""
    name, a = scope.name("STATE"), number(scope, 1)
    match scope.pick("count", "list", "dict", "array", "global", "object", "memo"):
        case "count":
            scope.module += [
                f"class {name.title()}:",
                "    def __init__(self):",
                "        self.calls, self.last = 0, 0.0",
                f"{name} = {name.title()}()",
            ]
            return [f"{name}.calls += 1", f"{name}.last = {a}", *named(scope, scope.pick(f"{name}.last * {constant(scope)}", a))]
        case "list":
            scope.module.append(f"{name} = []")
            return [f"{name}.append({scope.pick('1.0', a)})", *named(scope, a)]
        case "dict":
            scope.module.append(f"{name} = {{'last': 0.0, 'calls': 0}}")
            return [f"{name}['last'] = {a}", f"{name}['calls'] += 1", *named(scope, a)]
        case "array":
            scope.module.append(f"{name} = np.zeros(3)")
            lines = [scope.pick(f"{name}[0] = {a}", f"{name}[:] = {a}", f"{name}[:2] = {scope.pick(*scope.vectors)}[:2]")]
            return [*lines, *named(scope, scope.pick(f"{name}[0] * {constant(scope)}", a))]
        case "global":
            law = scope.name("note")
            scope.module += [
                f"{name} = 0",
                f"def {law}(u):",
                f"    global {name}",
                f"    {name} = {scope.pick(f'{name} + 1', 'u', 'u * 2.0')}",
                "    return u",
            ]
            return named(scope, f"{law}({a})" if scope.module[-2].endswith("+ 1") else f"{law}({a}) * {constant(scope)}")
        case "object":
            cls = name.title()
            own = scope.apart("v k", "np.array([v, k, 0.5])")
            scope.module += [
                f"class {cls}:",
                "    def __init__(self):",
                "        self.nfev, self.best, self.path = 0, None, []",
                "    def law(self, v, k):",
            ]
            scope.module += [
                "        self.nfev += 1",
                f"        value = {number(own, 1)}",
                f"        self.{scope.pick('best = value', 'path.append(value)')}",
            ]
            scope.module += ["        return value", f"{name} = {cls}()"]
            return named(scope, f"{name}.law({a}, {constant(scope)})")
        case _:
            cls, memo, made = name.title(), scope.name("o"), scope.pick(a, vector(scope, 1))
            scope.module += [f"class {cls}:", "    def __init__(self):", "        self.memo = {}", "    def law(self, v, k):"]
            scope.module += ["        if k not in self.memo:", f"            self.memo[k] = v * {constant(scope)}"]
            scope.module += ["        return self.memo[k]"]
            return [f"{memo} = {cls}()", *named(scope, f"np.sum({memo}.law({made}, 1) * {memo}.law({made}, 1))")]


def read_from_outside(scope: Scope) -> Lines:
    """Constants of the program, printed text, and arguments that are written."""
    name, a, v = scope.name("SCALE"), number(scope, 1), scope.pick(*scope.vectors)
    match scope.pick("number", "table", "array", "printed", "argument"):
        case "number":
            scope.module.append(f"{name} = {constant(scope)}")
            return named(scope, f"({a}) * {name}")
        case "table":
            scope.module.append(f"{name} = {{'a': 1.5, 'b': -0.5}}")
            return named(scope, f"({a}) * {name}['a'] + {name}.get('c', 0.5)")
        case "array":
            scope.module.append(f"{name} = np.array([1.0, 2.0, 0.5])")
            return named(scope, f"({name} * {a}).sum() + {name}[1] * {v}[0]")
        case "printed":
            return [scope.pick("print(end='')", "print('', end='')", f"if {condition(scope)} and False: print('never')")]
        case _:
            law = scope.name("shift")
            scope.module += [
                f"def {law}(q, k):",
                f"    q[{scope.pick('0', '-1', ':2')}] {scope.pick('=', '+=', '*=')} k",
                "    return q",
            ]
            w = scope.name("w")
            return [f"{w} = {scope.pick('', 'np.array')}({v} * 1.0)", *named(scope, f"np.sum({law}({w}, {a})) * {w}[0]")]


def attribute_of_a_function(scope: Scope) -> Lines:
    """A function that keeps something of its own, as SciPy's users mark events."""
    law, a = scope.name("law"), number(scope, 1)
    inner = scope.apart("v", "np.array([v, 0.5, 1.5])")
    return [
        f"{law} = lambda v: {number(inner, 1)}",
        f"{law}.scale, {law}.terminal = {a}, True",
        *scope.pick([], [f"{law}.scale *= {number(scope, 1)}"]),
        *named(scope, f"({law}({law}.scale) if getattr({law}, 'terminal', False) else 0.0) + getattr({law}, 'shift', 0.5)"),
    ]


IDIOMS = (
    Idiom(attribute_of_a_function, "function_with_attributes"),
    Idiom(used, "methods_and_properties property_setter cached_property special_methods", weight=2),
    Idiom(derived, "inheritance"),
    Idiom(local_class, "class_statement"),
    Idiom(
        outside,
        "global_list_grows global_dict_written global_array_written attribute_counted global_written",
        weight=3,
    ),
    Idiom(read_from_outside, "global_read printed argument_written"),
)
