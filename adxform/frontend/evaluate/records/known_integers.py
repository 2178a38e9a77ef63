"""What is known of the lengths of arrays and of the integers that are such lengths."""

from __future__ import annotations

from collections.abc import Iterable

from adxform.frontend.evaluate.values import Value
from adxform.ir.linear_forms import LinearForm
from adxform.ir.ops import Lit, Operand, Var
from adxform.ir.types import INT, Array, Dim, Scalar, Size, Type
from adxform.ir.walk import Names, variables

FEW_LENGTHS = 8
"""How long arguments are at most of which a program is written out, where nothing else helps."""


class KnownIntegers:
    """Lengths, by the bases of their names, and integers: which length each is, and what it follows from."""

    def __init__(self, names: Names) -> None:
        self._names = names
        self.bases: list[str] = []
        """The bases of all lengths, as they came to be."""
        self.uneven: set[str] = set()
        """Bases of lengths of lists that differ from one iteration or path to the next."""
        self.of_arguments: dict[str, frozenset[Var]] = {}
        """What decides on a length, by its base, where that is lengths of arguments, each of which a variable stands for."""
        self.few: set[Var] = set()
        """Those of these variables that stand for lengths of up to `FEW_LENGTHS`."""
        self.sizes: dict[Var, Dim] = {}
        """The length that an integer is, where it is used as one: zero, where the integer is below."""
        self.counted: set[Var] = set()
        """Those of these integers that are not below zero."""
        self.cut_at_zero: set[Var | str] = set()
        """Those that need not be the sum of base and offset of that length, and bases of lengths that need not be."""
        self.within: dict[Var, Size] = {}
        """Below which length an integer is that is not negative: the index of a loop over that."""
        self.origins: dict[Var, frozenset[Var]] = {}
        """The parameters that an integer follows from, which may be known when compiling, if nothing else does."""
        self.partly: dict[Var, frozenset[Var]] = {}
        """Those of the parameters that have a part in what a value is, beside what only the run knows."""
        self.part_of_branches: frozenset[Var] = frozenset()
        """So with the conditions of branches: where paths do not join, knowing them may leave one."""
        self.of_lengths: dict[Var, frozenset[Var]] = {}
        """So with integers that follow from lengths of arguments too: these are known where nothing else helps."""
        self.forms: dict[Var, LinearForm] = {}
        """What integers of Python's are in terms of others."""
        self.counts: dict[str, LinearForm] = {}
        """So with lengths that integers are."""

    def note_argument(self, base: str, length: int) -> None:
        """Note that the length `base` is one of an argument, and how long that is."""
        var = Var(base, INT)
        self.of_arguments[base] = frozenset((var,))
        if length <= FEW_LENGTHS:
            self.few.add(var)

    def fresh_dim(self) -> Dim:
        """A length of which nothing is known."""
        return self._length("?")

    def uneven_dim(self) -> Dim:
        """A length of which nothing is known but that it is another one on each path or iteration."""
        length = self.fresh_dim()
        self.uneven.add(length.base)
        return length

    def is_uneven(self, type_: Type | None) -> bool:
        """Whether arrays of this type differ in how many rows they have, from one iteration or path to the next."""
        size = type_.shape[0] if isinstance(type_, Array) and type_.shape else None
        return isinstance(size, Dim) and size.base in self.uneven

    def dim_of(self, value: Value) -> Dim | None:
        """The length that an integer variable is, where it is used as one."""
        if not isinstance(value, Var) or not isinstance(value.type, Scalar):
            return None
        if value not in self.sizes:
            self.sizes[value] = self._length("?" + value.base)
            form = self.form(value)
            if form is not None:
                self.counts[self.sizes[value].base] = form
        return self.sizes[value]

    def form(self, operand: Operand) -> LinearForm | None:
        """An integer of Python's in terms of others; ``None`` for anything else."""
        match operand:
            case Lit(value) if type(value) is int:
                return LinearForm(value)
            case Var(type=type_) if type_ == INT:
                return self.forms.get(operand, LinearForm(0, ((operand, 1),)))
            case _:
                return None

    def followed(self, value: Var) -> frozenset[Var]:
        """The parameters, and lengths of arguments, that an integer follows from, if nothing else does."""
        return self.origins.get(value) or self.of_lengths.get(value, frozenset())

    def note_part(self, out: Var, sources: Iterable[Operand]) -> None:
        """Note which parameters have a part in `out`, which is made of `sources`: a question of each op, where any are known."""
        if not self.origins:
            return
        found: frozenset[Var] = frozenset()
        for source in sources:
            for var in variables(source):
                found |= self.part_of(var)
        if found:
            self.partly[out] = found

    def part_of(self, value: Var) -> frozenset[Var]:
        """The parameters known to have a part in `value`."""
        return self.origins.get(value) or self.partly.get(value, frozenset())

    def _length(self, hint: str) -> Dim:
        base = self._names.fresh(hint)
        self.bases.append(base)
        return Dim(base)
