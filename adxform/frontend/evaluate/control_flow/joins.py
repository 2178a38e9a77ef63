"""Where paths meet: the template of a value that comes from one of two places."""

from __future__ import annotations

import enum
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from adxform.frontend.evaluate.control_flow import joined_objects
from adxform.frontend.evaluate.control_flow.joined_objects import Joins, Paths
from adxform.frontend.evaluate.control_flow.joined_types import join_dtypes, join_types, number_type
from adxform.frontend.evaluate.control_flow.templates import (
    Built,
    Slot,
    Template,
    has_slots,
    in_parts,
    is_optional,
    one_or_several,
    thing_key,
    what_is_there,
)
from adxform.frontend.evaluate.objects.functions_apart import NUMBER, code_key, is_choosable, is_function, is_number, of_class
from adxform.frontend.evaluate.objects.heap import Heap
from adxform.frontend.evaluate.objects.value_parts import parts_of, with_parts
from adxform.frontend.evaluate.values import (
    ENDED,
    FunctionValue,
    Maybe,
    Method,
    Once,
    OneOf,
    Poison,
    Ref,
    Static,
    Tuple,
    Value,
    is_undefined,
)
from adxform.ir.kinds import scalar_type
from adxform.ir.ops import Lit, Var
from adxform.ir.types import BOOL, INT, Array, Dim, Object, Scalar, Size, Type


class _InOneAnother(Exception):
    """Objects hold one another, so that there is no end to what there is to merge."""


_IN_ONE_ANOTHER = Poison(
    "it is one of several objects that hold one another", way="keep places in a list in place of the objects"
)


def same(a: Value, b: Value) -> bool:
    """Whether two values are one and the same."""
    if a is b:
        return True
    match a, b:
        case (Var(), Var()) | (Lit(), Lit()):
            return a == b
        case Tuple(items, cls), Tuple(others, other_cls):
            return cls is other_cls and len(items) == len(others) and all(map(same, items, others))
        case (FunctionValue() | Method() | OneOf() | Ref() | Poison(), _):
            return False
        case _:
            return type(a) is type(b) and a == b


