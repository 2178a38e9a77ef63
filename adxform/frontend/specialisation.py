"""One specialisation of a function on a signature, from its arguments to the function that has been checked."""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from adxform.errors import UnsupportedOperationError
from adxform.frontend.calls.callbacks.left_alone import all_handed, leaves_alone, refuse_arrays_seen, sees_not
from adxform.frontend.calls.callbacks.objects_changed import refuse_objects_changed
from adxform.frontend.calls.callbacks.reached import TooMuchCode
from adxform.frontend.checks.changed_spectra import refuse_changes_of_spectra
from adxform.frontend.checks.cut_off import refuse_cut_off, refuse_told_dtypes
from adxform.frontend.checks.floating_point_errors import raising_errors
from adxform.frontend.checks.held_copies import refuse_read_of_spent, refuse_told_apart
from adxform.frontend.checks.kept_in_objects import refuse_numbers_out_of_objects, with_numbers_refused
from adxform.frontend.checks.kept_outside import Kept, Moving
from adxform.frontend.checks.shared_memory import (
    parameters_written,
    refuse_additions_to_read_only,
    refuse_changes_of_held_arrays,
    refuse_outside_arrays_given,
    refuse_outside_writes,
    refuse_shared_arguments,
    refuse_writes_to_kept,
    refuse_writes_to_read_only,
)
from adxform.frontend.evaluate import structures
from adxform.frontend.evaluate.control_flow.first_path import FirstCall
from adxform.frontend.evaluate.identity import refuse_other_names
from adxform.frontend.evaluate.interpreter import Evaluator
from adxform.frontend.evaluate.outside import outside_containers, places
from adxform.frontend.evaluate.outside.guards import from_outside
from adxform.frontend.evaluate.outside.outside_arrays import brought_back, left_as_written
from adxform.frontend.evaluate.outside.outside_order import kept_ahead
from adxform.frontend.evaluate.records.knowledge import Knowledge
from adxform.frontend.evaluate.signals import Unreachable
from adxform.frontend.evaluate.state import Derive
from adxform.frontend.evaluate.values import NONE, Value
from adxform.frontend.signature import (
    FEW,
    Leaf,
    Signature,
    Tree,
    leaf_paths,
    parameter_names,
)
from adxform.frontend.signature.access import Access, Equals, Guard, InThisProcess
from adxform.frontend.signature.assumed_lengths import with_checks
from adxform.frontend.signature.counts import with_counts
from adxform.frontend.signature.unspread_slices import find_unspread
from adxform.frontend.specialized import Specialized
from adxform.ir.code_constants import set_orders
from adxform.ir.kinds import settle
from adxform.ir.ops import Block, Function, Lit, Operand, Var
from adxform.ir.prune import prune
from adxform.ir.spans import Span, own_attribute
from adxform.ir.types import INT, Array, Dim, Scalar, Size, Type, is_inexact
from adxform.ir.walk import Names, rename_block


