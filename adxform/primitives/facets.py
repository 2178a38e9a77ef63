"""The words in which a record says what a function is: each is what several stages ask about, and no stage's own."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, IntEnum, auto


class Sign(IntEnum):
    """What is known of a value that is not NaN; `ABOVE`: there is a number above zero that it is never below."""

    ANY = 0
    NOT_BELOW = 1
    ABOVE = 2


class Algebra(Enum):
    """Which of the operations of arithmetic a function is, under whatever name."""

    SUM = auto()
    DIFFERENCE = auto()
    NEGATION = auto()
    IDENTITY = auto()
    PRODUCT = auto()
    QUOTIENT = auto()
    POWER = auto()


ADDITIVE = frozenset({Algebra.SUM, Algebra.DIFFERENCE, Algebra.NEGATION, Algebra.IDENTITY})
"""What only adds up: its slopes are one and minus one."""


class Gives(Enum):
    """In which dtype an elementwise function computes, and so what it gives of one element."""

    SAME = auto()
    """That of its result, whichever: whole numbers of whole numbers, exactly."""
    FLOAT = auto()
    """That of its result, which is one of floats."""
    COMPARISON = auto()
    """A truth value, of operands of one dtype."""
    TEST = auto()
    """A truth value, of a float."""
    TRUTH = auto()
    """A truth value, of truth values."""
    POWER = auto()
    """As `FLOAT`, or as `SAME` where the exponent is a whole number that is not negative."""
    LOOP = auto()
    """That of the loop of a ufunc of SciPy's that takes its operands, each in a dtype of its own."""
    ORDER = auto()
    """As `FLOAT`, but for a first operand that is an order."""
    OWN = auto()
    """What `passes.arrays.lane_dtypes` has a form of its own for."""


class Kernel(Enum):
    """On which numbers a call in compiled code does what it does in Python."""

    NUMBERS = auto()
    """Whole numbers and floats."""
    FLOATS = auto()
    """Floats."""
    TRUTHS = auto()
    """Truth values."""
    FORM = auto()
    """Those that the form of its own takes that kernels have of it."""
    LOOP = auto()
    """Those that a loop of the ufunc, one of SciPy's, takes."""
    ORDER = auto()
    """Floats, ahead of which there may be a whole number, an order: those that its form takes, which is a series or the like."""


class Chooses(Enum):
    """What a function takes over into its result as it is, so that all else is left out."""

    EITHER = auto()
    """One of its two operands, element by element."""
    SOME = auto()
    """Some elements of an operand."""


class Reduces(Enum):
    """How a function makes fewer numbers of those along an axis, or running ones."""

    SUM = auto()
    MEAN = auto()
    PRODUCT = auto()
    LARGEST = auto()
    SMALLEST = auto()
    VARIANCE = auto()
    SPREAD = auto()
    LENGTH = auto()
    ANY = auto()
    ALL = auto()
    COUNT = auto()
    PLACE_OF_LARGEST = auto()
    PLACE_OF_SMALLEST = auto()
    FIRST_LARGEST = auto()
    """Its place, as Python finds it: NaN is larger than nothing."""
    FIRST_SMALLEST = auto()
    RUNNING_SUM = auto()
    RUNNING_PRODUCT = auto()
    PRESENT_SUM = auto()
    """Of what is not NaN."""
    PRESENT_MEAN = auto()
    EXACT_SUM = auto()
    """Rounded once."""
    TRACE = auto()
    """Of the diagonals of matrices."""
    SUM_LIKE = auto()
    """Over the axes along which another array does not extend."""


class Contracts(Enum):
    """Over which axes a function sums products of its operands."""

    MATMUL = auto()
    DOT = auto()
    INNER = auto()
    VDOT = auto()
    OUTER = auto()
    TENSORDOT = auto()
    EINSUM = auto()
    KRON = auto()
    CROSS = auto()
    CONVOLVE = auto()


class Moves(Enum):
    """Where a function that makes no new numbers puts those of its first argument."""

    RESHAPE = auto()
    """In one order into another shape."""
    LENGTHEN = auto()
    """The same, but for axes of length one."""
    TURN = auto()
    """Axes in another order."""
    FLIP = auto()
    """Axes backwards."""
    DIAGONAL = auto()
    SPREAD = auto()
    """Repeated along axes without a place of their own in memory."""
    SLIDE = auto()
    """In windows that overlap in memory."""
    COPY = auto()
    LAY_OUT = auto()
    """The same array, in another order of memory."""
    CONVERT = auto()
    """The same array, or number, as one of another kind."""
    JOIN = auto()
    REPEAT = auto()
    PICK = auto()
    PART = auto()
    """In their places, with zeros around them or without them."""
    SHIFT = auto()


class Views(Enum):
    """Whether what shares memory with an argument always does."""

    ALWAYS = auto()
    """In any order of memory, where it is an array."""
    BY_LAYOUT = auto()
    """A view where layout and dtype let it be one, a copy where they do not: only the run can tell."""


class Layout(Enum):
    """In which order of memory a new array lies."""

    ROW_BY_ROW = auto()
    AS_FIRST = auto()
    """As that of the first argument."""


@dataclass(frozen=True, slots=True)
class Fresh:
    """A new array that is `number` everywhere (``None``: it is not filled), or what the second argument says, if `given`.

    `like`: it has the shape, the dtype and the layout of the first argument, which is its shape otherwise.
    """

    number: float | None
    like: bool = False
    given: bool = False
