"""Methods of lists and named tuples of known structure, and the table of those of all containers."""

from __future__ import annotations

import operator
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from adxform.frontend.containers import collecting, keyed_lists, list_arrays, lists_of_lists, portions
from adxform.frontend.containers import tuple_columns as of_tuples
from adxform.frontend.containers.dict_methods import DICT_METHODS
from adxform.frontend.containers.sets import SET_METHODS
from adxform.frontend.evaluate.control_flow import iteration, loop_trips, walks
from adxform.frontend.evaluate.keys import as_index, place_in, refuse_index
from adxform.frontend.evaluate.objects import moved_items
from adxform.frontend.evaluate.objects.object_contents import Contents, list_contents
from adxform.frontend.evaluate.signals import Grows
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import NONE, Once, Range, Ref, Slice, Static, Tuple, Value
from adxform.ir.ops import Lit, Var
from adxform.primitives.definitions.of_python import item_places, iterations

Args = tuple[Value, ...]
Kwargs = dict[str, Value]
Answer = Value | None
Handler = Callable[["Interpreter", Args, Kwargs, str], Answer]


class Known:
    """A callable that only the front end runs, by its `handler`."""

    def __init__(self, name: str, handler: Handler) -> None:
        self.name = name
        self.handler = handler

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Never runs: the front end runs the handler."""
        raise AssertionError(self.name)

    def __repr__(self) -> str:
        return self.name


def _list(interp: Interpreter, value: Value) -> tuple[Ref, list[Value]]:
    assert isinstance(value, Ref)
    return value, list(interp.contents(value).items)


def _append(interp: Interpreter, args: tuple[Value, ...], kwargs: dict[str, Value], hint: str) -> Value:
    if (portion := interp.portion(args[0])) is not None:
        portions.append(interp, portion, args[1])
        return NONE
    if (several := interp.portions(args[0])) is not None and isinstance(args[0], Ref):
        lists_of_lists.add(interp, args[0], several, args[1])
        return NONE
    if (columns := interp.columns(args[0])) is not None:
        of_tuples.append(interp, columns, args[1])
        return NONE
    filled = interp.filled(args[0])
    if filled is not None and isinstance(args[0], Ref):
        collecting.append(interp, args[0], filled, args[1])
        return NONE
    ref, items = _list(interp, args[0])
    interp.write(ref, list_contents((*items, args[1])))
    return NONE


def _extend(interp: Interpreter, args: tuple[Value, ...], kwargs: dict[str, Value], hint: str) -> Value:
    if interp.level is not None and isinstance(args[1], Once):
        return interp.call(Static(item_places.taken_in), args)
    if interp.portion(args[0]) is not None and isinstance(args[0], Ref):
        portions.extend(interp, args[0], walks.opened(interp, args[1]))
        return NONE
    if isinstance(args[0], Ref) and any(interp.portions(arg) is not None for arg in args[:2]):
        if not lists_of_lists.extend(interp, args[0], walks.opened(interp, args[1])):
            raise interp.error("a list of lists is extended by lists that were made apart from its own", "append them in a loop")
        return NONE
    if (columns := interp.columns(args[0])) is not None:
        of_tuples.extend(interp, columns, walks.opened(interp, args[1]))
        return NONE
    filled = interp.filled(args[0])
    if filled is not None and isinstance(args[0], Ref):
        collecting.extend(interp, args[0], filled, walks.opened(interp, args[1]))
        return NONE
    ref, items = _list(interp, args[0])
    source = walks.opened(interp, args[1])
    if iteration.literal_trips(interp, source) is None and _is_extended_by_many(interp, ref, source):
        return NONE
    interp.write(ref, list_contents((*items, *interp.items(source))))
    return NONE


def _is_extended_by_many(interp: Interpreter, ref: Ref, source: Value) -> bool:
    """Whether a list can hold, and now holds, what is in `source` too, of which only the run knows how much there is."""
    more = interp.call(Lit(list), (source,))
    other, others = interp.filled(more), interp.columns(more)
    if others is not None:
        grows = Grows(ref, of_tuples.kind_of(interp, interp.heap, others))
        if grows.item.is_known and list_arrays.as_list_of_rows(interp, grows):
            of_tuples.extend(interp, interp.columns(ref) or others, more)
            return True
    if other is None or not list_arrays.as_list_of_rows(interp, list_arrays.irregular(ref, other)):
        return False
    collecting.extend(interp, ref, interp.filled(ref) or other, more)
    if (longer := interp.filled(ref)) is not None:  # of which the items are known where the length of `source` is
        params = longer.params | loop_trips.deciding(interp, source)
        interp.heap.contents[ref] = replace(longer, params=params)
    return True


def _pop(interp: Interpreter, args: tuple[Value, ...], kwargs: dict[str, Value], hint: str) -> Value:
    args = args[0], *(as_index(interp, index) for index in args[1:])
    if isinstance(args[0], Ref) and interp.portions(args[0]) is not None:
        return lists_of_lists.call(interp, args[0], "pop", args[1:])
    if (columns := interp.columns(args[0])) is not None:
        return of_tuples.call(interp, columns, "pop", args[1:])
    filled = interp.filled(args[0])
    if filled is not None and isinstance(args[0], Ref):
        return collecting.pop(interp, args[0], filled, args[1] if len(args) > 1 else Lit(-1), hint)
    ref, items = _list(interp, args[0])
    if len(args) > 1:
        refuse_index(interp, args[1], "list")
        if (taken := moved_items.taken_out(interp, ref, args[1], item_places.place_to_pop, "list")) is not None:
            return taken
        if is_long_from_here(interp, ref, args[1]):
            return _pop(interp, args, kwargs, hint)
    at = place_in(interp, args[1], "list", cuts=False) if len(args) > 1 else -1
    try:
        item = items.pop(at)
    except IndexError as error:
        return interp.fail(IndexError, str(error))
    interp.write(ref, list_contents(tuple(items)))
    return item


def is_long_from_here(interp: Interpreter, ref: Ref, index: Value) -> bool:
    """Whether a list, of which the item at `index` is taken out that only a run can tell, is from here on one of the run's."""
    items = interp.contents(ref).items
    return isinstance(index, Var) and not interp.integers.followed(index) and bool(items) and interp.as_rows(ref, items[0])