class Specialisation:
    """One try of a specialisation: a restart makes another that knows more."""

    def __init__(
        self,
        fn: Callable[..., Any],
        signature: Signature,
        leaves: Sequence[Any],
        derive: Derive,
        knowledge: Knowledge,
        promoted: dict[int, Lit],
        known_lengths: dict[tuple[int, int], int],
    ) -> None:
        self.fn = fn
        self.signature = signature
        self.leaves = leaves
        self.promoted = promoted
        self.known_lengths = known_lengths
        self.axes: dict[str, list[tuple[int, int]]] = {}
        """The axes of leaves that have a length, by its base."""
        self.names = Names()
        self.interp = Evaluator(self.names, derive, knowledge, assumes=signature.assumed)
        self.params: dict[Var, int] = {}
        self.count = 0
        self.lengths = iter(signature.lengths)
        self.sizes: dict[int, Dim] = {}

    def run(self) -> Specialized:
        """Specialise. Raises `Restart` when more must be known."""
        try:
            return self._specialised()
        except TooMuchCode:
            message = "what code that nobody looks into comes by cannot be told: it is too much"
            help_ = "call it outside of the function, and pass what it returns"
            raise UnsupportedOperationError(message, span=span_of(self.fn), help=help_) from None

    def _specialised(self) -> Specialized:
        interp, signature = self.interp, self.signature
        name = own_attribute(self.fn, "__name__", type(self.fn).__name__)
        name = name if name.isidentifier() else "anonymous"
        self.names.fresh("%" + name)
        interp.span = span_of(self.fn)
        arg_names = parameter_names(self.fn, len(signature.args))
        tree, results = self.called_with(arg_names)
        refuse_other_names(interp)
        places.told_apart(interp, self.fn)
        outside_containers.told_apart(interp)
        hidden = tuple(interp.outer.hidden)
        params = (*self.params, *interp.outer.hidden.values())
        asked = leaves_alone(self.fn, interp.to_check.unseen, hidden, (*interp.outer.guards, *places.told(interp)))
        body = Block(params, tuple(interp.builder.ops), results)
        function = Function(name, body, (), interp.helper_functions(), span_of(self.fn))
        written = parameters_written(function, interp.to_check.written)
        function, apart = self.checked(function)
        paths = [
            path
            for t, n in (*zip(signature.args, arg_names, strict=True), *((t, n) for n, t in signature.kwargs))
            for path in leaf_paths(t, n)
        ]
        return Specialized(
            function,
            hidden,
            (*(_with_orders(guard, self.fn) for guard in interp.outer.guards), *asked, *apart),
            tuple(sorted(self.promoted.items(), key=lambda item: item[0])),
            interp.equal.tree(tree),
            tuple(paths),
            written,
            tuple((*axis, length) for axis, length in sorted(self.known_lengths.items())),
            tuple(found.access for found in interp.knowledge.containers.values()),
        )

    def called_with(self, arg_names: Sequence[str]) -> tuple[Tree, tuple[Operand, ...]]:
        """What a call of the function gives, once its body has been run on the values of the signature."""
        interp, signature = self.interp, self.signature
        firsts, count = dict(signature.shared), itertools.count()

        def number() -> tuple[int, bool]:
            place = next(count)
            return firsts.get(place, place), place in firsts

        def argument(tree: Tree, name: str) -> Value:
            return structures.argument(interp, tree, name, self.leaf, number)

        args = [argument(tree, name) for tree, name in zip(signature.args, arg_names, strict=True)]
        kwargs = {name: argument(tree, name) for name, tree in signature.kwargs}
        if interp.knowledge.takes_first_path:
            interp.first_call = FirstCall(interp.root, {var: self.leaves[position] for var, position in self.params.items()})
        outside_containers.begin(interp, self.fn)
        places.begin(interp)
        entry = from_outside(interp, self.fn, Access())
        try:
            return structures.result(interp, interp.call(entry, args, kwargs))
        except Unreachable:
            return structures.result(interp, NONE)

    def checked(self, function: Function) -> tuple[Function, tuple[Guard, ...]]:
        """`function` without what it need not do, refused where it may not be followed, and what each call is to ask for that."""
        interp = self.interp
        refuse_shared_arguments(function, interp.to_check.apart)
        refuse_told_dtypes(function, interp.to_check.told_dtypes)
        refuse_outside_arrays_given(function, interp.outer.hidden.values(), interp.to_check.handed_arrays)
        asked = self.kept_apart(function)
        function = kept_ahead(prune(left_as_written(interp, function, self.fn)))
        function = raising_errors(function, self.names)
        refuse_told_apart(function, interp.to_check.held)
        refuse_read_of_spent(function, interp.to_check.spent, interp.outer.hidden.values())
        refuse_cut_off(function)
        refuse_changes_of_spectra(function, interp.of_run.followed)
        refuse_numbers_out_of_objects(function, interp.of_run.unruled, interp.of_run.generators)
        function = with_numbers_refused(function, interp.of_run.unruled, self.names)
        refuse_additions_to_read_only(function)
        refuse_writes_to_read_only(function, interp.to_check.only_read)
        refuse_changes_of_held_arrays(function)
        refuse_writes_to_kept(function, interp.to_check.kept_arrays)
        function = settle(self.with_names(function))
        if self.signature.assumed:
            find_unspread(function, interp.equal, interp.integers.form)
            function = with_counts(with_checks(function, interp.equal), interp.equal)
            interp.equal.mark()
        function = interp.equal.function(function)
        back = brought_back(function)
        refuse_arrays_seen(interp.to_check.shown, back)
        refuse_outside_writes(function, tuple(var for var in function.params[len(self.params) :] if var not in back))
        return function, asked

    def kept_apart(self, function: Function) -> tuple[Guard, ...]:
        """What each call is to ask so that nothing which `function` keeps outside comes back without its derivative."""
        moves = Moving(function, [param for param in self.params if is_inexact(param.type)])
        kept = Kept.of(moves)
        containers = self.interp.knowledge.containers
        outside = {var: containers[key].value for key, var in self.interp.outer.containers.items()}
        owners = () if kept is None else tuple(kept.owners(outside))
        asked: tuple[Guard, ...] = ()
        if kept is not None:
            kept.refuse_written()
            kept.refuse_read_back()
            kept.refuse_recalled(list(places.found_before(self.interp, kept.moving)))
            asked = sees_not(self.interp.to_check.shown, [owner for owner, may_move in owners if may_move])
        handed, hidden = all_handed(self.interp.to_check.unseen), tuple(self.interp.outer.hidden.items())
        told = tuple(guard.access for guard in self.interp.outer.guards if isinstance(guard.expectation, Equals))
        refuse_objects_changed(self.fn, moves, handed, hidden, told, owners, outside)
        return asked

    def with_names(self, fn: Function) -> Function:
        """`fn` and its helpers with the user's names for what has one."""
        named = {var: name for var, name in self.interp.named.items() if var.name not in self.interp.parameters}

        def fresh(var: Var) -> Var:
            return Var(self.names.fresh(named[var]), var.type) if var in named else var

        helpers = tuple(map(self.with_names, fn.helpers))
        return replace(fn, body=rename_block(fn.body, {}, fresh), helpers=helpers) if named else fn

    def leaf(self, leaf: Leaf, name: str) -> Value:
        """The value of the next leaf: a parameter, or its literal where it was promoted."""
        position = self.count
        self.count += 1
        if position in self.promoted:
            return self.promoted[position]
        var = Var(self.names.fresh(name), leaf.type)
        var = replace(var, type=self.rebased(leaf.type, var.name, position))
        self.params[var] = position
        self.interp.parameters[var.name] = var
        if self.signature.assumed and leaf.type == INT and "." not in var.name:
            self.interp.integers.sizes[var] = Dim(var.name)
            self.interp.equal.counts[var.name] = var
        if isinstance(leaf.type, Scalar) and isinstance(self.leaves[position], bool | int | np.bool_ | np.integer):
            self.interp.integers.origins[var] = frozenset((var,))
        return var

    def promote(self, param: Var) -> None:
        """Let the next try know the value of `param`, or of the length that it stands for."""
        for position, axis in self.axes.get(param.name, ()):
            self.known_lengths[position, axis] = self.leaves[position].shape[axis]
        if (place := self.interp.outer.hidden_axes.get(param.name)) is not None:
            access, axis = place
            self.interp.knowledge.lengths[place] = self.interp.outer.hidden_values[self.interp.outer.hidden[access]].shape[axis]
        if param in self.params:
            position = self.params[param]
            self.promoted[position] = Lit(self.leaves[position])
            return
        for access, var in self.interp.outer.hidden.items():
            if var == param:
                self.interp.knowledge.hidden[access] = Lit(self.interp.outer.hidden_values[var])

    def short_lengths(self, longest: int) -> frozenset[Var]:
        """The lengths of arguments that are not known, and not above `longest`."""
        names = (name for name, places in self.axes.items() if all(self.leaves[p].shape[axis] <= longest for p, axis in places))
        return frozenset(Var(name, INT) for name in names)

    def numbers_from_outside(self) -> frozenset[Var]:
        """The numbers that each call reads again from outside, and that the function does not set."""
        outer, places = self.interp.outer, self.interp.knowledge.places.values()
        set_ones = {place.access.to("attribute", place.name) for place in places}
        read = (var for access, var in outer.hidden.items() if access not in set_ones)
        return frozenset(var for var in read if type(outer.hidden_values[var]) in _NUMBERS)

    def rebased(self, type_: Type, name: str, position: int) -> Type:
        """The type of the leaf at `position`, its lengths named after the parameter `name`, or after the first that has them."""
        if not isinstance(type_, Array) or type_.shape is None:
            return type_
        own = [self.shared(Dim(f"{name}.{axis}")) if isinstance(n, Dim) else n for axis, n in enumerate(type_.shape)]
        return Array(type_.dtype, tuple([self.known_or_not(size, position, axis) for axis, size in enumerate(own)]))

    def known_or_not(self, size: Size, position: int, axis: int) -> Size:
        """`size`, or the length of that axis where it had to be known; where not, and it is short, it may have to be."""
        known = self.known_lengths.get((position, axis))
        if known is None and isinstance(size, Dim) and self.leaves[position].shape[axis] <= FEW:
            self.axes.setdefault(size.base, []).append((position, axis))
            self.interp.integers.note_argument(size.base, self.leaves[position].shape[axis])
        return size if known is None else known

    def shared(self, size: Dim) -> Size:
        """What is `size`, the next length of the arguments: a number, or under the name of the first that has it as well."""
        number = next(self.lengths, None)
        if number is not None and number < 0:
            return -number
        return size if number is None else self.sizes.setdefault(number, size)


_NUMBERS = (bool, int, float, np.bool_, np.int64, np.float64)
"""Numbers that are compared digit by digit."""


def _with_orders(guard: Guard, fn: Callable[..., Any]) -> Guard:
    """`guard`, where it is about orders of sets with those in the code of `fn`."""
    code = own_attribute(fn, "__code__")
    if code is None or not isinstance(guard.expectation, InThisProcess):
        return guard
    return Guard(guard.access, InThisProcess(set_orders(code)))


def span_of(fn: Any) -> Span:
    """Where `fn` is written, without what wraps it."""
    fn = inspect.unwrap(fn)
    code = own_attribute(own_attribute(fn, "__func__", fn), "__code__")
    if code is None:
        return Span("", 0, 0, 0, 0)
    return Span(code.co_filename, code.co_firstlineno, 0, code.co_firstlineno, 0)
