"""Methods of lists, dicts, sets and named tuples of known structure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

from adxform.frontend import collecting, iteration
from adxform.frontend.python_classes import class_of
from adxform.frontend.values import NONE, Contents, Ref, Slice, Tuple, Value, View, list_contents
from adxform.ir.ops import Lit

if TYPE_CHECKING:
    from adxform.frontend.interpreter import Interpreter

Answer = Value | None
Handler = Callable[["Interpreter", tuple[Value, ...], dict[str, Value], str], Answer]


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


def set_of(interp: Interpreter, found: Iterable[Any], cls: type = set) -> Ref | Lit:
    """A set of known elements: a fresh object, or a constant where it cannot change."""
    if cls is frozenset:
        return Lit(frozenset(found))
    contents = elements(found)
    return interp.heap.new("set", set, contents.keys, contents.items)


def elements(found: Iterable[Any]) -> Contents:
    """The contents of a set."""
    keys = tuple(found)
    return Contents(keys, tuple(map(Lit, keys)))


def hashed(interp: Interpreter, key: Value, what: str) -> Any:
    """The key or element that `key` is, which must be known; lists, dicts, sets and arrays are none."""
    for part in _parts(key):
        cls = class_of(part)
        if cls is not None and (getattr(cls, "__hash__", None) is None or issubclass(cls, slice)):
            return interp.fail(TypeError, f"unhashable type: '{cls.__name__}'")
    return interp.static(key, what)


def _parts(key: Value) -> list[Value]:
    return [part for item in key.items for part in _parts(item)] if isinstance(key, Tuple) else [key]


def _list(interp: Interpreter, value: Value) -> tuple[Ref, list[Value]]:
    assert isinstance(value, Ref)
    return value, list(interp.contents(value).items)


def _append(interp: Interpreter, args: tuple[Value, ...], kwargs: dict[str, Value], hint: str) -> Value:
    filled = interp.filled(args[0])
    if filled is not None and isinstance(args[0], Ref):
        collecting.append(interp, args[0], filled, args[1])
        return NONE
    ref, items = _list(interp, args[0])
    interp.write(ref, list_contents((*items, args[1])))
    return NONE


def _extend(interp: Interpreter, args: tuple[Value, ...], kwargs: dict[str, Value], hint: str) -> Value:
    filled = interp.filled(args[0])
    if filled is not None and isinstance(args[0], Ref):
        collecting.extend(interp, args[0], filled, iteration.opened(interp, args[1]))
        return NONE
    ref, items = _list(interp, args[0])
    source = iteration.opened(interp, args[1])
    if iteration.literal_trips(interp, source) is None:
        more = interp.call(Lit(list), (source,))
        other = interp.filled(more)
        if other is not None and collecting.as_list_of_rows(interp, collecting.irregular(ref, other)):
            collecting.extend(interp, ref, interp.filled(ref) or other, more)
            return NONE
    interp.write(ref, list_contents((*items, *interp.items(source))))
    return NONE


def _pop(interp: Interpreter, args: tuple[Value, ...], kwargs: dict[str, Value], hint: str) -> Value:
    filled = interp.filled(args[0])
    if filled is not None and isinstance(args[0], Ref):
        return collecting.pop(interp, args[0], filled, args[1] if len(args) > 1 else Lit(-1), hint)
    ref, items = _list(interp, args[0])
    at = interp.static(args[1], "an index into a list") if len(args) > 1 else -1
    try:
        item = items.pop(at)
    except IndexError as error:
        return interp.fail(IndexError, str(error))
    interp.write(ref, list_contents(tuple(items)))
    return item


def _insert(interp: Interpreter, args: tuple[Value, ...], kwargs: dict[str, Value], hint: str) -> Value:
    filled = interp.filled(args[0])
    if filled is not None and isinstance(args[0], Ref):
        collecting.insert(interp, args[0], filled, *args[1:])
        return NONE
    ref, items = _list(interp, args[0])
    items.insert(interp.static(args[1], "an index into a list"), args[2])
    interp.write(ref, list_contents(tuple(items)))
    return NONE


def _reverse(interp: Interpreter, args: tuple[Value, ...], kwargs: dict[str, Value], hint: str) -> Value:
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
    interp.write(ref, interp.heap.contents[ordered])  # type: ignore[index]
    return NONE


def _clear(interp: Interpreter, args: tuple[Value, ...], kwargs: dict[str, Value], hint: str) -> Value:
    assert isinstance(args[0], Ref)
    interp.write(args[0], Contents((), ()))
    return NONE


def _copy(interp: Interpreter, args: tuple[Value, ...], kwargs: dict[str, Value], hint: str) -> Value:
    ref = args[0]
    assert isinstance(ref, Ref)
    filled = interp.filled(ref)
    if filled is not None:
        return collecting.load(interp, ref, filled, Slice(NONE, NONE, NONE), hint)
    contents = interp.contents(ref)
    new = interp.heap.new(ref.kind, ref.cls, (), (), meta=ref.meta)
    interp.heap.contents[new] = contents
    return new


def _get(interp: Interpreter, args: tuple[Value, ...], kwargs: dict[str, Value], hint: str) -> Value:
    assert isinstance(args[0], Ref)
    found = interp.contents(args[0]).get(interp.static(args[1], "a dict key"))
    return found if found is not None else args[2] if len(args) > 2 else NONE


def _view(part: Literal["keys", "values", "items"]) -> Handler:
    def handler(interp: Interpreter, args: tuple[Value, ...], kwargs: dict[str, Value], hint: str) -> Value:
        assert isinstance(args[0], Ref)
        return View(args[0], part)

    return handler


def _update(interp: Interpreter, args: tuple[Value, ...], kwargs: dict[str, Value], hint: str) -> Value:
    ref = args[0]
    assert isinstance(ref, Ref)
    contents = interp.contents(ref)
    for other in args[1:]:
        for key, item in interp.pairs(other):
            contents = contents.put(key, item)
    for key, item in kwargs.items():
        contents = contents.put(key, item)
    interp.write(ref, contents)
    return NONE


def _set_default(interp: Interpreter, args: tuple[Value, ...], kwargs: dict[str, Value], hint: str) -> Value:
    ref, key = args[0], interp.static(args[1], "a dict key")
    assert isinstance(ref, Ref)
    found = interp.contents(ref).get(key)
    if found is None:
        found = args[2] if len(args) > 2 else NONE
        interp.write(ref, interp.contents(ref).put(key, found))
    return found


def _dict_pop(interp: Interpreter, args: tuple[Value, ...], kwargs: dict[str, Value], hint: str) -> Value:
    ref, key = args[0], interp.static(args[1], "a dict key")
    assert isinstance(ref, Ref)
    contents = interp.contents(ref)
    found = contents.get(key)
    if found is None:
        default = args[2] if len(args) > 2 else kwargs.get("default")
        return interp.fail(KeyError, key) if default is None else default
    kept = [(own, item) for own, item in zip(contents.keys, contents.items, strict=True) if own != key]
    interp.write(ref, Contents(tuple(own for own, _ in kept), tuple(item for _, item in kept)))
    return found


def _add(interp: Interpreter, args: tuple[Value, ...], kwargs: dict[str, Value], hint: str) -> Value:
    ref, key = args[0], interp.static(args[1], "an element of a set")
    assert isinstance(ref, Ref)
    interp.write(ref, interp.contents(ref).put(key, Lit(key)))
    return NONE


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
    items = [interp.static(item, "an item") for item in interp.items(args[0])]
    return Lit(items.index(interp.static(args[1], "an item")))


def _count(interp: Interpreter, args: tuple[Value, ...], kwargs: dict[str, Value], hint: str) -> Value:
    items = [interp.static(item, "an item") for item in interp.items(args[0])]
    return Lit(items.count(interp.static(args[1], "an item")))


_TABLE: dict[tuple[type, str], Handler] = {
    (list, "append"): _append,
    (list, "extend"): _extend,
    (list, "pop"): _pop,
    (list, "insert"): _insert,
    (list, "reverse"): _reverse,
    (list, "clear"): _clear,
    (list, "sort"): _sort,
    (list, "copy"): _copy,
    (list, "index"): _index,
    (list, "count"): _count,
    (dict, "get"): _get,
    (dict, "keys"): _view("keys"),
    (dict, "values"): _view("values"),
    (dict, "items"): _view("items"),
    (dict, "update"): _update,
    (dict, "setdefault"): _set_default,
    (dict, "pop"): _dict_pop,
    (dict, "clear"): _clear,
    (dict, "copy"): _copy,
    (set, "add"): _add,
    (set, "copy"): _copy,
    (tuple, "_replace"): _replace,
    (tuple, "_asdict"): _as_dict,
    (tuple, "index"): _index,
    (tuple, "count"): _count,
}

METHODS: Mapping[tuple[type, str], Known] = MappingProxyType(
    {(cls, name): Known(f"{cls.__name__}.{name}", handler) for (cls, name), handler in _TABLE.items()}
)
