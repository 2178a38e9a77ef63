"""Objects of the program's own subclasses of lists and dicts: ``class Stack(list)``, ``class AttrDict(dict)``.

Such an object is an instance like any other, which has a plain list or dict among its attributes, under a name that no
program can write. What its class defines is followed. What the class leaves to `list` or `dict` is done by the plain one:
its methods, the special ones too, wherever they are looked for, and what functions of Python and NumPy take of it.
"""

from __future__ import annotations

import builtins
import operator
import types
from collections import OrderedDict, defaultdict
from typing import Any

from adxform.frontend.evaluate.classes.class_contents import MISSING, find, is_native
from adxform.frontend.evaluate.objects import doubtful_keys
from adxform.frontend.evaluate.outside.guards import guard, rooted
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import Method, Ref, Static, Value
from adxform.frontend.signature.access import Is, path_to
from adxform.ir.ops import Lit
from adxform.ir.spans import is_followed
from adxform.primitives.definitions.of_python import keyed_items

ITEMS = "(items)"
"""The name of the attribute that is the plain list or dict."""
_PLAIN = (OrderedDict, defaultdict, list, dict)
_OPERATORS = "getitem setitem delitem contains add mul or eq ne lt le gt ge"
ASKED: dict[str, Any] = {
    **{f"__{name}__": getattr(builtins, name) for name in ["len", "iter", "reversed"]},
    **{f"__{name}__": getattr(operator, f"__{name}__") for name in _OPERATORS.split()},
    "__rmul__": operator.mul,
}
"""What special methods of lists and dicts do, said of plain ones."""

OF_ITEMS = ("__len__", "__iter__", "__reversed__", "__getitem__", "__setitem__", "__delitem__", "__contains__")
"""Those that give no `NotImplemented`, and are what a function or a statement does."""


class OfTheObject:
    """A method of `list` or `dict` that gives the object back, or puts other items in the place of all: `fn` of the items."""

    def __init__(self, fn: Any) -> None:
        self.fn = fn

    def __call__(self, *_: Any, **__: Any) -> Any:
        """Never runs: the front end does what it stands for."""
        raise NotImplementedError


FILLS = OfTheObject("__init__")
CHANGES = {name: OfTheObject(getattr(operator, name.strip("_"))) for name in ("__iadd__", "__imul__", "__ior__")}
_LOOKS = frozenset({"__repr__", "__str__", "__format__", "__hash__", "__sizeof__", "__class_getitem__", "__init__", "__new__",
                    "__getattribute__", "__setattr__", "__delattr__", "__doc__"})  # fmt: skip


def plain_class(cls: type) -> type | None:
    """The class of Python's that a class of the program makes lists or dicts of; ``None`` of other classes."""
    if not issubclass(cls, list | dict):
        return None
    plain = next((base for base in cls.__mro__ if base in _PLAIN), None)
    if plain is None or cls is plain or cls.__new__ is not plain.__new__:
        return None
    own = cls.__mro__[: cls.__mro__.index(plain)]
    methods = (found for base in own for found in vars(base).values() if isinstance(found, types.FunctionType))
    if plain is OrderedDict and any(_is_own(cls, name) for name in vars(dict) if name not in _LOOKS):
        return None  # whose methods call one another by what the class defines
    return plain if all(map(is_followed, methods)) else None


def made(interp: Interpreter, cls: type, plain: type) -> Ref:
    """A new object of `cls`, as `plain` makes it: with nothing in it."""
    return interp.heap.new("instance", cls, (ITEMS,), (interp.call(Static(plain), ()),))


def held(interp: Interpreter, value: Value) -> Ref | None:
    """The plain list or dict that `value` is for Python; ``None`` of what is no object of such a class."""
    if not isinstance(value, Ref) or value.kind != "instance" or plain_class(value.cls) is None:
        return None
    found = doubtful_keys.attribute(interp, value, ITEMS)
    return found if isinstance(found, Ref) else None


def bare(interp: Interpreter, value: Value) -> Value:
    """`value`; the plain list or dict that it is, where its class changes nothing of what that does."""
    items = held(interp, value)
    if items is None:
        return value
    assert isinstance(value, Ref)
    for name in dict.fromkeys((*vars(items.cls), *vars(dict), *_REFLECTED)):
        if name.startswith("__") and name not in _LOOKS and _is_own(value.cls, name):
            return value
    return items


_REFLECTED = ("__radd__", "__bool__", "__missing__", "__index__", "__array__", "__array_ufunc__", "__float__", "__int__")


def _is_own(cls: type, name: str) -> bool:
    found = find(cls, name)
    return found is not MISSING and not is_native(found) and found is not None


def is_of_plain(found: Any) -> bool:
    """Whether what a class holds under a name is a method of lists or dicts, written in C."""
    return isinstance(found, types.MethodDescriptorType | types.WrapperDescriptorType) and found.__objclass__ in _PLAIN


