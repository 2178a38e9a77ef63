"""Specialises a function on a signature: untyped SSA in, typed SSA out, with what every call must read again and check."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from adxform.analysis.activity import find_activity
from adxform.errors import AdxError, GlobalMutationError, MissingRuleError, UnsupportedOperationError, together
from adxform.frontend.calls.program_functions import OUT_OF_DEPTH, TOO_DEEP
from adxform.frontend.evaluate.control_flow.first_path import path_of
from adxform.frontend.evaluate.records.knowledge import Knowledge
from adxform.frontend.evaluate.records.known_integers import FEW_LENGTHS
from adxform.frontend.evaluate.signals import (
    AskedFor,
    Changes,
    Grows,
    Promote,
    PutAgain,
    Recursive,
    Restart,
    Sets,
    TooLong,
    WalkedAgain,
)
from adxform.frontend.evaluate.state import Derive, Interpreter
from adxform.frontend.signature import (
    Signature,
)
from adxform.frontend.signature.access import Access
from adxform.frontend.specialisation import Specialisation
from adxform.frontend.specialized import Specialized
from adxform.ir.ops import Lit
from adxform.ir.packages import Left, Reading, is_installed, reading
from adxform.ir.spans import Span
from adxform.ir.types import is_inexact
from adxform.runtime.strict import way_back

__all__ = ["specialize"]

_RESTARTS = 200


def specialize(fn: Callable[..., Any], signature: Signature, leaves: Sequence[Any], derive: Derive) -> Specialized:
    """`fn` for calls that look like `signature`, of which `leaves` are one.

    Where code of an installed package has to be left to the run on both sides of its branches, and what it returns matters, it is
    followed on the path that this call takes.

    Raises: the located errors of `adxform.errors` for what cannot be followed.
    """
    tries = _Tries()
    found: Specialized | None = None
    refused: AdxError | None = None
    try:
        found = _settled(fn, signature, leaves, derive, tries)
    except AdxError as error:
        refused = error
    except TooLong:
        tries = _Tries(Knowledge(takes_all_paths=True))
    if refused is not None and not tries.in_packages:
        raise refused
    if found is None or (tries.in_packages and _lacks_a_rule(found)):
        by_path = _by_first_path(fn, signature, leaves, derive)
        if by_path is not None and (found is None or not _lacks_a_rule(by_path)):
            return by_path
    if refused is not None:
        raise refused
    return found or _settled(fn, signature, leaves, derive, tries)


def _by_first_path(fn: Callable[..., Any], signature: Signature, leaves: Sequence[Any], derive: Derive) -> Specialized | None:
    """`fn` with the branches in code of packages that this call takes; ``None`` where it is refused then as well."""
    try:
        found = _settled(fn, signature, leaves, derive, _Tries(Knowledge(takes_first_path=True)))
    except AdxError:
        return None
    return replace(found, path=path_of(found.function))


def _lacks_a_rule(found: Specialized) -> bool:
    """Whether what a function without a rule returns lies between what moves and the results."""
    function = found.function
    try:
        find_activity(function, [place for place, param in enumerate(function.params) if is_inexact(param.type)])
    except MissingRuleError:
        return True
    except AdxError:
        return False
    return False


def _settled(fn: Callable[..., Any], signature: Signature, leaves: Sequence[Any], derive: Derive, tries: _Tries) -> Specialized:
    """What comes of `tries`, each of which knows what those before it have learnt."""
    first: AdxError | None = None
    for _ in range(_RESTARTS):
        attempt = Specialisation(fn, signature, leaves, derive, tries.knowledge, tries.promoted, tries.lengths)
        attempt.interp.refused = None if first is None else []
        try:
            with reading(tries.left) as packages:
                found = attempt.run()
            if first is None:
                return replace(found, left=tuple(tries.in_packages)) if tries.in_packages else found
        except Restart as restart:
            _learn(attempt, restart)
            continue
        except TooLong:
            if first is None:
                raise
        except Exception as error:
            if first is None:
                if tries.has_another(attempt, error, packages):
                    continue
                if isinstance(error, RecursionError):
                    raise _refusal(error, attempt.interp.span) from error  # a larger stack may do: see `with_deep_stack`
                first = tries.knowing_less or tries.with_structures or _refusal(error, attempt.interp.span)
                tries.knowledge.follows_structures = True
                continue  # to see what else is refused; whatever fails where ops are missing counts for nothing
        raise together((first, *(attempt.interp.refused or ()), *tries.in_packages)) from first.__cause__
    raise UnsupportedOperationError("specialisation does not settle", help="simplify the function")


@dataclass(slots=True)
class _Tries:
    """What the tries of a specialisation have learnt, and what was refused in the first one of a kind."""

    knowledge: Knowledge = field(default_factory=Knowledge)
    promoted: dict[int, Lit] = field(default_factory=dict)
    lengths: dict[tuple[int, int], int] = field(default_factory=dict)
    left: Left = field(default_factory=Left)
    knowing_less: AdxError | None = None
    with_structures: AdxError | None = None
    undecided: _Undecided | None = None
    in_vain: set[tuple[str, int]] = field(default_factory=set)
    in_packages: list[AdxError] = field(default_factory=list)
    """What was refused first in code of an installed package, all of which may be left to the run in the end."""

    def has_another(self, attempt: Specialisation, error: Exception, packages: Reading) -> bool:
        """Whether there is another way than that of `attempt`, which ended by `error`: the next try takes it."""
        if _takes_another_way(attempt.interp):
            return True
        if isinstance(error, AdxError) and packages.read and self._decides_ahead_of_a_package(attempt, error):
            return True
        if isinstance(error, AdxError) and (left := _left_without(self.left, error, packages)) is not None:
            self.left = left
            if not self.in_packages and is_installed(error.span.file):
                self.in_packages.append(_of_package(error))
            return True
        unsupported = isinstance(error, UnsupportedOperationError)
        if (isinstance(error, AdxError) and _decides_more(attempt)) or (unsupported and _knows_more(attempt)):
            self.knowing_less = self.knowing_less or _refusal(error, attempt.interp.span)
            return True
        if isinstance(error, GlobalMutationError) and _leaves_new_alone(attempt.interp):
            self.knowing_less = self.knowing_less or _refusal(error, attempt.interp.span)
            return True
        if not isinstance(error, RecursionError) and _follows_less(attempt.interp):
            self.with_structures = _refusal(error, attempt.interp.span)
            return True
        return False

    def _decides_ahead_of_a_package(self, attempt: Specialisation, error: AdxError) -> bool:
        """Whether the next try knows which branches are taken ahead of a line of a package, at which this one was refused.

        Where that does not help, what was known before is known then, and no call compares more than it has to.
        """
        place, before = (error.span.file, error.span.line), self.undecided
        if before is not None and before.place == place:
            self.undecided = None
            self.in_vain.add(place)
            self.promoted, self.lengths = before.promoted, before.lengths
            self.knowledge.hidden, self.knowledge.lengths = before.hidden, before.hidden_lengths
            self.knowledge.knows_lengths = before.knows_lengths
            return False
        if place in self.in_vain:
            return False
        self.undecided = _Undecided(
            place,
            dict(self.promoted),
            dict(self.lengths),
            dict(self.knowledge.hidden),
            dict(self.knowledge.lengths),
            self.knowledge.knows_lengths,
        )
        return _decides_more(attempt) or (isinstance(error, UnsupportedOperationError) and _knows_more(attempt))


@dataclass(frozen=True, slots=True)
class _Undecided:
    """What was known before branches ahead of a place were decided."""

    place: tuple[str, int]
    promoted: dict[int, Lit]
    lengths: dict[tuple[int, int], int]
    hidden: dict[Access, Lit]
    hidden_lengths: dict[tuple[Access, int], int]
    knows_lengths: bool


def _left_without(left: Left, error: AdxError, packages: Reading) -> Left | None:
    """`left` without what `error` was raised of; ``None`` where there is nothing else to leave."""
    return left.without(error.span.file, error.span.line, packages, error.message)


def _of_package(error: AdxError) -> AdxError:
    """What is said of `error`, for which a function of a package is left to the run, beside what that is refused for."""
    return type(error)(f"code of a package, left to the run: {error.message}", span=error.span, help=error.help)


def _learn(attempt: Specialisation, restart: Restart) -> None:
    """Let the next try know what `restart` asks for."""
    knowledge = attempt.interp.knowledge
    match restart:
        case Promote(params=params):
            for param in params:
                attempt.promote(param)
        case Sets(place=place):
            knowledge.places[place.key] = place
        case Changes(found=found):
            knowledge.containers[id(found.value)] = found
        case Recursive(key=key):
            knowledge.recursive[key] = None
        case WalkedAgain(place=span):
            knowledge.walked_again[span] = None
        case AskedFor(code=code):
            knowledge.asked.add(code)
        case PutAgain():
            knowledge.put_again = True
        case _:
            raise restart


def _takes_another_way(interp: Interpreter) -> bool:
    """Whether there is another way with the containers and context managers of a failed try, which the next one takes."""
    knowledge = interp.knowledge
    if interp.collects:
        knowledge.writes_out = True
    elif interp.makes_counters and knowledge.follows_counters:
        knowledge.follows_counters = False
    elif interp.makes_deques:
        knowledge.follows_deques = True
    elif interp.adds_keys:
        knowledge.adds_keys = False
    elif interp.hands_managers and not knowledge.attends:
        knowledge.attends = True
    elif knowledge.counted and not knowledge.writes_calls:
        knowledge.writes_calls = True
        for key in knowledge.counted:
            knowledge.recursive.pop(key, None)
    else:
        return False
    return True


def _leaves_new_alone(interp: Interpreter) -> bool:
    """Whether the next try leaves classes with a `__new__` to the run: what it makes may be kept outside, as a singleton is."""
    if not (interp.begins_objects and interp.knowledge.follows_new):
        return False
    interp.knowledge.follows_new = False
    interp.knowledge.places.clear()  # those that `__new__` sets are no longer known to be set
    return True


def _decides_more(attempt: Specialisation) -> bool:
    """Whether the next try knows parameters that have a part in which branches are taken: this one, that failed, followed all."""
    known = len(attempt.promoted), len(attempt.interp.knowledge.hidden)
    for param in attempt.interp.integers.part_of_branches:
        attempt.promote(param)
    return (len(attempt.promoted), len(attempt.interp.knowledge.hidden)) != known


_FEW_NUMBERS = 128
"""How many numbers from outside are known at most, where nothing else helps: each call compares them."""


def _knows_more(attempt: Specialisation) -> bool:
    """Whether the next try knows short lengths of arguments, or else numbers from outside, which this one had left open."""
    knowledge, params = attempt.interp.knowledge, attempt.short_lengths(FEW_LENGTHS)
    if knowledge.knows_lengths or not params:
        params = attempt.numbers_from_outside()
        if not params or len(params) + len(knowledge.hidden) > _FEW_NUMBERS:
            return False
    else:
        knowledge.knows_lengths = True
    for param in params:
        attempt.promote(param)
    return True


def _follows_less(interp: Interpreter) -> bool:
    """Whether a failed try has followed records or structured arrays, which the next one leaves to the run."""
    knowledge = interp.knowledge
    if interp.makes_records:
        knowledge.follows_records = False
    elif interp.makes_structures:
        knowledge.follows_structures = False
    else:
        return False
    return True


def _refusal(error: Exception, span: Span) -> AdxError:
    """What is said of `error`, which ended a specialisation at `span`."""
    match error:
        case AdxError():
            return error
        case RecursionError():
            return UnsupportedOperationError(TOO_DEEP, span=span, help=OUT_OF_DEPTH)
        case Grows(reason=AdxError() as reason):
            return reason
        case Grows():
            message = f"how many items this {error.ref.cls.__name__} has cannot be told"
            return UnsupportedOperationError(message, span=span, help="fill it in a plain loop")
        case AssertionError() | AttributeError() | LookupError() | TypeError() | ValueError():
            way_back(error)
            message = f"adxform cannot follow this: {type(error).__name__}: {error}"
            found = UnsupportedOperationError(message, span=span, help="write it another way, and report it")
            found.__cause__ = error
            return found
        case _:
            raise error
