"""Where paths meet: the template of a value that comes from one of two places."""

from __future__ import annotations

import collections
import enum
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

from adxform.frontend.evaluate.contents import (
    Collected,
    Columns,
    Contents,
    Doubtful,
    HeldByRun,
    Keyed,
    Portion,
    Portions,
    SetElements,
    in_doubt,
)
from adxform.frontend.evaluate.control_flow.templates import (
    NOT_THERE,
    Built,
    Slot,
    Template,
    has_slots,
    is_optional,
    what_is_there,
)
from adxform.frontend.evaluate.function_parts import bound_in, code_of, is_function, with_bound
from adxform.frontend.evaluate.heap import NO_OTHERS, Heap, Originals
from adxform.frontend.evaluate.values import (
    ENDED,
    FunctionValue,
    Maybe,
    Method,
    Once,
    OneFunction,
    Poison,
    Ref,
    Static,
    Tuple,
    Value,
    is_undefined,
)
from adxform.ir.kinds import alternatives, one_of, scalar_type
from adxform.ir.ops import Lit, Var
from adxform.ir.types import BOOL, INT, Array, Dim, Object, Scalar, Size, Type, is_inexact

_HALF_FILLED = Poison("it is a list that a loop is filling on one path only")

_OF_TUPLES = Poison("it is a list of tuples whose length only a run can tell, and another kind of list on another path")

_OF_KEYS = Poison("it is a dict of which only a run can tell the keys, and another one on another path")

_OF_OBJECTS = Poison("it is a list of objects of which only a run can tell how many there are, and another one on another path")

OF_PORTIONS = Poison("it is one of several lists of which only a run can tell which is taken, and another one on another path")


def join_types(a: Type, b: Type, fresh: Callable[[], Dim]) -> Type | None:
    """The type of a value of type `a` or `b`; ``None`` when there is none that loses nothing."""
    if a == b:
        return a
    match a, b:
        case Scalar(), Scalar():
            return one_of((a, b))
        case (Array(), Scalar()) | (Scalar(), Array()) | (Array(), Array()):
            dtype = _join_dtypes(a, b)
            shapes = [type_.shape if isinstance(type_, Array) else () for type_ in (a, b)]
            first, second = shapes
            if isinstance(a, Scalar) or isinstance(b, Scalar) or first is None or second is None or len(first) != len(second):
                return Array(dtype, None)
            return Array(dtype, tuple(n if n == m else fresh() for n, m in zip(first, second, strict=True)))
        case (Object(), other) | (other, Object()):
            return None if is_inexact(other) else Object()
        case _:
            return None


def _join_dtypes(a: Type, b: Type) -> str:
    assert isinstance(a, Scalar | Array)
    assert isinstance(b, Scalar | Array)
    parts = [kind for t in (a, b) for kind in (alternatives(t) if isinstance(t, Scalar) else (Scalar(t.dtype),))]
    return one_of(parts).dtype


def same(a: Value, b: Value) -> bool:
    """Whether two values are one and the same."""
    if a is b:
        return True
    match a, b:
        case (Var(), Var()) | (Lit(), Lit()):
            return a == b
        case Tuple(items, cls), Tuple(others, other_cls):
            return cls is other_cls and len(items) == len(others) and all(map(same, items, others))
        case (FunctionValue() | Method() | OneFunction() | Ref() | Poison(), _):
            return False
        case _:
            return type(a) is type(b) and a == b


def number_type(value: Template) -> Type | None:
    """The type of a number, an array or an opaque variable; ``None`` for structures and other statics."""
    match value:
        case Slot(type_) | Var(_, type_):
            return type_
        case Lit(literal):
            return scalar_type(literal)
        case _:
            return None


@dataclass(frozen=True, slots=True)
class Paths:
    """The heaps of two paths, and the one `before` they parted."""

    left: Heap
    right: Heap
    before: Heap


