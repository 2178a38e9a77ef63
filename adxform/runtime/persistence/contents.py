"""What an object is made of, as bytes that are equal in every process: the keys of the disk, and the seals of references.

A reference is a module, a path in it, and a *seal*: a digest of what the object is made of. What belongs to Python, NumPy or
adxform itself needs no seal, since an entry is only good for one version of each. Of anything else the code counts: a
reference that leads to other code than it did is stale, and so is the entry that it stands in.
"""

from __future__ import annotations

import builtins
import dataclasses
import enum
import inspect
import os
import sys
import types
from collections.abc import Hashable, Iterator
from functools import cached_property
from hashlib import sha256
from typing import Any

import numpy as np

from adxform.ir.spans import written_in
from adxform.runtime.persistence.references import NAMED, NotPortable, Stale, fixed, follow, place
from adxform.threads.locks import imported


def resolve(module: str, path: str, seal: bytes) -> Any:
    """What the reference leads to now.

    Raises:
        Stale: nothing, or something that is no longer what it was.
    """
    start = sys.modules.get(module)
    try:
        if start is None:
            if not fixed(module):
                raise Stale(module)  # a user's module is not imported behind their back
            start = imported(module)
        found = follow(start, path)
    except (AttributeError, ImportError):
        raise Stale(f"{module}.{path}") from None
    try:  # what was put in its place, in a library too, goes by another name
        same = place(found) == (module, path) and seal_of(found, module) == seal
    except NotPortable:
        same = False
    if not same:
        raise Stale(f"{module}.{path}")
    return found


def seal_of(value: Any, module: str) -> bytes:
    """What `value`, found in `module`, is made of; empty where the version of its library says it."""
    if fixed(module):
        return b""
    writer = ContentWriter()
    match value:
        case enum.Enum():
            writer.add_class(type(value))
        case type():
            writer.add_class(value)
        case types.FunctionType():
            writer.add_code(value.__code__)  # what it reads elsewhere is read at each call, or guarded
        case types.ModuleType():
            writer.add_module(value)
        case _:
            writer.add_stamp(module)
    return writer.digest()


def digest(*values: Any) -> bytes:
    """A digest of plain values, code, signatures and references, equal in every process.

    Raises:
        NotPortable: one of `values` is, or holds, something else.
    """
    writer = ContentWriter()
    for value in values:
        writer.add(value)
    return writer.digest()