def _insert(interp: Interpreter, args: tuple[Value, ...], kwargs: dict[str, Value], hint: str) -> Value:
    args = args[0], as_index(interp, args[1]), args[2]
    if isinstance(args[0], Ref) and interp.portions(args[0]) is not None:
        return lists_of_lists.call(interp, args[0], "insert", args[1:])
    if (columns := interp.columns(args[0])) is not None:
        of_tuples.insert(interp, columns, *args[1:])
        return NONE
    filled = interp.filled(args[0])
    if filled is not None and isinstance(args[0], Ref):
        collecting.insert(interp, args[0], filled, *args[1:])
        return NONE
    ref, items = _list(interp, args[0])
    refuse_index(interp, args[1], "list")
    if moved_items.put_in(interp, ref, args[1], args[2]):
        return NONE
    if isinstance(args[1], Var) and not interp.integers.followed(args[1]) and interp.as_rows(ref, args[2]):
        return _insert(interp, args, kwargs, hint)
    items.insert(place_in(interp, args[1], "list", cuts=False), args[2])
    interp.write(ref, list_contents(tuple(items)))
    return NONE


def _remove(interp: Interpreter, args: tuple[Value, ...], kwargs: dict[str, Value], hint: str) -> Value:
    place = _index(interp, args, kwargs, hint)
    interp.call(Lit(operator.delitem), (args[0], place))
    return NONE


def _reverse(interp: Interpreter, args: tuple[Value, ...], kwargs: dict[str, Value], hint: str) -> Value:
    if isinstance(args[0], Ref) and interp.portions(args[0]) is not None:
        return lists_of_lists.call(interp, args[0], "reverse", ())
    if (columns := interp.columns(args[0])) is not None:
        of_tuples.call(interp, columns, "reverse", ())
        return NONE
    filled = interp.filled(args[0])
    if filled is not None and isinstance(args[0], Ref):
        collecting.reverse(interp, args[0], filled)
        return NONE
    ref, items = _list(interp, args[0])
    interp.write(ref, list_contents(tuple(items[::-1])))
    return NONE


