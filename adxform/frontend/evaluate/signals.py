"""How specialisation leaves a path, starts again knowing more, or learns that a list grows."""

from __future__ import annotations

from dataclasses import dataclass
from types import CodeType
from typing import Any

from adxform.errors import AdxError
from adxform.frontend.evaluate.objects.object_contents import ListFamily
from adxform.frontend.evaluate.values import FoundOutside, PlaceOutside, Ref
from adxform.ir.ops import Var
from adxform.ir.spans import Span
from adxform.ir.types import Array, Scalar


class Unreachable(Exception):
    """What follows on this path is never reached."""


class Thrown(Exception):
    """This path ends with an exception that a ``try`` around it may handle: `error` is what only the run knows of it."""

    def __init__(self, error: Var) -> None:
        super().__init__("an exception is raised")
        self.error = error


class HeldAnew(Exception):
    """A list or dict is to be held another way while a ``try`` runs: `grows` says how, if it is known.

    `objects` are all that there are where an exception may be raised, in the order in which they were made.
    """

    def __init__(self, grows: Grows | None, objects: tuple[Ref, ...], error: AdxError) -> None:
        super().__init__("a list is held another way")
        self.grows = grows
        self.objects = objects
        self.error = error

    def among(self, now: tuple[Ref, ...]) -> Grows | None:
        """What is to be done in another run of the same ``try`` where the objects are `now`, once all that are meant are made."""
        assert self.grows is not None
        others = {ref: now[place] for place, ref in enumerate(self.objects[: len(now)])}
        if not others.keys() >= {self.grows.ref, *self.grows.together}:
            return None
        return self.grows.of(others[self.grows.ref], tuple([others[ref] for ref in self.grows.together]))


class Lost(Exception):
    """What is used here comes of what has been refused."""


class Restart(Exception):
    """Specialisation must start again, knowing more."""


class TooLong(Exception):
    """Code of packages makes the function too long to follow all its paths."""


class Unassumed(Exception):
    """A form that assumes lengths cannot be had of this function."""


class Promote(Restart):
    """These parameters must be known when compiling."""

    def __init__(self, params: frozenset[Var]) -> None:
        super().__init__("a parameter must be known when compiling")
        self.params = params


class Sets(Restart):
    """The program sets this place outside of the function, or reads it where only the paths to there tell what it holds."""

    def __init__(self, place: PlaceOutside) -> None:
        super().__init__("the program sets a place outside of the function")
        self.place = place


class Changes(Restart):
    """The program changes this list or dict from outside."""

    def __init__(self, found: FoundOutside) -> None:
        super().__init__("the program changes a container outside of the function")
        self.found = found


class Recursive(Restart):
    """A function calls itself with arguments of the same types."""

    def __init__(self, key: Any) -> None:
        super().__init__("a function calls itself")
        self.key = key


class AskedFor(Restart):
    """What a function of a package made that was given nothing that moves is called with what moves: its `code` is to be read."""

    def __init__(self, code: CodeType) -> None:
        super().__init__("what a function of a package makes is called")
        self.code = code


class PutAgain(Restart):
    """An object is put into a list that may have it already, and in which one is changed."""


class WalkedAgain(Restart):
    """Items of a generator, whose body begins at `place`, are asked for after a loop that may have left it early."""

    def __init__(self, place: Span) -> None:
        super().__init__("a generator that a loop has left is walked over again")
        self.place = place


@dataclass(frozen=True, slots=True)
class Kind:
    """What the items of a list are: of which type, if of one, and how deep they are lists themselves.

    `weak`: the numbers in them are Python's own. With `fields` they are tuples of class `cls`, with items of these kinds; or
    dicts or objects of that class with these `keys`.
    `objects`: they are texts, and what else a list of the run can hold.
    """

    type: Scalar | Array | None = None
    nested: int = 0
    weak: bool = False
    fields: tuple[Kind, ...] = ()
    cls: Any = tuple
    keys: tuple[Any, ...] | None = None
    objects: bool = False

    @property
    def is_known(self) -> bool:
        """Whether the items are of one kind that an array can hold, or a list of the run, or several of these."""
        return self.type is not None or self.objects or (bool(self.fields) and all(field.is_known for field in self.fields))


class Grows(Exception):
    """Control flow changes how many items a list or dict has.

    `regular`: all that happens is that one item is appended on each iteration of a loop. `rebound`: a name comes to hold another
    list. `reason`: what says why no array can hold the items, if that is known. `together`: of these lists the run chooses one.
    `family`: it comes to be one of these. `of_lists`: lists are appended to it, `uneven` ones, or `stored` where only a run
    knows. `keyed`: a dict gets keys that only a run knows. `of_objects`: its items are texts, and what else no array holds;
    of a set, they are `elements`.
    """

    def __init__(
        self,
        ref: Ref,
        item: Kind = Kind(),
        *,
        regular: bool = False,
        rebound: bool = False,
        reason: AdxError | None = None,
        together: tuple[Ref, ...] = (),
        family: ListFamily | None = None,
        of_lists: bool = False,
        stored: bool = False,
        uneven: bool = False,
        keyed: bool = False,
        of_objects: bool = False,
        elements: Any = None,
    ) -> None:
        super().__init__("a loop fills a list")
        self.reason = reason
        self.together = together
        self.family = family
        self.of_lists = of_lists
        self.stored = stored
        self.uneven = uneven
        self.keyed = keyed
        self.of_objects = of_objects
        self.elements = elements
        self.ref = ref
        self.item = item
        self.regular = regular
        self.rebound = rebound

    def of(self, ref: Ref, together: tuple[Ref, ...]) -> Grows:
        """The same of another list, or of others together with it."""
        found = Grows(ref, self.item, together=together, family=self.family, keyed=self.keyed)
        found.of_lists, found.stored, found.uneven = self.of_lists, self.stored, self.uneven
        found.of_objects, found.elements = self.of_objects, self.elements
        return found
