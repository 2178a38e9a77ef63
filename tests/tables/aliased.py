"""Random programs in which one memory has many names: views, attributes, items, closures, defaults, and writes through each.

A program is drawn by its number. It makes arrays, takes views of them, puts them into objects, lists, dicts and functions, takes
them out again, and writes to them by every syntax there is for it, also where what is read overlaps what is written; branches,
loops that are left and gone on with, ``try`` and functions stand around these. Shapes are known to whoever draws, so that most
programs run.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from tests.tables.cell import Cell, Written

COUNT = 20_000
LENGTH = 6
ARGS = (np.array([0.31, 1.27, -0.64, 0.83, 1.91, -1.13]), 0.77)
PRELUDE = """
import contextlib, functools, types
C = np.array([0.5, -1.2, 0.8, 1.1, -0.3, 0.9])
def scale(a, k):
    a *= k
def first_of(a, b):
    return a
def shifted(a):
    a[1:] += a[:-1] * 0.5
    return a
@contextlib.contextmanager
def scaled(a):
    a *= 1.5
    try:
        yield a[:1]
    finally:
        a *= 0.8
"""

Shape = tuple[int, ...]


@dataclass
class Draw:
    """A program that is drawn line by line: `rng` draws, `names` are the arrays that can be named here, by their shapes."""

    rng: random.Random
    names: dict[str, Shape] = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)
    indent: int = 1
    count: int = 0
    held: list[tuple[str, Shape]] = field(default_factory=list)
    """Expressions that give arrays which something holds."""

    def line(self, text: str) -> None:
        """Write one line."""
        self.lines.append("    " * self.indent + text)

    def fresh(self, stem: str = "a") -> str:
        """A name that is not in use."""
        self.count += 1
        return f"{stem}{self.count}"

    def pick(self, *options: str) -> str:
        """One of some texts."""
        return self.rng.choice(options)

    def array(self, axes: int | None = None) -> tuple[str, Shape]:
        """An array that has a name, or is held by something."""
        known = [*self.names.items(), *self.held]
        fit = [one for one in known if axes is None or len(one[1]) == axes]
        if not fit:
            return "(x * 1.0)", (LENGTH,)
        return self.rng.choice(fit)

    def number(self) -> str:
        """A number that moves, mostly."""
        name, shape = self.array(1)
        k = self.rng.randrange(shape[0])
        return self.pick(
            "s", "s * 0.5", "0.7", f"{name}[{k}]", f"np.sin({name}[{k}])", f"{name}[{k - shape[0]}] * s", "t * 0.1", "x[1]"
        )

    def like(self, shape: Shape) -> str:
        """An expression of arrays that fits into `shape`."""
        fit = [name for name, other in (*self.names.items(), *self.held) if other == shape]
        n = shape[-1]
        known = [f"C[:{n}]", f"x[:{n}]", f"x[{LENGTH - n}:]", self.number()]
        one = self.rng.choice([*fit, *fit, *fit, *known])
        other = self.rng.choice([*fit, *known])
        return self.pick(
            one,
            one,
            f"{one} * 0.9",
            f"np.sin({one})",
            f"{one} + {other}",
            f"{one} * {other} * 0.5",
            f"{one}.copy()" if one in fit else one,
        )

    def cond(self) -> str:
        """A question that only the run answers."""
        name, shape = self.array(1)
        k = self.rng.randrange(shape[0])
        return self.pick(
            f"{name}[{k}] > 0.137", f"np.sum({name}) < 1.733", "s > 0.5", "x[0] > 2.0", f"t < {self.rng.choice([0.511, 2.17])}"
        )

    # -- what one line may be

    def make(self) -> None:
        """A new array."""
        name = self.fresh()
        text, shape = self.rng.choice(
            [
                ("x * 1.0", (6,)),
                ("x.copy()", (6,)),
                ("np.zeros(6)", (6,)),
                ("np.array(x)", (6,)),
                ("np.outer(x[:2], x[3:])", (2, 3)),
                ("np.sin(x).reshape(2, 3)", (2, 3)),
                ("np.concatenate((x[:2], x[4:]))", (4,)),
                ("np.full(4, s)", (4,)),
                ("np.ones((2, 3))", (2, 3)),
                ("np.array([s, x[0], x[1] * s])", (3,)),
                ("x[::-1].copy()", (6,)),
                ("np.stack((x[:3], x[3:]))", (2, 3)),
                ("np.empty_like(x)", (6,)),
                ("np.cumsum(x)", (6,)),
                ("np.where(x > 0.2, x, s)", (6,)),
                ("np.tile(x[:3], 2)", (6,)),
                ("list(x)", (6,)),
            ]
        )
        if text == "list(x)":
            self.line(f"{name} = np.array([v * s for v in x])")
        else:
            self.line(f"{name} = {text}")
        if "empty" in text:
            self.line(f"{name}[:] = x")
        self.names[name] = shape

    def view(self) -> None:
        """Another name of the memory of an array."""
        base, shape = self.array()
        name, n = self.fresh("v"), shape[0]
        if len(shape) == 1:
            i = self.rng.randrange(max(n - 1, 1))
            options = [
                (f"{base}[{i}:]", (n - i,)),
                (f"{base}[:{i + 1}]", (i + 1,)),
                (f"{base}[::2]", ((n + 1) // 2,)),
                (f"{base}[::-1]", (n,)),
                (f"{base}[:]", (n,)),
                (f"np.asarray({base})", (n,)),
                (f"{base}.reshape(-1)", (n,)),
                (f"{base}.ravel()", (n,)),
                (f"{base}[None][0]", (n,)),
                (f"{base}.T", (n,)),
                (f"np.squeeze({base})", (n,)) if n > 1 else (f"{base}[:]", (n,)),
                (f"np.atleast_2d({base})", (1, n)),
                (f"{base}.view()", (n,)),
                (f"np.real({base})", (n,)),
                (f"{base}", (n,)),
                (f"first_of({base}, s)", (n,)),
                (f"{base}[...]", (n,)),
                (f"np.array({base}, copy=None)", (n,)),
            ]
            if n % 2 == 0:
                options += [(f"{base}.reshape(2, {n // 2})", (2, n // 2)), (f"np.split({base}, 2)[1]", (n // 2,))]
                options += [(f"{base}.reshape(2, -1).T", (n // 2, 2))]
        else:
            m = shape[1]
            options = [
                (f"{base}[{self.rng.randrange(n)}]", (m,)),
                (f"{base}[:, {self.rng.randrange(m)}]", (n,)),
                (f"{base}.T", (m, n)),
                (f"{base}.reshape(-1)", (n * m,)),
                (f"{base}.ravel()", (n * m,)),
                (f"{base}.T.reshape(-1)", (n * m,)),
                (f"{base}.T.ravel()", (n * m,)),
                (f"np.transpose({base})", (m, n)),
                (f"{base}[::-1]", (n, m)),
                (f"{base}[:, ::-1]", (n, m)),
                (f"{base}.swapaxes(0, 1)", (m, n)),
                (f"np.diagonal({base}).copy()", (min(n, m),)),
                (f"{base}.reshape({m}, {n})", (m, n)),
                (f"{base}[-1][:]", (m,)),
                (f"np.ravel({base}, order='F')", (n * m,)),
                (f"{base}.flatten()", (n * m,)),
                (f"np.moveaxis({base}, 0, 1)", (m, n)),
            ]
        text, found = self.rng.choice(options)
        self.line(f"{name} = {text}")
        self.names[name] = found

    def hold(self) -> None:
        """Something that holds an array."""
        base, shape = self.array()
        name = self.fresh("h")
        match self.rng.randrange(9):
            case 0:
                self.line(f"{name} = types.SimpleNamespace(v={base})")
                self.held.append((f"{name}.v", shape))
            case 1:
                self.line(f"{name} = [{base}, s]")
                self.held.append((f"{name}[0]", shape))
            case 2:
                self.line(f"{name} = {{'k': {base}}}")
                self.held.append((f"{name}['k']", shape))
            case 3:
                self.line(f"{name} = lambda q={base}: q")
                self.held.append((f"{name}()", shape))
            case 4:
                self.line(f"{name} = lambda: {base}")
                self.held.append((f"{name}()", shape))
            case 5:
                self.line(f"{name} = (t, {base})")
                self.held.append((f"{name}[1]", shape))
            case 6:
                self.line(f"{name} = functools.partial(first_of, {base})")
                self.held.append((f"{name}(s)", shape))
            case 7:
                other, second = self.array()
                self.line(f"{name} = {base} if {self.cond()} else {other}")
                if second == shape:
                    self.names[name] = shape
            case _:
                self.line(f"{name} = []")
                self.line(f"{name}.append({base})")
                self.held.append((f"{name}[-1]", shape))

    def write(self) -> None:
        """A change of an array where it is."""
        base, shape = self.array()
        n, k = shape[0], self.rng.randrange(shape[0])
        op = self.pick("=", "=", "+=", "*=", "-=")
        if len(shape) == 2:
            m = shape[1]
            i = self.rng.randrange(m)
            self.line(
                self.pick(
                    f"{base}[{k}] {op} {self.like((m,))}",
                    f"{base}[:, {i}] {op} {self.number()}",
                    f"{base}[{k}, {i}] {op} {self.number()}",
                    f"{base}[...] {op} {self.like(shape)}",
                    f"{base}.T[{i}] {op} {self.number()}",
                    f"{base}.flat[{i}] = {self.number()}",
                    f"{base}[{k}][{i}] {op} {self.number()}",
                    f"{base}[::-1] = {base}.copy()",
                    f"np.fill_diagonal({base}, {self.number()})",
                    f"np.multiply({base}, s, out={base})",
                    f"{base}[1:] += {base}[:-1]",
                    f"scale({base}, 1.1)",
                    f"{base}[0] = {base}[-1]",
                    f"{base}[:, 1:] = {base}[:, :-1]",
                    f"{base}[np.arange({n}), 0] {op} {self.number()}",
                    f"{base}[{base} > 0.613] = {self.number()}",
                    f"{base}.reshape(-1)[{i}] {op} {self.number()}",
                    f"for row in {base}: row *= 1.1",
                    f"np.add({base}, 0.1, out={base}, where={base} > 0.337)",
                )
            )
            return
        j = self.rng.randrange(n)
        self.line(
            self.pick(
                f"{base}[{k}] {op} {self.number()}",
                f"{base}[{k}:] {op} {self.like((n - k,))}",
                f"{base}[...] {op} {self.like(shape)}",
                f"{base}[1:] += {base}[:-1]",
                f"{base}[:-1] = {base}[1:]",
                f"{base}[1:] = {base}[:-1]",
                f"{base}[::-1] *= {self.like(shape)}",
                f"{base}.fill({self.number()})",
                f"np.copyto({base}, {self.like(shape)})",
                f"np.multiply({base}, {self.number()}, out={base})",
                f"np.add({base}[1:], {base}[:-1], out={base}[1:])",
                f"np.add({base}[1:], {base}[:-1], out={base}[:-1])",
                f"{base}.sort()",
                f"np.put({base}, [0, {k}], {self.number()})",
                f"{base}[[0, {k}]] {op} {self.number()}",
                f"{base}[{base} > 0.213] {op} 0.7",
                f"np.add.at({base}, [0, 0, {k}], {self.number()})",
                f"{base}[{k}], {base}[{j}] = {base}[{j}], {base}[{k}]",
                f"shifted({base})",
                f"scale({base}, {self.number()})",
                f"{base}[:] = {base}[::-1]",
                f"{base}{'' if base.isidentifier() and op != '=' else '[:]'} {op} {self.like(shape)}",
                f"{base}[{k}:][:1] {op} {self.number()}",
                f"np.cumsum({base}, out={base})",
                f"{base}[:] = np.sort({base})",
                f"{base}[{k}] = {base}[{j}] = {self.number()}",
                f"{base}.flat[{k}] {op} {self.number()}",
                f"np.clip({base}, -1.31, 1.37, out={base})",
                f"{base}.put({k}, {self.number()})",
                f"{base}[:] = np.roll({base}, 1)",
                f"np.negative({base}, out={base}, where={base} < -0.3171)",
                f"np.exp({base} * 0.3, {base})",
                f"np.place({base}, {base} > 0.417, [{self.number()}])",
            )
        )

    def read(self) -> None:
        """What the result takes of an array."""
        base, shape = self.array()
        if len(shape) == 1:
            n = shape[0]
            self.line(
                self.pick(
                    f"t = t + {base} @ C[:{n}]",
                    f"t += {base}[{self.rng.randrange(n)}] * s",
                    f"t = t * 0.5 + np.sum({base} ** 2) * 0.1",
                    f"t = np.sin(t) + {base}[-1]",
                )
            )
        else:
            self.line(
                self.pick(
                    f"t = t + np.sum({base} * {base}) * 0.1",
                    f"t += {base}[0, -1] * s",
                    f"t = t + np.sum({base} @ C[:{shape[1]}])",
                )
            )

    def rename(self) -> None:
        """Names that change places, or stand for something else."""
        same: dict[Shape, list[str]] = {}
        for name, shape in self.names.items():
            same.setdefault(shape, []).append(name)
        pairs = [names for names in same.values() if len(names) > 1]
        if not pairs:
            return self.make()
        one, other = self.rng.sample(self.rng.choice(pairs), 2)
        self.line(
            self.pick(f"{one}, {other} = {other}, {one}", f"{one} = {other}", f"{one} = {one} * 0.9", f"{one} = {other}.copy()")
        )
        return None

    # -- what stands around lines

    def block(self, depth: int, *before: str) -> None:
        """A few lines one step further in; what they name and hold is not known afterwards."""
        self.indent += 1
        names, held = dict(self.names), list(self.held)
        for text in before:
            self.line(text)
        for _ in range(self.rng.randrange(1, 4)):
            self.step(depth)
        self.names, self.held = names, held
        self.indent -= 1

    def around(self, depth: int) -> None:
        """A branch, a loop, a ``try``, a ``with`` or a function."""
        match self.rng.randrange(9):
            case 0 | 1:
                self.line(f"if {self.cond()}:")
                self.block(depth + 1)
                if self.rng.random() < 0.6:
                    self.line("else:")
                    self.block(depth + 1)
            case 2 | 3:
                k = self.fresh("k")
                self.line(f"for {k} in range({self.rng.choice([2, 3, 4])}):")
                self.block(depth + 1)
                if self.rng.random() < 0.5:
                    self.indent += 1
                    self.line(f"if {self.cond()}:")
                    self.line("    " + self.pick("break", "continue"))
                    self.write()
                    self.indent -= 1
                if self.rng.random() < 0.3:
                    self.line("else:")
                    self.block(depth + 1)
            case 4:
                k = self.fresh("k")
                self.line(f"{k} = 0")
                self.line(f"while {k} < 3 and t < {self.rng.choice([1.91, 5.3])}:")
                self.block(depth + 1, f"{k} += 1", "t = t + 0.21")
            case 5:
                self.line("try:")
                self.block(depth + 1)
                self.line("finally:")
                self.block(depth + 1)
            case 6:
                self.line("try:")
                self.block(depth + 1, f"if {self.cond()}:", "    raise ValueError")
                self.line("except ValueError:")
                self.block(depth + 1)
            case 7:
                base, _ = self.array()
                self.line(f"with scaled({base}) as {self.fresh('w')}:")
                self.block(depth + 1)
            case _:
                name, given = self.fresh("g"), self.fresh("p")
                base, shape = self.array()
                self.line(f"def {name}({given}):")
                names = dict(self.names)
                self.names = {given: shape}  # others would be the function's own where it binds them
                self.block(depth + 2, "nonlocal t")
                self.names = names
                self.line(f"{name}({base})")
                if self.rng.random() < 0.5:
                    self.line(f"{name}({self.like(shape)} * np.ones({shape}))")

    def step(self, depth: int) -> None:
        """One line, or several that belong together."""
        chance = self.rng.random()
        if chance < 0.12 and depth < 2:
            self.around(depth)
        elif chance < 0.22:
            self.make()
        elif chance < 0.40:
            self.view()
        elif chance < 0.50:
            self.hold()
        elif chance < 0.80:
            self.write()
        elif chance < 0.85:
            self.rename()
        else:
            self.read()


def text_of(number: int) -> str:
    """The program with a number."""
    draw = Draw(random.Random(number))
    draw.line("t = s * 0.3")
    draw.make()
    draw.make()
    draw.view()
    for _ in range(draw.rng.randrange(4, 11)):
        draw.step(0)
    for k, (name, _) in enumerate((*draw.names.items(), *draw.held)):
        draw.line(f"t = t + {0.3 + 0.1 * k:.1f} * np.sum(np.sin({name}))")
    draw.line("return t")
    return f"{PRELUDE}\ndef f(x, s):\n" + "\n".join(draw.lines) + "\n"


def cells() -> Iterator[Cell]:
    """The programs, by their numbers."""
    for number in range(COUNT):
        yield Cell(f"program {number:05d}", Written(text_of(number)), ARGS)