class Joiner(Joins):
    """Merges values; `fresh` gives new lengths.

    In a loop, `owned` are the bases of lengths that are the loop's own, and `local` tells those that exist in its body only.
    """

    def __init__(
        self,
        fresh: Callable[[], Dim],
        *,
        owned: set[str] | None = None,
        local: Callable[[Dim], bool] | None = None,
        params: frozenset[Var] = frozenset(),
        lengths: frozenset[Var] = frozenset(),
        keeps_axes: bool = False,
        collects: bool = False,
    ) -> None:
        self.fresh = fresh
        self.collects = collects
        self.params = params
        self.decided = params or lengths
        """What decides on the path, parameters or lengths of arguments: it is known when compiling where values do not join."""
        self.keeps_axes = keeps_axes
        """Whether arrays of several numbers of axes do not join either: lengths decide on the path that may well be known."""
        self.merging: list[tuple[Ref, Ref]] = []
        """The objects that are being merged, each within the one before."""
        self.owned = owned
        self.local = local

    def generalise(self, value: Value, *, numbers: bool) -> Template:
        """The template of `value` alone: variables, and with `numbers` literal numbers, become slots."""
        match value:
            case Var(_, Object()) if numbers and self.owned is not None:  # of a loop that may leave it as it is
                return value
            case Var(_, type_):
                return Slot(self._globalised(type_))
            case Lit(literal) if numbers and scalar_type(literal) is not None:
                return Slot(scalar_type(literal) or Object())
            case _:
                return in_parts(value, lambda part: self.generalise(part, numbers=numbers))

    def escape(self, value: Value, heap: Heap, old: Heap) -> Template:
        """As `generalise`, for a value that only one path has: objects made on that path are made anew after it."""
        if isinstance(value, Ref) and value not in old.contents:
            return joined_objects.escape(self, value, heap, old)
        if isinstance(value, Once) and value.state not in old.contents:
            return Poison("it is an iterator that is made on one path only")
        if isinstance(value, Var):
            return self.generalise(value, numbers=False)
        return in_parts(value, lambda part: self.escape(part, heap, old))

    def merge(self, a: Template, b: Template, paths: Paths) -> Template:
        """The template of a value that is `a` on the left path of `paths` or `b` on its right one."""
        if isinstance(a, Poison) or isinstance(b, Poison):
            return a if isinstance(a, Poison) else b
        if is_undefined(a):
            return b if is_undefined(b) else self.escape(b, paths.right, paths.before)
        if is_undefined(b):
            return a if has_slots(a) else self.escape(a, paths.left, paths.before)
        if not isinstance(a, Slot | Built) and same(a, b):
            return a
        if not self.params and (is_optional(a) or is_optional(b)):
            value = self.merge(what_is_there(a), what_is_there(b), paths)
            return value if isinstance(value, Poison) else Maybe(Slot(BOOL), value)  # type: ignore[arg-type]
        left, right = number_type(a), number_type(b)
        if left is not None and right is not None:
            joined = self._join(left, right)
            if joined is None or (self.keeps_axes and _loses_axes(joined, left, right)):
                return Poison(_differ(left, right), self.decided)
            return Slot(joined)
        return self._merge_structures(a, b, paths)

    def _merge_structures(self, a: Template, b: Template, paths: Paths) -> Template:
        match a, b:
            case Tuple(items, cls), Tuple(others, other) if cls is other and len(items) == len(others):
                return Tuple(self.merge_all(items, others, paths), cls)
            case FunctionValue(fn), FunctionValue(other) if fn is other:
                return self._merge_functions(a, b, paths)
            case Method(), Method() if _bound_alike(a, b):
                return self._merge_functions(a, b, paths)
            case Ref() | Built(), Ref() if not self._may_be_either(a, b):
                return self._merge_objects(a, b, paths)
            case _ if is_function(a) and is_function(b) and not self.decided:
                return self._merge_one_of(a, b, paths)
            case _ if _is_word(a) and _is_word(b) and not self.decided:
                return Slot(Object())
            case _ if self._may_choose(a, b):
                return self._merge_one_of(a, b, paths)
            case _:
                return Poison(f"it is {_kind(a)} on one path and {_kind(b)} on another", self.decided)

    def _may_choose(self, a: Template, b: Template) -> bool:
        """Whether the run may have one or the other; of tuples not in a loop, which is written out where it adds to one."""
        grows = self.owned is not None and isinstance(a, Tuple) and isinstance(b, Tuple)
        return not self.decided and not grows and _may_be_one_of(a) and _may_be_one_of(b) and _may_meet(a, b)

    def _may_be_either(self, a: Ref | Built, b: Ref) -> bool:
        """Whether two objects are of different classes, of which the run may have one or the other."""
        return a.kind == b.kind == "instance" and a.cls is not b.cls and not self.decided

    def _merge_objects(self, a: Ref | Built, b: Ref, paths: Paths) -> Template:
        """The template of one of two objects; of those that hold one another, cells and their neighbours, which one it is."""
        if isinstance(a, Built):
            return joined_objects.merge(self, a, b, paths)
        if (a, b) in self.merging:
            raise _InOneAnother
        self.merging.append((a, b))
        try:
            return joined_objects.merge(self, a, b, paths)
        except _InOneAnother:
            several = [not self.decided and _were_there(paths, *pair) for pair in self.merging]
            if any(several[:-1]):  # the outermost objects are kept as they are
                raise
            return self._merge_one_of(a, b, paths) if several[-1] else _IN_ONE_ANOTHER
        finally:
            self.merging.pop()

    def _merge_one_of(self, a: Template, b: Template, paths: Paths) -> Template:
        """The template of one of several functions, or objects from outside, of which a run knows which it is."""
        left, right = ({_key_of(part, paths): part for part in one_or_several(one)} for one in (a, b))
        chosen: tuple[Template, ...] = tuple(part for one in (a, b) if isinstance(one, OneOf) for part in one.things)
        if any(_key_of(part, paths) != thing_key(part) for part in chosen if not isinstance(part, Built)):
            return Poison("it is one of several objects, of which a path has made some")
        things: list[Template] = []
        for code, thing in left.items():
            if code in right:
                things.append(self.merge(thing, right[code], paths))
            else:
                things.append(thing if has_slots(thing) else self.escape(thing, paths.left, paths.before))
        things += [self.escape(thing, paths.right, paths.before) for code, thing in right.items() if code not in left]
        if isinstance(a, OneOf) and a.which == Slot(INT) and a.things == tuple(things):
            return a  # functions are compared by identity
        failed = next((thing for thing in things if isinstance(thing, Poison)), None)
        return failed or OneOf(Slot(INT), tuple(things))  # type: ignore[arg-type]

    def _merge_functions(self, a: FunctionValue | Method, b: FunctionValue | Method, paths: Paths) -> Template:
        """The template of functions of one code: of what they captured, their defaults and what is bound to them."""
        held = parts_of(a)
        merged = self.merge_all(held, parts_of(b), paths)
        if isinstance(a, Method) and isinstance(merged[0], Poison):
            return merged[0]
        if isinstance(a, FunctionValue) and isinstance(b, FunctionValue) and a.turn not in (b.turn, ENDED):
            a = replace(a, turn=ENDED)
        if isinstance(a, FunctionValue) and isinstance(b, FunctionValue) and a.own is not b.own and a.own is not None:
            a = replace(a, own=None)
        return a if merged == held else with_parts(a, merged)  # functions are compared by identity

    def merge_all(self, left: tuple[Template, ...], right: tuple[Template, ...], paths: Paths) -> tuple[Template, ...]:
        """The templates of values of which each is in `left` on one path and in `right` on the other."""
        return tuple(self.merge(a, b, paths) for a, b in zip(left, right, strict=True))

    def _join(self, a: Type, b: Type) -> Type | None:
        owned = self.owned
        if owned is None or not (isinstance(a, Array) and isinstance(b, Array)) or a.shape is None or b.shape is None:
            return join_types(a, b, self.fresh)
        if len(a.shape) != len(b.shape):
            return join_types(a, b, self.fresh)
        dtype = join_dtypes(a, b)
        return Array(dtype, tuple(self._own(n, m, owned) for n, m in zip(a.shape, b.shape, strict=True)))

    def _own(self, n: Size, m: Size, owned: set[str]) -> Size:
        if n == m or (isinstance(n, Dim) and n.base in owned):
            return n
        dim = self.fresh()
        owned.add(dim.base)
        return dim

    def _globalised(self, type_: Type) -> Type:
        """`type_` with the lengths that exist only inside the loop body made the loop's own."""
        local, owned = self.local, self.owned
        if local is None or owned is None or not isinstance(type_, Array) or type_.shape is None:
            return type_
        shape = tuple(
            self._own(1, n, owned) if isinstance(n, Dim) and local(n) and n.base not in owned else n for n in type_.shape
        )
        return Array(type_.dtype, shape)


