"""Exceptions of the program's own classes that only keep what they are given: the text of their constructors tells.

class NotConverged(Exception):
    def __init__(self, message, residual):
        super().__init__(message)
        self.residual = residual
"""

from __future__ import annotations

import ast
import builtins
import functools
import inspect
import textwrap
import types
from typing import Any

from adxform.primitives.text_functions import ONLY_TELLING

_NATIVE = (types.BuiltinFunctionType, types.WrapperDescriptorType)


def only_keeps(cls: type[BaseException]) -> bool:
    """Whether an exception that is made only keeps what it is given, and makes texts and numbers of it."""
    if type(cls).__call__ is not type.__call__ or hasattr(cls, "__getattr__"):
        return False
    if not all(isinstance(getattr(cls, name), _NATIVE) for name in ("__setattr__", "__getattribute__")):
        return False
    made = [vars(base)[name] for base in cls.__mro__ for name in ("__new__", "__init__") if name in vars(base)]
    made = [one.__func__ if isinstance(one, staticmethod) else one for one in made]
    return all(isinstance(one, _NATIVE) or (isinstance(one, types.FunctionType) and _keeps(cls, one)) for one in made)


def _keeps(cls: type, constructor: types.FunctionType) -> bool:
    """Whether a constructor sets attributes of the object, and calls builtins that make texts and numbers, and nothing else."""
    tree = _tree(constructor.__code__)
    if tree is None:
        return False
    code, own = constructor.__code__, None if tree.name == "__new__" else tree.args.args[0].arg if tree.args.args else None
    local = {*code.co_varnames, *code.co_cellvars, *code.co_freevars} - {"__class__"}

    def found(name: str) -> Any:
        return None if name in local else constructor.__globals__.get(name, getattr(builtins, name, None))

    def is_own(node: ast.Attribute) -> bool:
        return isinstance(node.value, ast.Name) and node.value.id == own and _is_plain(cls, node.attr)

    def is_quiet(node: ast.AST) -> bool:
        match node:
            case ast.Call(ast.Name(name)):
                return found(name) in ONLY_TELLING
            case ast.Call(ast.Attribute(ast.Constant(str()) | ast.JoinedStr(), "format" | "join")):
                return True
            case ast.Call(ast.Attribute(ast.Call(ast.Name("super"), []), "__init__" | "__new__")):
                return True
            case ast.Call(ast.Attribute(ast.Name(name), "__init__" | "__new__")):
                return found(name) in cls.__mro__
            case ast.Attribute(ctx=ast.Load(), attr=name) if name in _NAMES:
                return True
            case ast.Attribute():
                return not isinstance(node.ctx, ast.Del) and is_own(node)
            case ast.Name(name, ast.Store()):
                return name != own
            case ast.Subscript(ctx=ast.Load()):
                return True
            case _:
                return isinstance(node, _QUIET)

    return all(is_quiet(node) for statement in tree.body for node in ast.walk(statement))


@functools.lru_cache(maxsize=256)
def _tree(code: types.CodeType) -> ast.FunctionDef | None:
    """The text of a function; ``None`` where there is none."""
    try:
        (tree,) = ast.parse(textwrap.dedent(inspect.getsource(code))).body
    except (OSError, SyntaxError, ValueError):
        return None
    return tree if isinstance(tree, ast.FunctionDef) else None


def _is_plain(cls: type, name: str) -> bool:
    """Whether to set or to read this attribute of an object of `cls` calls nothing that is written in Python."""
    held = inspect.getattr_static(cls, name, None)
    python = (types.GetSetDescriptorType, types.MemberDescriptorType)
    return isinstance(held, python) or not (hasattr(type(held), "__set__") or hasattr(type(held), "__get__"))


_NAMES = ("__name__", "__qualname__", "__class__", "__init__", "__new__", "format", "join")
_QUIET = (
    *(ast.Assign, ast.AnnAssign, ast.Expr, ast.If, ast.Pass, ast.Return, ast.Raise, ast.For, ast.Break, ast.Continue),
    *(ast.expr_context, ast.operator, ast.boolop, ast.unaryop, ast.cmpop, ast.keyword, ast.comprehension, ast.Starred),
    *(ast.Name, ast.Constant, ast.JoinedStr, ast.FormattedValue, ast.Tuple, ast.List, ast.Dict, ast.Set, ast.Slice),
    *(ast.BinOp, ast.BoolOp, ast.UnaryOp, ast.Compare, ast.IfExp, ast.ListComp, ast.DictComp, ast.GeneratorExp),
)
"""Parts of programs that change nothing; those with conditions of their own are above."""
