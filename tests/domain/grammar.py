"""What random programs are made of: names by kind, and expressions over them."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

Lines = list[str]
LIMIT = 3


@dataclass(frozen=True, slots=True)
class Idiom:
    """Statements in the manner of scientists, and the rows of the table of the language that they show.

    `block`: whether it holds blocks, which nest no deeper than `LIMIT`. Idioms of larger `weight` are met more often.
    """

    write: Callable[[Scope], Lines]
    rows: str = ""
    block: bool = False
    weight: int = 1


@dataclass
class Scope:
    """The names that a place in a program can use, by kind; and what may still be written there.

    `numbers` are floats, `counts` integers that are small and not negative, `vectors` arrays of the one length of the program,
    `matrices` square arrays of it. `fixed` are not written, and
    names that a nested function has `captured` are not bound anew. `returns` is the kind that the function
    returns: a number, a vector, or a float of Python's; `deep` is how deeply blocks nest, `loops` how many are loops.
    `module` has the lines that stand before all functions of the program, `after` those behind; statements are `idioms`.
    """

    chance: random.Random
    numbers: list[str] = field(default_factory=list)
    counts: list[str] = field(default_factory=list)
    vectors: list[str] = field(default_factory=list)
    matrices: list[str] = field(default_factory=list)
    indices: list[str] = field(default_factory=list)
    of_number: list[str] = field(default_factory=list)
    of_vector: list[str] = field(default_factory=list)
    classes: list[str] = field(default_factory=list)
    records: list[str] = field(default_factory=list)
    fixed: frozenset[str] = frozenset()
    returns: str = "number"
    deep: int = 0
    loops: int = 0
    fresh: list[int] = field(default_factory=lambda: [0])
    captured: set[str] = field(default_factory=set)
    module: Lines = field(default_factory=list)
    after: Lines = field(default_factory=list)
    idioms: tuple[Idiom, ...] = ()

    def inner(self, loop: bool = False) -> Scope:
        """The scope of a block: what is bound there is not known after it."""
        made = Scope(**{**vars(self), "deep": self.deep + 1, "loops": self.loops + loop})
        for kind in ("numbers", "counts", "vectors", "matrices", "indices", "records"):
            setattr(made, kind, list(getattr(self, kind)))
        return made

    def apart(self, numbers: str, vectors: str) -> Scope:
        """The scope of a function at the top of the program, of the names that it has: none of these is written."""
        return Scope(
            self.chance,
            numbers=numbers.split(),
            vectors=[vectors],
            fixed=frozenset([*numbers.split(), vectors]),
            fresh=self.fresh,
            module=self.module,
            after=self.after,
            idioms=self.idioms,
        )

    def name(self, stem: str) -> str:
        """A name that nothing has yet."""
        self.fresh[0] += 1
        return f"{stem}{self.fresh[0]}"

    def writable(self, kind: list[str]) -> list[str]:
        """The names of a kind that may be bound or written anew."""
        return [name for name in kind if name not in self.fixed and name not in self.captured]

    def pick(self, *choices: str) -> str:
        """One of `choices`."""
        return self.chance.choice(choices)


def indented(lines: Lines) -> Lines:
    """A block."""
    return [f"    {line}" for line in lines]


def block(scope: Scope, most: int = 3) -> Lines:
    """A few statements."""
    return [line for _ in range(scope.chance.randint(1, most)) for line in statement(scope)]


def statement(scope: Scope) -> Lines:
    """One statement; blocks only where they are not nested too deeply."""
    flat = scope.deep >= LIMIT or scope.loops >= 2
    idioms = [idiom for idiom in scope.idioms if not (flat and idiom.block)]
    return scope.chance.choices(idioms, [idiom.weight for idiom in idioms])[0].write(scope)


def named(scope: Scope, made: str, stem: str = "s") -> Lines:
    """A number `made` gets a name."""
    name = scope.name(stem)
    scope.numbers.append(name)
    return [f"{name} = {made}"]


def record(scope: Scope, *fields: str) -> str:
    """The name of a class of named tuples or of a dataclass with these fields, at the top of the program."""
    cls = scope.name("Record")
    head = scope.pick(f"class {cls}(typing.NamedTuple):", f"@dataclasses.dataclass; class {cls}:")
    scope.module += [*head.split("; "), *(f"    {field}: typing.Any" for field in fields)]
    return cls


def constant(scope: Scope) -> str:
    """A literal number; sometimes an integer."""
    return scope.pick("0.5", "1.5", "0.3", "2.0", "1.0", "0.1", "2", "1", "0.7")


def count(scope: Scope) -> str:
    """A small integer."""
    return scope.pick(*scope.counts, "2", "3") if scope.counts else scope.pick("2", "3")


def index(scope: Scope) -> str:
    """A place in a vector."""
    return scope.pick(*scope.indices, "0", "1", "-1") if scope.indices else scope.pick("0", "1", "-1", "2")


def number(scope: Scope, depth: int = 2) -> str:
    """An expression for a float that stays of moderate size."""
    if depth <= 0 or scope.chance.random() < 0.15:
        return scope.pick(*scope.numbers, f"{scope.pick(*scope.vectors)}[{index(scope)}]", constant(scope))
    a, b = (lambda: number(scope, depth - 1)), (lambda: vector(scope, depth - 1))
    forms: list[Callable[[], str]] = [
        lambda: f"{a()} {scope.pick('+', '-', '*')} {a()}",
        lambda: f"({a()} {scope.pick('+', '-')} {a()}) * {constant(scope)}",
        lambda: f"{a()} / (1.0 + ({a()}) ** 2)",
        lambda: f"{scope.pick('np.sin', 'np.tanh', 'np.cos', 'np.arctan', 'math.sin', 'math.tanh', 'abs', 'float')}({a()})",
        lambda: f"{scope.pick('max', 'min')}({a()}, {scope.pick(a(), constant(scope), count(scope))})",
        lambda: f"{scope.pick('np.sqrt', 'math.sqrt')}(1.0 + ({a()}) ** 2)",
        lambda: f"{scope.pick('np.exp', 'math.exp')}(-({a()}) ** 2)",
        lambda: f"{count(scope)} * {a()}",
        lambda: f"({a()}) ** {scope.pick('2', '3', '2.0')}",
        lambda: f"(1.0 + abs({a()})) ** {scope.pick('-1', '0.5', '1.5', count(scope))}",
        lambda: f"{scope.pick('np.sum', 'np.mean', 'sum', 'np.max', 'np.min')}({b()})",
        lambda: f"({b()}).{scope.pick('sum', 'mean', 'max')}()",
        lambda: f"{scope.pick('np.dot', 'np.inner', 'np.vdot')}({b()}, {b()})",
        lambda: f"np.linalg.norm({b()} + 2.0)",
        lambda: f"({a()} if {condition(scope, depth - 1)} else {a()})",
        lambda: f"sum({scope.pick('t * t', 'np.sin(t)', 'max(t, 0)', 'abs(t)')} for t in {scope.pick(*scope.vectors)})",
        lambda: f"sum({_item(scope)} for t in {scope.pick(*scope.vectors)} if {_choice(scope)})",
        lambda: f"len({scope.pick(*scope.vectors)}) * {a()}",
        lambda: f"int({count(scope)}) + float({a()})",
        lambda: f"math.hypot({a()}, {a()})",
        lambda: f"np.log1p(({a()}) ** 2)",
    ]
    if scope.of_number:
        forms += 2 * [lambda: f"{scope.pick(*scope.of_number)}({a()}, {a()})"]
    if scope.records:
        forms += 2 * [lambda: f"{scope.pick(*scope.records)}"]
    if scope.matrices:
        forms += [
            lambda: f"np.trace({scope.pick(*scope.matrices)})",
            lambda: f"{scope.pick(*scope.matrices)}[{index(scope)}, {index(scope)}]",
        ]
    return scope.chance.choice(forms)()


def vector(scope: Scope, depth: int = 2) -> str:
    """An expression for an array of the one length."""
    if depth <= 0 or scope.chance.random() < 0.2:
        return scope.pick(*scope.vectors)
    v, a = (lambda: vector(scope, depth - 1)), (lambda: number(scope, depth - 1))
    forms: list[Callable[[], str]] = [
        lambda: f"{v()} {scope.pick('+', '-', '*')} {v()}",
        lambda: f"{v()} * ({a()})",
        lambda: f"({a()}) - {v()}",
        lambda: f"{v()} / (1.0 + ({v()}) ** 2)",
        lambda: f"{scope.pick('np.sin', 'np.tanh', 'np.cos', 'np.arctan', 'np.abs')}({v()})",
        lambda: f"np.where({v()} > {a()}, {v()}, {scope.pick(v(), constant(scope))})",
        lambda: f"{scope.pick('np.maximum', 'np.minimum')}({v()}, {scope.pick(a(), count(scope))})",
        lambda: f"({v()})[::-1]",
        lambda: f"np.roll({v()}, {scope.pick('1', '-1', count(scope))})",
        lambda: f"np.cumsum({v()})",
        lambda: f"np.clip({v()}, {scope.pick('-1', '-0.5')}, {scope.pick('1', '0.5', '2')})",
        lambda: f"(1.0 + np.abs({v()})) ** {scope.pick(count(scope), '0.5', '-1.0', '1.5')}",
        lambda: f"np.concatenate((({v()})[1:], ({v()})[:1]))",
        lambda: f"np.array([{scope.pick('t * t', 'np.sin(t)', 'max(t, 0.2)', f't * {constant(scope)}')} for t in {v()}])",
        lambda: f"np.zeros(len({scope.pick(*scope.vectors)})) + {a()}",
        lambda: f"np.full_like({scope.pick(*scope.vectors)}, {a()})",
        lambda: f"np.sum(np.outer({v()}, {v()}), axis={scope.pick('0', '1', '-1')})",
        lambda: f"np.exp(-({v()}) ** 2)",
        lambda: f"np.sort({v()})",
        lambda: f"np.array(sorted({v()}, key=lambda t: {scope.pick('t > 0.3', '-t', 'int(3 * t)')}, reverse=True))",
        lambda: f"({v()}).copy()",
        lambda: f"np.stack(({v()}, {v()})).{scope.pick('mean', 'sum', 'max')}(axis=0)",
        lambda: f"np.einsum('i,i->i', {v()}, {v()})",
    ]
    if scope.of_vector:
        forms += 2 * [lambda: f"{scope.pick(*scope.of_vector)}({v()}, {a()})"]
    if scope.matrices:
        forms += [
            lambda: f"{scope.pick(*scope.matrices)} @ {scope.pick(*scope.vectors)}",
            lambda: f"{scope.pick(*scope.matrices)}[{index(scope)}]",
            lambda: f"{scope.pick(*scope.matrices)}[:, {index(scope)}]",
            lambda: f"np.diag({scope.pick(*scope.matrices)})",
        ]
    return scope.chance.choice(forms)()


def _item(scope: Scope) -> str:
    """What a comprehension makes of its item ``t``."""
    form = scope.pick("t * t", "(t if t > {} else t * {})", "max(t, {})", "sum(t * e for e in {} if e > t or e < {})")
    vectors = scope.pick(*scope.vectors)
    return form.format(vectors, constant(scope)) if "sum" in form else form.format(constant(scope), constant(scope))


def _choice(scope: Scope) -> str:
    """Which items ``t`` a comprehension takes."""
    return scope.pick("-1 < t < 1", "t > 0 or t < -0.5", "not t > 0.3", f"t > {constant(scope)} and t < 1.0 < 2", "t != 0")


def condition(scope: Scope, depth: int = 1) -> str:
    """A condition."""
    a = partial(number, scope, depth)
    forms: list[Callable[[], str]] = [
        lambda: f"{a()} {scope.pick('>', '<', '>=', '<=')} {a()}",
        lambda: f"{a()} > {constant(scope)} and {a()} < {constant(scope)}",
        lambda: f"not {a()} > {constant(scope)}",
        lambda: f"{count(scope)} {scope.pick('>', '==', '%')} 2",
        lambda: f"np.any({vector(scope, depth)} > {constant(scope)})",
        lambda: f"{constant(scope)} < {a()} < 2",
    ]
    return scope.chance.choice(forms)()