def method(interp: Interpreter, value: Value, found: Any) -> Value | None:
    """`found`, a method that the class of `value` has from `list` or `dict`, bound to what it works on."""
    items = held(interp, value) if is_of_plain(found) else None
    if items is None:
        return None
    assert isinstance(value, Ref)
    name = found.__name__
    if name == "__init__" or name in CHANGES:
        return Method(Lit(CHANGES.get(name, FILLS)), (value,))
    if name == "__getitem__" and _is_own(value.cls, "__missing__"):
        return Method(Static(keyed_items.item_or_missing), (items, interp.attribute(value, "__missing__")))
    if items.cls in (OrderedDict, defaultdict) and name in ("copy", "__or__", "__ror__", "__reduce__"):
        message = f"`{name}` of a {value.cls.__name__}, which is made by calling the class"
        raise interp.error(message, "call the class in a method of its own")
    if name in ASKED:
        return Method(Lit(ASKED[name]), (items,))
    return interp.attribute(items, name)


def watched(interp: Interpreter, cls: type, name: str, found: Any) -> None:
    """Let each call find in `cls` the same method written in C."""
    guard(interp, path_to(rooted(cls).access, ("attribute", name)), Is(found))


def unbound(interp: Interpreter, fn: Any, args: tuple[Value, ...]) -> tuple[Value, tuple[Value, ...]] | None:
    """``list.append(value, item)``: the method bound to `value`, and what else it is given; ``None`` of other calls."""
    bound = method(interp, args[0], fn) if args and is_of_plain(fn) else None
    return None if bound is None else (bound, args[1:])


def mapped(interp: Interpreter, value: Value) -> Value:
    """`value`, whose pairs go into a dict or are arguments by name; the plain dict that it is, where it is one.

    Python takes these past what a class defines, unless that defines what is walked over.
    """
    items = held(interp, value)
    if items is None or items.kind != "dict":
        return value
    assert isinstance(value, Ref)
    own = next((name for name in ("__iter__", "keys", "__getitem__", "items") if _is_own(value.cls, name)), None)
    if own == "__iter__" or (own in ("keys", "__getitem__") and items.cls is OrderedDict):
        raise interp.error(f"`{value.cls.__name__}` defines `{own}`, and all that it holds is asked for", "name its items")
    return items


def shown(interp: Interpreter, value: Value) -> Value:
    """`value`; the plain list or dict whose text is that of `value`, where its class leaves that to `list` or `dict`."""
    items = held(interp, value)
    if items is None or items.cls not in (list, dict):
        return value
    assert isinstance(value, Ref)
    by = (find(value.cls, "__str__"), find(value.cls, "__repr__"), find(value.cls, "__format__"))
    plain = by == (object.__str__, items.cls.__repr__, object.__format__)
    return items if plain and not any(_is_own(value.cls, name) for name in ("__iter__", "__len__", "items")) else value


def attributes_of(interp: Interpreter, value: Ref) -> Ref:
    """What holds the attributes of an object: itself, or the dict that it is, after ``self.__dict__ = self``."""
    if value.kind != "instance" or plain_class(value.cls) is None or _ITSELF not in interp.contents_or_doubt(value).keys:
        return value
    items = held(interp, value)
    assert items is not None
    if interp.keyed(items) is not None:
        raise interp.error("an attribute of an object that is a dict with keys that only the run knows", "write `obj[name]`")
    return items


def holds_itself(interp: Interpreter, value: Ref) -> bool:
    """Let ``value.__dict__`` be `value`, if that is a dict that has no attributes of its own yet."""
    items = held(interp, value)
    if items is None or items.kind != "dict" or interp.doubtful(value) is not None:
        return False
    if interp.contents(value).keys != (ITEMS,):
        return False
    doubtful_keys.put(interp, value, _ITSELF, Lit(True))
    return True


_ITSELF = "(attributes)"


def refuse_copy(interp: Interpreter, value: Value) -> None:
    """Raise where the class of `value` says how items are gone through or come in, which a copy asks it for."""
    items = held(interp, value)
    if items is None:
        return
    assert isinstance(value, Ref)
    if any(_is_own(value.cls, name) for name in ("append", "extend", "__iter__", "__setitem__", "items")):
        raise interp.error(f"`{value.cls.__name__}` has its own way to its items, by which it is copied", "write `__copy__`")
    hook = find(value.cls, "__getattr__")
    makes = items.cls is defaultdict or _is_own(value.cls, "__missing__")
    if _ITSELF in interp.contents(value).keys or is_of_plain(hook) or (makes and hook is not MISSING):
        raise interp.error(
            f"the attributes of a {value.cls.__name__} are its items, also those that a copy asks for",
            "make another one of its items",
        )


def refuse_pattern(interp: Interpreter, value: Value) -> None:
    """Raise where the class of `value` says what its items are, of which a pattern asks one method or another."""
    if not isinstance(value, Ref) or held(interp, value) is None:
        return
    if bare(interp, value) is value or any(_is_own(value.cls, name) for name in ("get", "keys")):
        message = f"`{value.cls.__name__}` says by itself what its items are, and is matched with a pattern"
        raise interp.error(message, "match `list(…)` or `dict(…)` of it")
