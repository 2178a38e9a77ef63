"""What a specialisation gives: a typed function, and what every call must read again and check."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from adxform.analysis.stepping import interpret
from adxform.errors import AdxError, UnsupportedOperationError
from adxform.frontend.signature import (
    Fixed,
    Leaf,
    Node,
    Tree,
    containers_in,
    same_static,
)
from adxform.frontend.signature.access import Access, Guard
from adxform.ir.ops import Function, Lit, Var
from adxform.ir.types import Array, Dim, Type


@dataclass(frozen=True, slots=True)
class Specialized:
    """A typed function and what it assumes.

    Its parameters are the leaves of the signature that are not `promoted`, then those read by `hidden`. `promoted` are the
    positions and values of leaves that had to be known, `lengths` the positions, axes and lengths of those of which a length had
    to be. `names` say what a user calls each leaf. `written` are the positions of the parameters that a function writes of which
    a derivative is taken inside: that works on copies, which may leave no trace. `changed` lead to lists and dicts outside that
    the function changes, none of which is to be an argument as well. `path` raises where a call takes another path than the one
    that is followed, if that is one alone and can be told without doing more than to compute. `left` is why code of packages was
    left to the run: where what it returns has no derivative, the error tells that too.
    """

    function: Function
    hidden: tuple[Access, ...]
    guards: tuple[Guard, ...]
    promoted: tuple[tuple[int, Lit], ...]
    result: Tree
    names: tuple[str, ...]
    written: tuple[int, ...] = ()
    lengths: tuple[tuple[int, int, int], ...] = ()
    changed: tuple[Access, ...] = ()
    path: Function | None = None
    left: tuple[AdxError, ...] = ()

    def follows(self, fn: Callable[..., Any], leaves: Sequence[Any]) -> bool:
        """Whether a call of `fn` with `leaves` takes the path that is followed, where that is one alone."""
        if self.path is None:
            return True
        known = {position for position, _ in self.promoted}
        given = [leaf for position, leaf in enumerate(leaves) if position not in known]
        inputs = (*given, *(access.read(fn) for access in self.hidden))
        try:
            with np.errstate(all="ignore"), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                interpret(self.path, *(np.array(one, order="K") if isinstance(one, np.ndarray) else one for one in inputs))
        except UnsupportedOperationError:
            return False
        except Exception:  # which the call itself raises
            return True
        return True

    def changes(self, fn: Callable[..., Any], args: tuple[Any, ...]) -> Access | None:
        """What leads to a list or dict in `args`, arguments of `fn`, that the function changes as one from outside."""
        given = containers_in(args) if self.changed else ()
        return next((access for access in self.changed if id(access.read(fn)) in given), None)

    def takes(self, leaves: Sequence[Any]) -> bool:
        """Whether `leaves` have the values and the lengths that had to be known."""
        values = all(same_static(leaves[position], lit.value) for position, lit in self.promoted)
        return values and all(leaves[position].shape[axis] == length for position, axis, length in self.lengths)

    def takes_place_of(self, other: Specialized) -> bool:
        """Whether it is called as `other` is, and differs at most in the names of lengths that it returns."""

        def outside(one: Specialized) -> tuple[Any, ...]:
            fn = one.function
            params, results = ([unsized(v.type) if isinstance(v, Var) else v for v in some] for some in (fn.params, fn.results))
            return params, results, unsized_tree(one.result), one.hidden, one.guards, one.promoted, one.lengths, one.names

        return outside(self) == outside(other)


def unsized(type_: Type) -> Type:
    """`type_` with one name for all lengths, but for one and none; some form may know that a length is a literal one."""
    if not isinstance(type_, Array) or type_.shape is None:
        return type_
    return Array(type_.dtype, tuple([size if size in (0, 1) else Dim("") for size in type_.shape]))


def unsized_tree(tree: Tree) -> Tree:
    """`tree` with one name for all lengths."""
    match tree:
        case Leaf(type_):
            return Leaf(unsized(type_))
        case Node():
            return replace(tree, children=tuple(map(unsized_tree, tree.children)))
        case Fixed():
            return tree