class Joiner:
    """Merges values; `heap_of` gives the contents of objects on either side, `fresh` new lengths.

    `collects`: lists are arrays of items that have kinds of their own where they are known one by one.
    """

    def __init__(
        self,
        fresh: Callable[[], Dim],
        *,
        owned: set[str] | None = None,
        local: Callable[[Dim], bool] | None = None,
        params: frozenset[Var] = frozenset(),
        lengths: frozenset[Var] = frozenset(),
        collects: bool = False,
    ) -> None:
        self.fresh = fresh
        self.collects = collects
        self.params = params
        self.decided = params or lengths
        """What decides on the path, parameters or lengths of arguments: it is known when compiling where values do not join."""
        self.owned = owned
        self.local = local

    def generalise(self, value: Value, heap: Heap, *, numbers: bool) -> Template:
        """The template of `value` alone: variables, and with `numbers` literal numbers, become slots."""
        match value:
            case Var(_, type_):
                return Slot(self._globalised(type_))
            case Lit(literal) if numbers and scalar_type(literal) is not None:
                return Slot(scalar_type(literal) or Object())
            case Tuple(items, cls):
                return Tuple(tuple(self.generalise(item, heap, numbers=numbers) for item in items), cls)
            case Maybe(_, held):
                return Maybe(Slot(BOOL), self.generalise(held, heap, numbers=numbers))  # type: ignore[arg-type]
            case OneFunction(_, functions):
                return OneFunction(Slot(INT), tuple(self.generalise(part, heap, numbers=numbers) for part in functions))  # type: ignore[arg-type]
            case FunctionValue() | Method():
                return with_bound(value, (self.generalise(part, heap, numbers=numbers) for part in bound_in(value)))
            case _:
                return value

    def escape(self, value: Value, heap: Heap, old: Heap) -> Template:
        """As `generalise`, for a value that only one path has: objects made on that path are made anew after it."""
        if isinstance(value, Ref) and value not in old.contents:
            contents: Any = heap.contents[value]
            if isinstance(contents, Poison):
                return contents
            if isinstance(contents, Collected) and not contents.done:
                return _HALF_FILLED
            if isinstance(contents, Portions):
                return OF_PORTIONS
            if isinstance(contents, Keyed):
                return _OF_KEYS
            originals = self._originals([value], heap, old)
            if isinstance(contents, Doubtful):
                return Built(value.kind, value.cls, (), (self.escaped(contents, heap, old),), value.meta, originals)
            if isinstance(contents, Portion):
                return self._named(value, contents, self.generalise(contents.place, heap, numbers=True), old, originals)
            if isinstance(contents, Collected):
                return Built(value.kind, value.cls, (), (self.rows(contents),), value.meta, originals)
            if isinstance(contents, HeldByRun):
                held = HeldByRun(Slot(Object()), contents.of)  # type: ignore[arg-type]
                return Built(value.kind, value.cls, (), (held,), value.meta, originals)
            if isinstance(contents, Columns):
                columns = _columns(contents, tuple(self.escape(part, heap, old) for part in contents.lists))
                if isinstance(columns, Poison):
                    return columns
                return Built(value.kind, value.cls, (), (columns,), value.meta, originals)
            items = tuple(self.escape(item, heap, old) for item in contents.items)
            return Built(value.kind, value.cls, contents.keys, items, value.meta, originals)
        if isinstance(value, Once) and value.state not in old.contents:
            return Poison("it is an iterator that is made on one path only")
        if isinstance(value, Maybe):
            return Maybe(Slot(BOOL), self.escape(value.value, heap, old))  # type: ignore[arg-type]
        if isinstance(value, Tuple):
            return Tuple(tuple(self.escape(item, heap, old) for item in value.items), value.cls)
        if isinstance(value, OneFunction):
            functions = tuple(self.escape(part, heap, old) for part in value.functions)
            return OneFunction(Slot(INT), functions)  # type: ignore[arg-type]
        if isinstance(value, FunctionValue | Method):
            return with_bound(value, (self.escape(part, heap, old) for part in bound_in(value)))
        return self.generalise(value, heap, numbers=False)

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
            return Poison(_differ(left, right), self.decided) if joined is None else Slot(joined)
        return self._merge_structures(a, b, paths)

    def _merge_structures(self, a: Template, b: Template, paths: Paths) -> Template:
        match a, b:
            case Tuple(items, cls), Tuple(others, other) if cls is other and len(items) == len(others):
                return Tuple(self._merge_all(items, others, paths), cls)
            case FunctionValue(fn), FunctionValue(other) if fn is other:
                return self._merge_functions(a, b, paths)
            case Method(), Method() if _bound_alike(a, b):
                return self._merge_functions(a, b, paths)
            case Ref() | Built(), Ref():
                return self._merge_objects(a, b, paths)
            case _ if is_function(a) and is_function(b) and not self.decided:
                return self._merge_one_function(a, b, paths)
            case _ if _is_word(a) and _is_word(b) and not self.decided:
                return Slot(Object())
            case _:
                return Poison(f"it is {_kind(a)} on one path and {_kind(b)} on another", self.decided)

    def _merge_one_function(self, a: Template, b: Template, paths: Paths) -> Template:
        """The template of one of several functions, of which a run knows which it is."""
        left, right = (
            {code_of(part): part for part in (one.functions if isinstance(one, OneFunction) else (one,))} for one in (a, b)
        )
        functions: list[Template] = []
        for code, function in left.items():
            if code in right:
                functions.append(self.merge(function, right[code], paths))
            else:
                functions.append(function if has_slots(function) else self.escape(function, paths.left, paths.before))
        functions += [self.escape(function, paths.right, paths.before) for code, function in right.items() if code not in left]
        if isinstance(a, OneFunction) and a.which == Slot(INT) and a.functions == tuple(functions):
            return a  # functions are compared by identity
        failed = next((function for function in functions if isinstance(function, Poison)), None)
        return failed or OneFunction(Slot(INT), tuple(functions))  # type: ignore[arg-type]

    def _merge_functions(self, a: FunctionValue | Method, b: FunctionValue | Method, paths: Paths) -> Template:
        """The template of functions of one code: of what they captured, their defaults and what is bound to them."""
        held = bound_in(a)
        merged = self._merge_all(held, bound_in(b), paths)
        if isinstance(a, Method) and isinstance(merged[0], Poison):
            return merged[0]
        if isinstance(a, FunctionValue) and isinstance(b, FunctionValue) and a.turn not in (b.turn, ENDED):
            a = replace(a, turn=ENDED)
        return a if merged == held else with_bound(a, merged)  # functions are compared by identity

    def _merge_all(self, left: tuple[Template, ...], right: tuple[Template, ...], paths: Paths) -> tuple[Template, ...]:
        return tuple(self.merge(a, b, paths) for a, b in zip(left, right, strict=True))

    def _merge_objects(self, a: Ref | Built, b: Ref, paths: Paths) -> Template:
        left: Any = a if isinstance(a, Built) else paths.left.contents[a]
        right: Any = paths.right.contents[b]
        if isinstance(left, Poison) or isinstance(right, Poison):
            return left if isinstance(left, Poison) else right
        if isinstance(left, Built):
            left = left.whole()
        originals = self._originals([a, b], paths.right, paths.before)
        if a.cls is b.cls is collections.deque and a.meta != b.meta:
            return Poison("it is a deque that keeps another number of items on another path", self.decided)
        if isinstance(left, Portion) and isinstance(right, Portion) and left.of is right.of:
            return self._named(b, right, self.merge(left.place, right.place, paths), paths.before, originals)
        if isinstance(left, Portion | Portions) or isinstance(right, Portion | Portions):
            return OF_PORTIONS._replace(params=self.decided)
        if isinstance(left, Keyed) or isinstance(right, Keyed):
            return _OF_KEYS._replace(params=self.decided)
        alike = (a.kind, a.cls, a.meta) == (b.kind, b.cls, b.meta)
        if isinstance(left, HeldByRun) or isinstance(right, HeldByRun):
            whole: Any = self._merge_of_run(left, right) if alike else _OF_OBJECTS
        else:
            whole = self._merge_whole(b, left, right, paths) if alike else None
        if whole is not None:
            return whole if isinstance(whole, Poison) else Built(a.kind, a.cls, (), (whole,), a.meta, originals)
        if isinstance(left, Collected) or isinstance(right, Collected):
            return Poison("it is a list whose length only a run can tell on one path only", self.decided)
        if not alike or not _same_keys(a.kind, left, right):
            return Poison(f"it is a {a.cls.__name__} with other contents on another path", self.decided)
        items = self._merge_all(left.items, right.items, paths)
        return Built(a.kind, a.cls, left.keys, items, a.meta, originals)

    def _merge_of_run(self, a: Any, b: Any) -> HeldByRun | Poison:
        """The template of a list or set that the run has, which is another one on each path."""
        if not (isinstance(a, HeldByRun) and isinstance(b, HeldByRun) and a.of == b.of):
            return _OF_OBJECTS._replace(params=self.decided)
        return replace(a, var=Slot(Object()))  # type: ignore[arg-type]

    def _merge_whole(self, ref: Ref, a: Any, b: Any, paths: Paths) -> Any:
        """The template of contents that are no items one by one; ``None`` where they are, or are such a list on one path only."""
        if isinstance(a, Collected) and isinstance(b, Collected):
            return self._merge_rows(a, b, paths)
        if isinstance(a, Columns) or isinstance(b, Columns):
            return self._merge_columns(a, b, paths)
        if isinstance(a, Collected) or isinstance(b, Collected):
            return None
        return self._merge_doubtful(a, b, paths) if self._may_doubt(ref, a, b) else None

    def _named(self, ref: Ref | Built, portion: Portion, place: Template, old: Heap, originals: Originals) -> Template:
        """The template of a name for one of several lists, at `place`, whose items are in a list from before the paths parted."""
        if portion.pairs not in old.contents or isinstance(place, Poison):
            return OF_PORTIONS
        return Built(ref.kind, ref.cls, (), (replace(portion, place=place, index=None),), ref.meta, originals)

    def _originals(self, objects: Iterable[Ref | Built], heap: Heap, old: Heap) -> Originals:
        """The objects of `old` that one may be which is one of `objects`, and those that the paths made."""
        known = heap.contents.originals
        inner = [one.originals if isinstance(one, Built) else known.get(one, NO_OTHERS) for one in objects]
        refs = {one for one in objects if isinstance(one, Ref)}.union(*(each.refs | each.made for each in inner))
        found = frozenset(ref for ref in refs if ref in old.contents)
        made = frozenset(refs - found)
        return Originals(found, self.decided.union(*(each.params for each in inner)) if found else frozenset(), made)

    def merge_contents(self, ref: Ref, a: Any, b: Any, paths: Paths) -> Any:
        """The template of what `ref` holds, `a` on one path and `b` on the other."""
        if isinstance(a, Poison) or isinstance(b, Poison):
            return a if isinstance(a, Poison) else b
        if isinstance(a, Keyed) or isinstance(b, Keyed):
            return a if a == b else _OF_KEYS._replace(params=self.decided)
        if isinstance(a, HeldByRun) or isinstance(b, HeldByRun):
            return a if a == b else _OF_OBJECTS._replace(params=self.decided)
        if isinstance(a, Portion | Portions) or isinstance(b, Portion | Portions):
            return a if a == b else OF_PORTIONS
        whole = self._merge_whole(ref, a, b, paths)
        if whole is not None:
            return whole
        if isinstance(a, Collected) or isinstance(b, Collected):
            return _HALF_FILLED._replace(params=self.decided)
        of_set = isinstance(a, SetElements) or isinstance(b, SetElements)
        if not _same_keys("set" if of_set else "dict", a, b):
            return Poison("its length or keys depend on a run-time condition", self.decided)
        if of_set:
            return a if isinstance(a, SetElements) and a.made in (None, b.made) else SetElements(a.keys, a.items, None)
        return Contents(a.keys, self._merge_all(a.items, b.items, paths))

    def _may_doubt(self, ref: Ref, a: Contents | Doubtful, b: Contents | Doubtful) -> bool:
        """Whether only the run is to know which keys `ref` has, a dict or an instance that has others on each path."""
        if isinstance(a, Doubtful) or isinstance(b, Doubtful):
            return True
        return ref.kind in ("dict", "instance") and not self.decided and a.keys != b.keys

    def _merge_doubtful(self, a: Contents | Doubtful, b: Contents | Doubtful, paths: Paths) -> Doubtful:
        """The template of what an object holds of which only the run knows the keys, of all that either path knows."""
        a, b = in_doubt(a), in_doubt(b)
        keys = (*a.keys, *(key for key in b.keys if a.get(key) is None))
        pairs = [(a.get(key) or NOT_THERE, b.get(key) or NOT_THERE) for key in keys]
        there = tuple(self.merge(one, other, paths) for (one, _), (other, _) in pairs)
        items = tuple(self.merge(one, other, paths) for (_, one), (_, other) in pairs)
        ordered = a.ordered and b.ordered and Lit(tuple(key for key in keys if b.get(key) is not None)) == Lit(b.keys)
        return Doubtful(keys, items, there, ordered)

    def escaped(self, contents: Contents | Doubtful, heap: Heap, old: Heap) -> Contents | Doubtful:
        """The template of what an object holds that only one path changes, or makes."""
        items = tuple(self.escape(item, heap, old) for item in contents.items)
        return replace(contents, items=items)

    def _merge_columns(self, a: Any, b: Any, paths: Paths) -> Columns | Poison:
        """The template of a list of tuples whose length only a run can tell: one of a list for each place in them."""
        if not (isinstance(a, Columns) and isinstance(b, Columns) and a.cls is b.cls and len(a.lists) == len(b.lists)):
            return _OF_TUPLES._replace(params=self.decided)
        return _columns(a, self._merge_all(a.lists, b.lists, paths))

    def _merge_rows(self, a: Collected, b: Collected, paths: Paths) -> Collected | Poison:
        """The template of a list whose length only a run can tell: filled on both paths as far, or held in an array on each."""
        if a.counted and b.counted and a.buffer == b.buffer:
            count = self.merge(a.count, b.count, paths)
            return replace(either(a, b, paths.before), count=count, passed=max(a.passed, b.passed))
        if not (a.done and b.done and a.nested == b.nested):
            return a if a == b else _HALF_FILLED
        if self.collects and (a.weak, a.kinds) != (b.weak, b.kinds):
            return Poison("it is a list of numbers of another kind on each path", self.decided)
        if a.buffer == b.buffer:
            return either(a, b, paths.before)
        if not alike_rows(number_type(a.buffer), number_type(b.buffer), a.weak is b.weak):
            return Poison("it is a list of numbers of different kinds on each path", self.decided)
        buffer = self.merge(a.buffer, b.buffer, paths)
        if isinstance(buffer, Poison):
            return buffer
        kept = either(a, b, paths.before)
        return Collected(buffer, done=True, nested=a.nested, weak=kept.weak, kinds=kept.kinds, copied=kept.copied)

    def rows(self, contents: Collected) -> Collected:
        """The template of a list whose length only a run can tell."""
        if contents.counted:
            return replace(contents, count=self.generalise(contents.count, Heap(), numbers=True))
        return replace(contents, buffer=self.generalise(contents.buffer, Heap(), numbers=True), params=frozenset(), row_of=None)

    def contents(self, contents: Any, heap: Heap) -> Any:
        """The template of the contents of an object alone, as `generalise` makes one of a value."""
        match contents:
            case Poison() | Columns() | Portion() | Portions() | SetElements() | Keyed() | HeldByRun():
                return contents
            case Collected():
                return self.rows(contents)
            case _:
                return replace(contents, items=tuple(self.generalise(item, heap, numbers=True) for item in contents.items))

    def _join(self, a: Type, b: Type) -> Type | None:
        owned = self.owned
        if owned is None or not (isinstance(a, Array) and isinstance(b, Array)) or a.shape is None or b.shape is None:
            return join_types(a, b, self.fresh)
        if len(a.shape) != len(b.shape):
            return join_types(a, b, self.fresh)
        dtype = _join_dtypes(a, b)
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


