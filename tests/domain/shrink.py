"""A smaller program that fails in the same way: statements, branches and operands are left out while it does."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator


def shrunk(text: str, fails: Callable[[str], bool], most: int = 400) -> str:
    """The smallest program found by leaving out parts of `text`, all of which `fails`."""
    tries = 0
    smaller = True
    while smaller and tries < most:
        smaller = False
        for candidate in candidates(text):
            tries += 1
            if tries >= most:
                break
            if len(candidate) < len(text) and fails(candidate):
                text, smaller = candidate, True
                break
    return text


def candidates(text: str) -> Iterator[str]:
    """Programs with one part less, the largest parts first."""
    tree = ast.parse(text)
    bodies = [
        (node, name)
        for node in ast.walk(tree)
        for name, value in ast.iter_fields(node)
        if isinstance(value, list) and value and isinstance(value[0], ast.stmt)
    ]
    places = [(node, name, k) for node, name in bodies for k in range(len(getattr(node, name)))]
    for node, name, k in sorted(places, key=lambda place: -len(ast.dump(getattr(place[0], place[1])[place[2]]))):
        whole = getattr(node, name)
        if isinstance(whole[k], ast.FunctionDef) and whole[k].name == "f":
            continue
        inside = [part for part in ast.iter_child_nodes(whole[k]) if isinstance(part, ast.stmt)]
        for instead in ([], inside) if inside else ([],):
            left = [*whole[:k], *instead, *whole[k + 1 :]]
            setattr(node, name, left or ([ast.Pass()] if name == "body" else []))
            yield from _unparsed(tree)
        setattr(node, name, whole)
    for node in ast.walk(tree):
        for name, value in ast.iter_fields(node):
            for operand in _operands(value):
                setattr(node, name, operand)
                yield from _unparsed(tree)
                setattr(node, name, value)


def _operands(value: object) -> Iterator[ast.expr]:
    """What may stand in the place of an expression."""
    match value:
        case ast.BinOp(left=left, right=right):
            yield from (left, right)
        case ast.IfExp(body=body, orelse=orelse):
            yield from (body, orelse)
        case ast.Call(args=[only]):
            yield only
        case ast.Compare() | ast.BoolOp():
            yield from (ast.Constant(True), ast.Constant(False))
        case _:
            return


def _unparsed(tree: ast.Module) -> Iterator[str]:
    try:
        yield ast.unparse(ast.fix_missing_locations(copy.deepcopy(tree))) + "\n"
    except (AttributeError, ValueError, IndexError):
        return