def _were_there(paths: Paths, *objects: Ref) -> bool:
    """Whether there were these objects before the `paths`, each made by one statement."""
    return all(one.kind == "instance" and one in paths.before.contents and not one.shared for one in objects)


def _may_be_one_of(value: Template) -> bool:
    """Whether a run may choose `value` among things of other kinds: a function, an object, a number, a list or a tuple."""
    if isinstance(value, Ref | Built):
        return value.kind in ("instance", "list", "dict")
    return is_choosable(value) or isinstance(value, Tuple | Slot) or is_number(value)


def _may_meet(a: Template, b: Template) -> bool:
    """Whether a run may choose between both: between a number and what is made by the function, but nothing from outside."""
    things = (*one_or_several(a), *one_or_several(b))
    held = isinstance(a, Static) or isinstance(b, Static) or any(isinstance(one, Static) for one in things)
    return not held or not any(isinstance(one, Slot) or is_number(one) for one in things)


def _key_of(thing: Template, paths: Paths) -> Any:
    """What tells `thing` apart where `paths` meet: of what one of them has made, the class."""
    made = isinstance(thing, Ref) and thing not in paths.before.contents
    return of_class(thing.cls) if made or isinstance(thing, Built) else thing_key(thing)


def _bound_alike(a: Method, b: Method) -> bool:
    """Whether as many arguments are bound to both, under the same names; and to two functions things of one kind."""
    names = [[name for name, _ in method.kwargs] for method in (a, b)]
    if len(a.args) != len(b.args) or names[0] != names[1] or a.partial is not b.partial:
        return False
    return code_key(a.fn) == code_key(b.fn) or not a.args or _bound_class(a) == _bound_class(b)


def _bound_class(method: Method) -> object:
    """What kind of thing comes first in what is bound to `method`."""
    first: Any = method.args[0]
    if isinstance(first, Ref | Built):
        return first.cls
    return NUMBER if isinstance(first, Slot) or is_number(first) else type(first)


def _is_word(value: Template) -> bool:
    """Whether `value` is a text, a member of an enumeration, or an object of the run."""
    match value:
        case Lit(found) | Static(found):
            return type(found) in (str, bytes) or isinstance(found, enum.Enum)
        case _:
            return number_type(value) == Object()


def _kind(value: Any) -> str:
    match value:
        case Lit(None):
            return "None"
        case Slot(type_) | Var(_, type_):
            return _type_name(type_)
        case Lit(literal):
            return f"the {type(literal).__name__} {literal!r}"
        case Tuple(items):
            return f"a tuple of {len(items)}"
        case Ref(cls=cls) | Built(cls=cls):
            return f"a {cls.__name__}"
        case FunctionValue() | Method() | OneOf():
            return "a function"
        case Once():
            return "an iterator"
        case _:
            return "another object"


def _type_name(type_: Type) -> str:
    match type_:
        case Scalar(dtype):
            return f"a {dtype}"
        case Array(dtype):
            return f"a {dtype} array"
        case _:
            return "an object"


def _loses_axes(joined: Type, *types: Type) -> bool:
    """Whether nothing tells how many axes there are of what is of one of `types`, though each of these does."""
    return isinstance(joined, Array) and joined.shape is None and not any(isinstance(t, Array) and t.shape is None for t in types)


def _differ(a: Type, b: Type) -> str:
    return f"it is {_type_name(a)} on one path and {_type_name(b)} on another"