def alike_rows(a: Type | None, b: Type | None, alike: bool) -> bool:
    """Whether arrays of the types `a` and `b` may be rows of one, or one in the place of the other.

    `alike`: both hold numbers of Python's, or both of NumPy's.
    """
    if not isinstance(a, Array) or not isinstance(b, Array):
        return True
    return a.dtype == b.dtype and (alike or is_inexact(a))


def _columns(columns: Columns, parts: tuple[Template, ...]) -> Columns | Poison:
    """`columns` made of the templates `parts`."""
    return next((part for part in parts if isinstance(part, Poison)), replace(columns, lists=parts))


def either(a: Collected, b: Collected, before: Heap | None = None) -> Collected:
    """`a`, whose numbers may be of the kinds that `b` has as well, with copies of the lists of both that there were `before`."""
    kinds = alternatives(one_of((*a.kinds, *b.kinds))) if a.kinds or b.kinds else ()
    copied = frozenset(ref for ref in a.copied | b.copied if before is None or ref in before.contents)
    return replace(a, weak=a.weak and b.weak, kinds=kinds, copied=copied)


def _same_keys(kind: str, a: Contents | Built, b: Contents | Built) -> bool:
    """Whether two objects have the same keys; ``1`` and ``True`` are equal, and a walk shows which of them it is."""
    return a.keys == b.keys and (kind not in ("set", "dict") or Lit(a.keys) == Lit(b.keys))


def _bound_alike(a: Method, b: Method) -> bool:
    """Whether as many arguments are bound to both, and under the same names."""
    names = [[name for name, _ in method.kwargs] for method in (a, b)]
    return len(a.args) == len(b.args) and names[0] == names[1] and a.partial is b.partial


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
        case FunctionValue() | Method() | OneFunction():
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


def _differ(a: Type, b: Type) -> str:
    return f"it is {_type_name(a)} on one path and {_type_name(b)} on another"