class ContentWriter:
    """Writes values as bytes, each with its kind and its length, so that different values never give the same bytes.

    With `deep`, a function stands for what it can reach by name too: what its code reads of its module and of its closure.
    """

    def __init__(self, *, deep: bool = False) -> None:
        self._hash = sha256()
        self._deep = deep
        self._seen: dict[Hashable, tuple[int, object]] = {}

    def digest(self) -> bytes:
        """The digest of what was added."""
        return self._hash.digest()

    def _put(self, kind: str, data: bytes = b"") -> None:
        self._hash.update(b"%s %d:%s;" % (kind.encode(), len(data), data))

    def add(self, value: Any) -> None:
        """Add a value."""
        if not self._add_number(value) and not self._add_container(value):
            self._add_reference(value)

    def _add_number(self, value: Any) -> bool:
        """Add `value` if it is a constant, a number or an array of numbers: by its bytes."""
        kind = type(value).__qualname__
        match value:
            case None | bool() | int() | str() | bytes() | types.EllipsisType() if type(value) in _PLAIN:
                data = value if isinstance(value, bytes) else str(value).encode(errors="surrogatepass")
                self._put(kind, data)
            case float() | complex() if type(value) in _PLAIN:
                self._put(kind, repr(value).encode())
            case np.dtype():
                self._put("dtype", repr(value).encode())
            case np.generic() if value.dtype.kind in "biufc":
                self._put("scalar", repr(value.dtype).encode() + value.tobytes())
            case np.ndarray() if self._deep and value.dtype.kind in "biufc" and value.nbytes <= _LARGEST:
                self._put("array", repr((value.dtype, value.shape)).encode() + value.tobytes())
            case _:
                return False
        return True

    def _add_container(self, value: Any) -> bool:
        """Add `value` if it is a container of Python: by what it holds."""
        kind = type(value).__qualname__
        match value:
            case tuple() | list() | dict() if type(value) in (tuple, list, dict):
                self._put(kind, str(len(value)).encode())
                for item in value.items() if isinstance(value, dict) else value:
                    self.add(item)
            case frozenset() if type(value) is frozenset:
                self._put(kind, b"".join(sorted(map(digest, value))))
            case slice() | range():
                self._put(kind)
                self.add((value.start, value.stop, value.step))
            case _:
                return False
        return True

    def _add_reference(self, value: Any) -> None:
        """Add code, or what is known by its name: with `deep` by what it is made of, else by that name and its seal."""
        kind = type(value).__qualname__
        match value:
            case types.CodeType():
                self.add_code(value)
            case types.FunctionType() if self._deep and not fixed(written_in(value)):
                self.add_deep(value)
            case types.FunctionType() if self._deep and value.__closure__:  # one that adxform made of what is in it
                self._put("made", f"{value.__module__}:{value.__qualname__}".encode())
                self.add(tuple([cell.cell_contents for cell in value.__closure__]))
            case types.ModuleType() if self._deep:
                self.add_module(value)
            case type() if self._deep:
                self.add_class(value)
            case _ if isinstance(value, NAMED):
                module, path = place(value)
                self._put("name", f"{module}:{path}".encode() + seal_of(value, module))
            case _ if dataclasses.is_dataclass(value) and fixed(type(value).__module__):
                self._put("record", f"{type(value).__module__}.{kind}".encode())
                for field in dataclasses.fields(value):
                    self.add(getattr(value, field.name))
            case _:
                raise NotPortable(f"a {kind} is known to this process only")

    def add_code(self, code: types.CodeType) -> None:
        """Add all of `code` that tells what it does and where it stands."""
        self._put("code", code.co_code)
        self.add((code.co_name, code.co_qualname, code.co_filename, code.co_firstlineno, code.co_flags))
        self.add((code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount))
        self.add((code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars))
        self.add((code.co_linetable, code.co_exceptiontable))
        self.add(code.co_consts)

    def add_deep(self, fn: types.FunctionType) -> None:
        """Add `fn` and what its code may reach by name.

        Raises:
            NotPortable: one of these things cannot be told to another process.
        """
        if self._again(fn):
            return
        self.add_code(fn.__code__)
        self.add((fn.__defaults__, fn.__kwdefaults__))
        for cell in fn.__closure__ or ():
            try:
                self.add(cell.cell_contents)
            except ValueError:
                self._put("empty")
        names = tuple(sorted(names_in(fn.__code__)))
        for name in names:
            if name not in fn.__globals__:
                self._put("builtin" if hasattr(builtins, name) else "unknown", name.encode())
                continue
            self._put("global", name.encode())
            self._add_reached(fn.__globals__[name], names)

    def _add_reached(self, value: Any, names: tuple[str, ...]) -> None:
        """Add `value`; of a module of the user also what code with these `names` may read in it, and so on."""
        self.add(value)
        if isinstance(value, types.ModuleType) and not fixed(value.__name__) and not self._again(value, names):
            for name in names:
                if name in vars(value):
                    self._put("attribute", name.encode())
                    self._add_reached(vars(value)[name], names)

    def add_module(self, module: types.ModuleType) -> None:
        """Add a module: its name, its version, and the names in it. Their values are guarded where they are used."""
        self._put("module", module.__name__.encode())
        if not fixed(module.__name__):
            self.add_stamp(module.__name__)
            self._put("names", "\0".join(sorted(name for name in vars(module) if not name.startswith("__"))).encode())

    def add_stamp(self, module: str) -> None:
        """Add the version of the library that `module` belongs to, or the state of its file where it has none."""
        top = sys.modules.get(module.partition(".")[0])
        version = getattr(top, "__version__", None)
        self._put("version", str(version).encode() if isinstance(version, str) else b"")
        file = getattr(sys.modules.get(module), "__file__", None)
        if not isinstance(version, str) and file is not None and not file.endswith((".py", ".pyc")):
            state = os.stat(file)  # noqa: PTH116 - one look at what an import found
            self._put("file", f"{state.st_size} {state.st_mtime_ns}".encode())

    def add_class(self, cls: type) -> None:
        """Add the names in `cls` and its bases, the code of its methods, and its plain values."""
        for base in (*cls.__mro__, *inspect.getmro(type(cls))):
            self._put("class", f"{base.__module__}:{base.__qualname__}".encode())
            if fixed(base.__module__) or self._again(base):
                continue
            for name, value in sorted(vars(base).items(), key=lambda item: item[0]):
                if name in _UNREAD:
                    continue
                self._put("member", name.encode())
                self._add_member(value)

    def _add_member(self, value: Any) -> None:
        match value:
            case types.FunctionType() if self._deep:
                self.add_deep(value)
            case types.FunctionType():
                self.add_code(value.__code__)
                for default in (*(value.__defaults__ or ()), *(value.__kwdefaults__ or {}).values()):
                    self._add_member(default)
            case staticmethod() | classmethod():
                self._put(type(value).__name__)
                self._add_member(value.__func__)
            case property():
                for function in (value.fget, value.fset, value.fdel):
                    self._add_member(function)
            case cached_property():
                self._add_member(value.func)
            case _:
                self._add_attribute(value)

    def _add_attribute(self, value: Any) -> None:
        """Add a value in a class that is no method."""
        match value:
            case dict() | tuple() | list():
                self._put(type(value).__qualname__, str(len(value)).encode())
                for item in value.items() if isinstance(value, dict) else value:
                    self._add_member(item)
            case enum.Enum():
                self._put("member", str(value.name).encode())
                self._add_member(value.value)
            case dataclasses.Field():
                self._put("field", f"{value.name} {value.init} {value.kw_only}".encode())
                self._add_member(value.default)
                self._add_member(value.default_factory)
            case types.ModuleType() if self._deep and not fixed(value.__name__):
                raise NotPortable("what is read of a module in a class is not known")
            case type() | types.ModuleType() | types.BuiltinFunctionType() if not self._deep:
                self._put("named", f"{value.__module__ if isinstance(value, type) else ''}:{value.__name__}".encode())
            case _ if self._deep:
                self.add(value)
            case _:
                try:
                    self._put("value", digest(value))
                except NotPortable:
                    self._put("other", f"{type(value).__module__}:{type(value).__qualname__}".encode())

    def _again(self, value: object, names: tuple[str, ...] = ()) -> bool:
        """Whether `value` was added before, as far as `names` reach; if so, it is named by its turn."""
        key = id(value), names
        known = self._seen.get(key)
        if known is None:
            self._seen[key] = len(self._seen), value
            return False
        self._put("again", str(known[0]).encode())
        return True


_PLAIN = (type(None), bool, int, float, complex, str, bytes, type(...))
_LARGEST = 1 << 16
_UNREAD = frozenset(  # what Python itself keeps in a class, some of it only after a first use
    {"__dict__", "__weakref__", "__doc__", "__module__", "__firstlineno__", "__static_attributes__", "_abc_impl", "__annotate__",
     "__annotations__", "__annotate_func__", "__annotations_cache__", "__slotnames__"}
)  # fmt: skip


def names_in(code: types.CodeType) -> Iterator[str]:
    """The names by which `code` may reach something: those that it spells, and texts that `getattr` may be given."""
    for inner in nested_codes(code):
        yield from inner.co_names
        yield from (const for const in inner.co_consts if isinstance(const, str) and const.isidentifier())


def nested_codes(code: types.CodeType) -> Iterator[types.CodeType]:
    """`code` and every code object in it."""
    yield code
    for const in code.co_consts:
        if isinstance(const, types.CodeType):
            yield from nested_codes(const)