def _sort(interp: Interpreter, args: tuple[Value, ...], kwargs: dict[str, Value], hint: str) -> Value:
    ref = args[0]
    assert isinstance(ref, Ref)
    ordered = interp.call(Lit(sorted), args, kwargs)
    assert isinstance(ordered, Ref)
    if (several := interp.portions(ordered)) is not None:
        lists_of_lists.replace_items(interp, ref, several)
        return NONE
    interp.write(ref, interp.heap.contents[ordered])
    return NONE


def _clear(interp: Interpreter, args: tuple[Value, ...], kwargs: dict[str, Value], hint: str) -> Value:
    assert isinstance(args[0], Ref)
    if interp.portions(args[0]) is not None:
        return lists_of_lists.call(interp, args[0], "clear", ())
    if (keyed := interp.keyed(args[0])) is not None and keyed_lists.is_walked(interp, keyed):
        raise interp.walked_change("dict")
    interp.write(args[0], Contents((), ()))
    return NONE


def _copy(interp: Interpreter, args: tuple[Value, ...], kwargs: dict[str, Value], hint: str) -> Value:
    ref = args[0]
    assert isinstance(ref, Ref)
    if interp.keyed(ref) is not None:
        return keyed_lists.copied(interp, ref, ref.cls)
    if (several := interp.portions(ref)) is not None:
        return lists_of_lists.copied(interp, several)
    if (columns := interp.columns(ref)) is not None:
        return of_tuples.copied(interp, columns)
    filled = interp.filled(ref)
    if filled is not None:
        return collecting.load(interp, ref, filled, Slice(NONE, NONE, NONE), hint)
    contents = interp.contents_or_doubt(ref)
    new = interp.heap.new(ref.kind, ref.cls, (), (), meta=ref.meta)
    interp.heap.contents[new] = contents
    return new


def _replace(interp: Interpreter, args: tuple[Value, ...], kwargs: dict[str, Value], hint: str) -> Value:
    value = args[0]
    assert isinstance(value, Tuple)
    fields: tuple[str, ...] = value.cls._fields  # type: ignore[attr-defined]
    return Tuple(tuple(kwargs.get(name, item) for name, item in zip(fields, value.items, strict=True)), value.cls)


def _as_dict(interp: Interpreter, args: tuple[Value, ...], kwargs: dict[str, Value], hint: str) -> Value:
    value = args[0]
    assert isinstance(value, Tuple)
    return interp.heap.new("dict", dict, value.cls._fields, value.items)  # type: ignore[attr-defined]


def _index(interp: Interpreter, args: tuple[Value, ...], kwargs: dict[str, Value], hint: str) -> Value:
    what = "list" if isinstance(args[0], Ref) else "tuple"
    message = Lit(f"item is not in {what}")
    if interp.is_long(args[0]) and len(args) == 2:
        everywhere = Range(Lit(0), iteration.length(interp, args[0]), Lit(1))
        return interp.call(Static(iterations.index_of), (args[0], args[1], everywhere, message), hint=hint)
    items = interp.items(args[0])
    bounds = (as_index(interp, arg) for arg in (*args[2:], NONE, NONE)[:2])
    start, stop, _ = slice(*(interp.static(bound, "an index") for bound in bounds)).indices(len(items))
    places = Tuple(tuple(map(Lit, range(start, max(start, stop)))))
    return interp.call(Static(iterations.index_of), (Tuple(tuple(items)), args[1], places, message), hint=hint)


def _count(interp: Interpreter, args: tuple[Value, ...], kwargs: dict[str, Value], hint: str) -> Value:
    items = args[0] if interp.is_long(args[0]) else Tuple(tuple(interp.items(args[0])))
    return interp.call(Static(iterations.count_of), (items, args[1]), hint=hint)


