"""Functions that call themselves: one typed function for each kind of arguments, called by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, cast

from adxform.frontend.evaluate.control_flow.joined_objects import Paths
from adxform.frontend.evaluate.control_flow.joins import Joiner
from adxform.frontend.evaluate.control_flow.templates import Built, Slot, collect, instantiate, slots
from adxform.frontend.evaluate.levels import Frame
from adxform.frontend.evaluate.objects.heap import Heap
from adxform.frontend.evaluate.objects.object_contents import (
    Collected,
    Columns,
    Contents,
    Doubtful,
    HeldByRun,
    Keyed,
    ListFamily,
    Portion,
    Portions,
)
from adxform.frontend.evaluate.objects.value_parts import parts_of, with_parts
from adxform.frontend.evaluate.records.knowledge import Helper
from adxform.frontend.evaluate.signals import Unreachable
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import FunctionValue, Method, Namespace, OneOf, Poison, Ref, Static, Tuple, Value
from adxform.ir.build import Builder
from adxform.ir.kinds import scalar_type
from adxform.ir.lengths import Lengths
from adxform.ir.ops import UNDEFINED, Block, Function, Invoke, Lit, Operand, Var
from adxform.ir.types import Array, Dim, Scalar, Size, Type
from adxform.ir.walk import all_ops, free_variables

_PASSES = 8


@dataclass(frozen=True, slots=True)
class Number:
    """A literal number in a key, which `general_key` replaces by its type."""

    lit: Lit


def key_of(
    interp: Interpreter, fn: Function, bound: tuple[Value, ...], captured: dict[str, Value], scope: Namespace | None
) -> Any:
    """What calls of one function must have in common to share a specialisation."""
    names = tuple(name for name, value in captured.items() if not _is_itself(name, value, fn))
    own = [value for name, value in captured.items() if _is_itself(name, value, fn)]
    defaults = tuple(value.defaults for value in own if isinstance(value, FunctionValue))
    keys = _Keys(interp)
    return id(fn), _access(scope), tuple(map(keys.of, bound)), tuple(keys.of(captured[name]) for name in names), defaults


def _access(scope: Namespace | None) -> Any:
    return None if scope is None else (scope.access, id(scope.fn) if scope.access is None else 0)


@dataclass(frozen=True, slots=True)
class _Keys:
    """What calls have in common, by the values that they are given; `within` are the objects around the one that is looked at."""

    interp: Interpreter
    within: tuple[Ref, ...] = ()

    def of(self, value: Value) -> Any:
        match value:
            case Var(_, Array(dtype, shape)):
                return "array", dtype, None if shape is None else len(shape)
            case Var(_, type_):
                return type_
            case Lit(literal):
                return Number(value) if scalar_type(literal) is not None else value
            case Tuple(items, cls):
                return cls, tuple(map(self.of, items))
            case Ref() if value in self.within:  # it holds itself, as a function's variable does that is called in turn
                return "itself", self.within.index(value)
            case Ref():
                return replace(self, within=(*self.within, value)).of_object(value)
            case FunctionValue(fn):
                return id(fn), tuple(map(self.of, parts_of(value)))
            case Method(kwargs=named):
                return "method", tuple(name for name, _ in named), value.partial, tuple(map(self.of, parts_of(value)))
            case OneOf(which, things):
                return "one of", self.of(which), tuple(map(self.of, things))
            case Static(found):
                return id(found)
            case _:
                return value

    def of_object(self, ref: Ref) -> Any:
        beside = ref.meta if ref.meta is None or isinstance(ref.meta, Lit) else self.of(ref.meta)
        kind = ref.kind, beside  # each bound of a deque is another one
        cls, contents = ref.cls, cast(Any, self.interp.heap.contents[ref])
        if isinstance(contents, Collected):
            return kind, cls, self.of(contents.buffer), contents.done, contents.nested
        if isinstance(contents, HeldByRun):
            return kind, cls, self.of(contents.var)
        if isinstance(contents, Columns):
            return kind, cls, contents.cls, contents.keys, tuple(map(self.of, contents.lists))
        if isinstance(contents, Portions):
            return kind, cls, self._of_family(contents.of), contents.places and self.of(contents.places)
        if isinstance(contents, Keyed):
            return kind, cls, self.of(contents.keys), self.of(contents.items)
        if isinstance(contents, Doubtful):
            return kind, cls, contents.keys, tuple(map(self.of, contents.items)), tuple(map(self.of, contents.there))
        if isinstance(contents, Portion):
            return kind, cls, self._of_family(contents.of), self.of(contents.place)
        return kind, cls, contents if isinstance(contents, Poison) else (contents.keys, tuple(map(self.of, contents.items)))

    def _of_family(self, family: ListFamily) -> Any:
        return self.of(family.pairs), self.of(family.made)


def general_key(key: Any) -> Any:
    """`key` with literal numbers replaced by their types."""
    match key:
        case tuple():
            return tuple(map(general_key, key))
        case Number(Lit(literal)):
            return scalar_type(literal)
        case _:
            return key


def call_helper(
    interp: Interpreter,
    key: Any,
    fn: Function,
    bound: tuple[Value, ...],
    captured: dict[str, Value],
    scope: Namespace | None,
    *,
    numbers: bool = False,
    kept: bool = False,
) -> Value:
    """Call the function's own specialisation, building it at the first call.

    `numbers`: one for all literal numbers. `kept`: one for each pattern of lengths, so that the function knows which are equal.
    """
    itself = next((name for name, value in captured.items() if _is_itself(name, value, fn)), None)
    names = tuple(name for name in captured if name != itself)
    given = Tuple((*bound, *(captured[name] for name in names)))
    template = _template(interp, given, interp.heap, numbers, kept)
    if kept:
        key = "kept", key, _pattern(template)
    helper = interp.helpers.get(key)
    if helper is None:
        helper = Helper(interp.helper_name(fn.name), template, ())
        span, before = interp.span, set(interp.helpers)
        interp.helpers[key] = helper
        try:
            _build(interp, helper, Frame(fn, {}, scope, key), given, _Captured(names, itself, captured))
        except BaseException:  # whoever tries something else then finds nothing half made
            for made in set(interp.helpers) - before:
                del interp.helpers[made]
            raise
        interp.span = span
    operands = [*collect(helper.template, given, interp.heap, interp.operand), *helper.free]
    if helper.result is None:
        interp.builder.emit(Invoke((), helper.name, tuple(operands), interp.span))
        raise Unreachable
    outs: list[Var] = []

    def make(type_: Type) -> Var:
        outs.append(Var(interp.names.fresh(fn.name), lengths.outside(type_)))
        return outs[-1]

    lengths = Lengths.at(helper.params, operands, interp.integers.fresh_dim)
    result: Value = _of_a_call(helper.result, make, interp.heap)
    interp.builder.emit(Invoke(tuple(outs), helper.name, tuple(operands), interp.span))
    return result


def depth_of(interp: Interpreter, general: Any) -> int:
    """How many specialisations of one function behind a boundary are being built within one another."""
    waiting = (key for key, helper in interp.helpers.items() if not helper.settled and key[0] == "kept")
    return sum(general_key(key[1]) == general for key in waiting)


def calls_itself(interp: Interpreter, key: Any) -> bool:
    """Whether a function is one of its own because it was found to call itself."""
    return key in interp.knowledge.recursive or general_key(key) in interp.knowledge.recursive


def calls_unsettled(interp: Interpreter, body: Block) -> bool:
    """Whether `body` calls, however indirectly, a function that is still being specialised."""
    known = {helper.name: helper for helper in interp.helpers.values()}
    waiting, seen = [body], set[str]()
    while waiting:
        for op in all_ops(waiting.pop()):
            if isinstance(op, Invoke) and op.callee in known and op.callee not in seen:
                seen.add(op.callee)
                helper = known[op.callee]
                if not helper.settled or helper.function is None:
                    return True
                waiting.append(helper.function.body)
    return False


def _pattern(template: Any) -> tuple[Any, ...]:
    """Which of the lengths of the arrays in `template` are known, equal, or one."""
    lengths: dict[Dim, int] = {}

    def of(size: Size) -> Any:
        return (lengths.setdefault(size, len(lengths)), size.may_be_one) if isinstance(size, Dim) else size

    shapes = (slot.type.shape for slot in slots(template) if isinstance(slot.type, Array))
    return tuple(None if shape is None else tuple(map(of, shape)) for shape in shapes)


def _template(interp: Interpreter, given: Tuple, heap: Heap, numbers: bool, kept: bool) -> Any:
    joiner = Joiner(interp.integers.fresh_dim, collects=interp.collects)

    def general(value: Any) -> Any:
        match value:
            case Var(_, type_):
                return Slot(type_ if kept else _renewed(interp, type_))
            case Lit(literal) if numbers and scalar_type(literal) is not None:
                return Slot(scalar_type(literal) or Scalar("float64", True))
            case Tuple(items, cls):
                return Tuple(tuple(map(general, items)), cls)
            case Ref():
                contents: Any = heap.contents[value]
                if not isinstance(contents, Contents):
                    return Poison("it is a list that a loop fills, passed to a function that calls itself")
                return Built(value.kind, value.cls, contents.keys, tuple(map(general, contents.items)), value.meta)
            case FunctionValue() | Method():
                return with_parts(value, map(general, parts_of(value)))
            case OneOf(_, things) if any(isinstance(one, Ref) for one in things):
                return Poison("it is one of several objects of different kinds, passed to a function that calls itself")
            case _:
                return joiner.generalise(value, numbers=numbers)

    return general(given)


def _parameters(interp: Interpreter, helper: Helper, given: Tuple, names: Iterable[str]) -> list[Var]:
    """Variables for the slots of the template: each named as the parameter that it is, or as by the caller where it is a part."""
    params: list[Var] = []
    own: dict[Dim, Dim] = {}
    for title, template, value in zip(names, helper.template.items, given.items, strict=True):
        operands = list(collect(template, value, interp.heap, interp.operand))
        for slot, operand in zip(slots(template), operands, strict=True):
            name = interp.names.fresh(operand.base if len(operands) > 1 and isinstance(operand, Var) else title)
            params.append(Var(name, _owned(interp, slot.type, name, own)))
            interp.parameters[name] = params[-1]
    return params


def _is_provisional(interp: Interpreter, helper: Helper) -> bool:
    """Whether `helper` was made from what was known so far of a function that is still being specialised."""
    return helper.function is not None and calls_unsettled(interp, helper.function.body)


def _given(ready: Iterator[Var], _type: Type) -> Var:
    return next(ready)


def _owned(interp: Interpreter, type_: Type, name: str, own: dict[Dim, Dim]) -> Type:
    """`type_` of the parameter `name` of a helper, with lengths of its own, which `own` has for those of the caller."""
    if not isinstance(type_, Array) or type_.shape is None:
        return type_

    def owned(size: Size, axis: int) -> Size:
        if isinstance(size, Dim) and size not in own:
            own[size] = interp.integers.fresh_dim() if size.may_be_one else Dim(f"{name}.{axis}")
        return own[size] if isinstance(size, Dim) else size

    return Array(type_.dtype, tuple(owned(size, axis) for axis, size in enumerate(type_.shape)))


def _renewed(interp: Interpreter, type_: Type) -> Type:
    """`type_` with lengths of its own."""
    if not isinstance(type_, Array) or type_.shape is None:
        return type_
    return Array(type_.dtype, tuple(interp.integers.fresh_dim() for _ in type_.shape))


def _is_itself(name: str, value: Value, fn: Function) -> bool:
    """Whether `value`, which `fn` has under `name`, is `fn` itself, and not another function that the same definition made."""
    return isinstance(value, FunctionValue) and value.fn is fn and value.itself == name


@dataclass(frozen=True, slots=True)
class _Captured:
    """What a function captured, `values` by name: `names`, which are given to its helper too, and the name of `itself`."""

    names: tuple[str, ...]
    itself: str | None
    values: Mapping[str, Value]

    def inside(self, given: tuple[Value, ...]) -> dict[str, Value]:
        """What the names mean in the helper; calls of itself see what this call is `given`, not what the first one was."""
        inner = dict(zip(self.names, given, strict=True))
        if self.itself is not None:
            function = self.values[self.itself]
            assert isinstance(function, FunctionValue)
            inner[self.itself] = replace(function, captures=tuple((name, inner[name]) for name, _ in function.captures))
        return inner


def _of_a_call(template: Any, make: Callable[[Type], Var], heap: Heap) -> Any:
    """`template` with variables: what a call gives, or is given, whose objects may have other names outside of it."""
    known = set(heap.contents.originals)
    made = instantiate(template, make, heap)
    heap.contents.returned |= heap.contents.originals.keys() - known
    return made


def _build(interp: Interpreter, helper: Helper, frame: Frame, given: Tuple, captured: _Captured) -> None:
    """Specialise the function of `frame` as `helper`, again and again until it returns what its calls are taken to return."""
    outer, heap, frames, level = interp.builder, interp.heap, interp.frames, interp.level
    joiner = Joiner(interp.integers.fresh_dim, collects=interp.collects)
    before = set(interp.helpers)
    params = _parameters(interp, helper, given, (*(param.base for param in frame.fn.params), *captured.names))
    try:
        for _ in range(_PASSES):
            for key in [key for key in interp.helpers if key not in before and _is_provisional(interp, interp.helpers[key])]:
                del interp.helpers[key]
            interp.builder, interp.heap, interp.frames = Builder(interp.names, frame.fn.span, outer.watch), heap.copy(), []
            interp.level = None
            values = _of_a_call(helper.template, partial(_given, iter(params)), interp.heap).items
            merged, block = _run(interp, helper, frame, values, captured, joiner)
            # The first pass stops at the call of itself, in the middle of loops: what it leaves behind names nothing.
            first = helper.result is None
            free = () if first else tuple(var for var in free_variables(block) if var not in params)
            settled = _alike(merged, helper.result) and free == helper.free and (not first or merged is None)
            helper.result, helper.free, helper.params = merged, free, tuple(params)
            helper.function = Function(helper.name, replace(block, params=(*params, *free)), (), (), frame.fn.span)
            if settled and merged is None:
                why = "calls itself" if calls_itself(interp, frame.key) else "raises"
                message = f"`{frame.fn.name}` {why} on every path, so it never returns"
                raise interp.error(message, "return a value on one path", span=frame.fn.span)
            if settled:
                helper.settled = True
                return
        raise interp.error(f"the type of the result of `{frame.fn.name}` does not settle", "return one type on every path")
    finally:
        interp.builder, interp.heap, interp.frames, interp.level = outer, heap, frames, level


def _run(
    interp: Interpreter, helper: Helper, frame: Frame, values: tuple[Value, ...], captured: _Captured, joiner: Joiner
) -> tuple[Any, Block]:
    """The result of a helper that is given `values`, joined with what is known of it, and its body, without parameters."""
    count = len(frame.fn.params)
    inner = captured.inside(values[count:])
    old = interp.heap.copy()
    interp.frames = [Frame(frame.fn, inner, frame.scope, frame.key)]
    try:
        (result,) = interp.run_block(frame.fn.body, dict(zip(frame.fn.params, values[:count], strict=True)))
    except Unreachable:
        result = UNDEFINED
    if any(interp.heap.contents[ref] is not contents for ref, contents in old.contents.items()):
        why = "calls itself" if calls_itself(interp, frame.key) else "is kept behind a boundary"
        message = f"`{frame.fn.name}` {why} and changes a list, a dict or an object from outside"
        raise interp.error(message, "return the new value instead")
    known = helper.result if helper.result is not None else UNDEFINED
    merged = joiner.merge(known, result, Paths(old, interp.heap, old))
    merged = None if merged == UNDEFINED else _slotted(merged)
    results: tuple[Operand, ...] = () if merged is None else tuple(collect(merged, result, interp.heap, interp.operand))
    return merged, Block((), tuple(interp.builder.ops), results)


def _slotted(template: Any) -> Any:
    """Numbers that a recursive function returns are variables: another call may return another."""
    match template:
        case Lit(literal) if scalar_type(literal) is not None:
            return Slot(scalar_type(literal) or Scalar("float64", True))
        case Var(_, type_):
            return Slot(type_)
        case Tuple(items, cls):
            return Tuple(tuple(map(_slotted, items)), cls)
        case _:
            return template


def _alike(a: Any, b: Any) -> bool:
    """Whether two templates agree but for the names of unknown lengths."""
    match a, b:
        case Slot(Array(dtype, shape)), Slot(Array(other, theirs)):
            if shape is None or theirs is None:
                return dtype == other and shape == theirs
            return dtype == other and [isinstance(n, Dim) for n in shape] == [isinstance(n, Dim) for n in theirs]
        case Tuple(items), Tuple(others):
            return len(items) == len(others) and all(map(_alike, items, others))
        case _:
            return bool(a == b)