_TABLE: dict[tuple[type, str], Handler] = {
    (list, "append"): _append,
    (list, "extend"): _extend,
    (list, "pop"): _pop,
    (list, "insert"): _insert,
    (list, "reverse"): _reverse,
    (list, "clear"): _clear,
    (list, "sort"): _sort,
    (list, "copy"): _copy,
    (list, "remove"): _remove,
    (list, "index"): _index,
    (list, "count"): _count,
    (dict, "clear"): _clear,
    (dict, "copy"): _copy,
    **DICT_METHODS,
    **SET_METHODS,
    (tuple, "_replace"): _replace,
    (tuple, "_asdict"): _as_dict,
    (tuple, "index"): _index,
    (tuple, "count"): _count,
}

_COUNTS: dict[tuple[type, str], tuple[int, int]] = {
    (list, "append"): (1, 1),
    (list, "extend"): (1, 1),
    (list, "pop"): (0, 1),
    (list, "insert"): (2, 2),
    (list, "remove"): (1, 1),
    (list, "index"): (1, 3),
    (list, "sort"): (0, 0),
    (tuple, "index"): (1, 3),
    (dict, "get"): (1, 2),
    (dict, "setdefault"): (1, 2),
    (dict, "pop"): (1, 2),
    (OrderedDict, "popitem"): (0, 1),
    (OrderedDict, "move_to_end"): (1, 2),
    (dict, "update"): (0, 1),
    (list, "count"): (1, 1),
    (tuple, "count"): (1, 1),
    **{(set, name): (1, 1) for name in ("add", "discard", "remove", "issubset", "issuperset", "isdisjoint")},
    **{(set, name): (1, 1) for name in ("symmetric_difference", "symmetric_difference_update")},
    **{(set, name): (0, 10_000) for name in ("update", "union", "intersection", "difference")},
    **{(set, name): (0, 10_000) for name in ("intersection_update", "difference_update")},
    (tuple, "_replace"): (0, 0),
}
"""How many arguments each method takes by position, at least and at most; the others take none."""
_NAMED = frozenset(
    {(list, "sort"), (dict, "update"), (tuple, "_replace"), (OrderedDict, "popitem"), (OrderedDict, "move_to_end")}
)
"""The methods that take arguments by name."""
_CHANGING = frozenset({"pop", "insert", "remove", "reverse", "sort", "clear"})
"""The methods of lists that change them, but for `append` and `extend`."""


def _bound(cls: type, name: str, handler: Handler) -> Handler:
    """`handler`, for calls that fit."""
    least, most = _COUNTS.get((cls, name), (0, 0))

    def bound(interp: Interpreter, args: tuple[Value, ...], kwargs: dict[str, Value], hint: str) -> Answer:
        if isinstance(args[0], Ref) and args[0].cls is not cls and "default" in kwargs and len(args) == 2:  # an ordered dict
            args, kwargs = (*args, kwargs["default"]), {key: arg for key, arg in kwargs.items() if key != "default"}
        if isinstance(args[0], Ref) and args[0].cls is not cls and kwargs and (cls, name) not in _NAMED:
            raise interp.error(f"`{name}` of a {args[0].cls.__name__} with arguments by name", "give them by position")
        if kwargs and (cls, name) not in _NAMED:
            return interp.fail(TypeError, f"{cls.__name__}.{name}() takes no keyword arguments")
        if not least <= len(args) - 1 <= most:
            return interp.fail(TypeError, f"{name} expected {least} to {most} arguments, got {len(args) - 1}")
        portion = interp.portion(args[0])
        if portion is None or name in ("append", "extend"):
            return handler(interp, args, kwargs, hint)
        return portions.changed(interp, portion, lambda own: handler(interp, (own, *args[1:]), kwargs, hint), name in _CHANGING)

    return bound


METHODS: Mapping[tuple[type, str], Known] = MappingProxyType(
    {(cls, name): Known(f"{cls.__name__}.{name}", _bound(cls, name, handler)) for (cls, name), handler in _TABLE.items()}
)
