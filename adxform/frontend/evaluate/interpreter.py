"""Runs untyped SSA on what is known of its values, and writes the typed SSA of what remains to be done at run time."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, NoReturn, assert_never

from adxform import runtime
from adxform.errors import AdxError
from adxform.frontend.calls import dispatch
from adxform.frontend.containers import (
    collecting,
    keyed_lists,
    list_arrays,
    list_kinds,
    lists_of_lists,
    object_lists,
    object_sets,
    portions,
    tuple_columns,
)
from adxform.frontend.evaluate import keys, operands, survey
from adxform.frontend.evaluate.above import Env
from adxform.frontend.evaluate.augmented import Augmented, augmented_assignment, load_what_waits
from adxform.frontend.evaluate.classes import own_containers
from adxform.frontend.evaluate.control_flow import (
    attempts,
    branches,
    first_path,
    iteration,
    loop_trips,
    loops,
    walks,
    while_loops,
)
from adxform.frontend.evaluate.objects import chosen_objects, fields, function_attributes
from adxform.frontend.evaluate.objects.object_contents import (
    AnyContents,
    Collected,
    Columns,
    Contents,
    Keyed,
    ListFamily,
    Portion,
    Portions,
)
from adxform.frontend.evaluate.outside import guards, outside_containers, places
from adxform.frontend.evaluate.parts import attributes, stored_attributes
from adxform.frontend.evaluate.set_shapes import refuse_outlived, set_shape
from adxform.frontend.evaluate.signals import Grows, Kind, Promote, Thrown, Unreachable
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import FoundOutside, FunctionValue, LoopTurn, Ref, Slice, Static, Tuple, Value
from adxform.frontend.signature.access import path_to
from adxform.ir import intrinsics
from adxform.ir.build import Builder
from adxform.ir.ops import Attribute, Block, Call, Closure, For, Free, If, Invoke, Lit, Op, Operand, Pack, Raise, Var, While
from adxform.ir.types import Scalar
from adxform.ir.walk import moved_to


class Evaluator(Interpreter):
    """Runs untyped SSA on the state of a specialisation, and answers what its handlers ask."""

    def watch(self, builder: Builder, op: Op) -> Op | None:
        """`op`, or what stands for it where it may raise and a ``try`` is run."""
        first_path.note_length(self)
        return attempts.watch(self, builder, op)

    def raise_unless(self, cond: Operand, exception: Callable[..., Exception], message: tuple[str, ...]) -> None:
        """Let `exception` be raised where `cond` does not hold, where a ``try`` is run."""
        attempts.raise_unless(self, cond, exception, message)

    def throw(self, error: Operand, classes: tuple[type[BaseException], ...]) -> NoReturn:
        """Write the raising of `error`, which is of one of `classes`: what follows on this path is never reached."""
        attempts.throw(self, error, classes)

    def value(self, operand: Operand, env: Mapping[Var, Value]) -> Value:
        """What is known of `operand`."""
        match operand:
            case Var():
                if self.outlived:
                    refuse_outlived(self, env[operand])
                return env[operand]
            case Lit():
                return operand
            case Pack("tuple", items):
                return Tuple(tuple(self.there(self.value(item, env)) for item in items))
            case Pack("list", items):
                return self.new_list(tuple(self.use(self.there(self.value(item, env))) for item in items))
            case Pack("slice", items):
                start, stop, step = (self.value(item, env) for item in items)
                return Slice(start, stop, step)
            case Pack("dict", items):
                values = [self.use(self.there(self.value(item, env))) for item in items]
                ref = self.heap.new("dict", dict, (), ())
                for key, item in zip(values[::2], values[1::2], strict=True):
                    contents = self.contents(ref)
                    self.heap.contents[ref] = contents.put(keys.displayed(self, key, contents.keys), item)
                return ref
            case Pack("instance", (Lit(cls), *items)):
                guards.guard_class(self, cls)
                parts = tuple([self.use(self.value(item, env)) for item in items[1::2]])
                if issubclass(cls, tuple):
                    return Tuple(parts, cls)
                return self.heap.new(
                    "instance", cls, tuple([self.static(self.value(item, env), "a name") for item in items[::2]]), parts
                )
            case _:
                raise AssertionError(operand)

    def filled_item(self, ref: Ref, contents: Collected, k: Value) -> Value:
        """Item `k` of a list whose length only a run can tell."""
        return collecting.load(self, ref, contents, k, "item")

    def filled_length(self, contents: Collected) -> Value:
        """How many items a list has whose length only a run can tell."""
        return collecting.length(self, contents)

    def of_numbers(self, items: tuple[Value, ...]) -> bool:
        """Whether `items` are numbers, so that an array can hold them."""
        return bool(items) and isinstance(list_kinds.common_item(self, items).type, Scalar)

    def as_rows(self, ref: Ref, item: Value) -> bool:
        """Whether the list `ref` can be, and now is, an array of its items, one that can hold `item` too."""
        kind = list_kinds.common_item(self, (*self.contents(ref).items, item))
        return list_arrays.as_list_of_rows(self, Grows(ref, kind))

    def pin(self, value: Static) -> Any:
        """The object itself; each call must find the same one."""
        return guards.pin(self, value)

    def settle(self, value: Static) -> Any:
        """The object itself, from which something is told now: each call must find the same one, and the same in it."""
        return guards.settle(self, value)

    def items(self, value: Value) -> list[Value]:
        """The items of an iterable of known length."""
        value = walks.opened(self, value)
        known = iteration.known_items(self, value)
        if known is None:
            count = iteration.literal_trips(self, value)
            if count is None:
                params = loop_trips.deciding(self, value) or self._lengths_left()
                if params:
                    raise Promote(params)
                raise self.error(
                    "how many items this has must be known before the program runs", "use a tuple, a list, or an array"
                )
            known = [iteration.item_at(self, value, Lit(k)) for k in range(count)]
        return known

    def _lengths_left(self) -> frozenset[Var]:
        """The short lengths of arguments that need not have been known so far: they may tell how many items something has."""
        return frozenset().union(*self.integers.of_arguments.values())

    def pairs(self, value: Value) -> list[tuple[Any, Value]]:
        """The keys and values of a mapping, or of a sequence of pairs."""
        value = own_containers.mapped(self, value)
        if isinstance(value, Ref) and value.kind == "dict":
            contents = self.contents(value)
            return list(zip(contents.keys, contents.items, strict=True))
        if isinstance(value, Lit) and isinstance(value.value, dict):
            return [(key, guards.constant(self, item)) for key, item in value.value.items()]
        found: list[tuple[Any, Value]] = []
        value = walks.opened(self, value)
        within = iteration.places_within(self, value)
        if within is not None:
            value = self._as_many(*within)
        if iteration.literal_trips(self, value) is None and not loop_trips.deciding(self, value):
            message = "the keys of this dict are known only when the program runs"
            raise self.error(message, "keep what belongs together in lists or arrays, and look it up by its position")
        for pair in self.items(value):
            key, item = self.items(pair)
            found.append((keys.displayed(self, key, found), item))
        return found

    def _as_many(self, places: list[iteration.Place], count: Value) -> Value:
        """The items of a `zip` that some of its parts allow, where the others, with at least `count`, have as many."""
        enough = branches.truth(self, self.call(Lit(operator.ge), (count, Lit(len(places)))))
        if isinstance(enough, Var):
            self.require(enough, runtime.fewer_values)
        elif not enough:
            raise self.error("the keys of this dict are more than the values", "give as many values as keys")
        return Tuple(tuple(place() for place in places))

    def evaluate(self, fn: Callable[..., Any], args: Sequence[Any]) -> Value:
        """The value of a pure call on known objects."""
        try:
            result = fn(*args)
        except RecursionError:  # the stack is ours: there may be room on another
            raise
        except Exception as error:
            return self.fail(type(error), str(error))
        return guards.constant(self, result)

    def outside_item(self, value: Static, key: Any) -> Value:
        """``value[key]`` of an object from outside."""
        if isinstance(key, slice) and not isinstance(value.value, tuple):
            raise self.error("a slice of an object from outside is taken", "take it outside of the function")
        try:
            found = value.value[key]
        except RecursionError:  # the stack is ours: there may be room on another
            raise
        except Exception as error:
            return guards.missing(self, path_to(value.access, ("item", key)), error)
        if isinstance(key, slice):
            self.pin(value)
            return guards.constant(self, found)
        return guards.from_outside(self, found, path_to(value.access, ("item", key)))

    def outside_write(self, what: str) -> AdxError:
        """The error for a change to something that belongs to the caller's program."""
        return guards.outside_write(self, what)

    def outside_change(self, ref: Ref) -> Exception:
        """What is raised where a list or dict that belongs to the caller's program is changed."""
        found = self.identity(ref)
        if isinstance(found, FoundOutside):
            return outside_containers.changed(self, found)
        return self.outside_write(f"a {ref.cls.__name__}")

    def reduce_loop(self, source: Value, start: Value, step: Callable[[Value, Value], Value], hint: str) -> Value:
        """The result of a loop that carries one value over the items of `source`."""
        return loops.reduce_loop(self, source, start, step, hint)

    def refuse_keeping(self, kept: Iterable[Var]) -> None:
        """Raise where a float is given to an object that adxform cannot look into."""
        operands.refuse_keeping(self, kept)

    def operand(self, value: Value) -> Operand:
        """`value` as an operand of a typed op."""
        return operands.operand(self, value)

    def call(
        self, fn: Value, args: Sequence[Value], kwargs: Mapping[str, Value] | None = None, hint: str = "tmp", wanted: bool = True
    ) -> Value:
        """The result of a call."""
        return dispatch.call(self, fn, tuple(args), dict(kwargs or {}), hint, wanted)

    def attribute(self, value: Value, name: str, hint: str = "tmp") -> Value:
        """``value.name``"""
        return attributes.load(self, value, name, hint)

    def run_block(self, block: Block, env: Env) -> list[Value]:
        """Run the ops of `block` and return what is known of its results. Raises `Unreachable` when it never ends."""
        skipped: dict[int, Augmented] = {}
        if self.frames and self.frames[-1].fn.span.is_own:
            block = Block(block.params, tuple([moved_to(op, self.span) for op in block.ops]), block.results)
        turns = len(self.loops.turns)
        if block.params:
            self.loops.turns.append(LoopTurn())
        try:
            for index, op in enumerate(block.ops):
                if op.span.line:
                    self.span = op.span
                if self.refused is not None:
                    survey.run_op(self, op, env, partial(self._step, block, index, env, skipped))
                else:
                    self._step(block, index, env, skipped)
        except (Unreachable, Thrown):
            load_what_waits(self, skipped.values())
            raise
        finally:
            del self.loops.turns[turns:]
        return [self.value(result, env) for result in block.results]

    def _step(self, block: Block, index: int, env: Env, skipped: dict[int, Augmented]) -> None:
        op = block.ops[index]
        handled = augmented_assignment(self, block, index, env, skipped) if isinstance(op, Call) else False
        if not handled and not set_shape(self, block, index, env):
            self.run_op(op, env)

    def run_op(self, op: Op, env: Env) -> None:
        """Run one op, binding its outs in `env`."""
        match op:
            case Call(fn=Lit(intrinsics.bound), args=(Lit(name), value)):
                attempts.mark(self, name, self.value(value, env))
            case Call(outs, fn, args, kwargs):
                values = [self.value(arg, env) for arg in args]
                if fn != Lit(intrinsics.leave):  # where no exception is pending, there is none
                    values = [self.use(value) for value in values]
                named = {key: self.use(self.value(arg, env)) for key, arg in kwargs}
                callee = self.use(self.value(fn, env))
                hint = outs[0].base if outs else "tmp"
                result = self.call(callee, values, named, hint, bool(outs))
                if outs:
                    self.name(outs[0].base, result)
                    env[outs[0]] = result
            case Free(out, name):
                found = places.free_name(self, name)
                env[out] = guards.free_name(self, name) if found is None else found
            case Attribute(out, value, name):
                env[out] = self.attribute(self.use(self.value(value, env)), name, out.base)
            case Closure():
                env[op.out] = self.closure(op, env)
            case If():
                branches.run_if(self, op, env)
            case For():
                loops.run_for(self, op, env)
            case While():
                while_loops.run_while(self, op, env)
            case Raise(value):
                branches.run_raise(self, value, env)
            case Invoke():
                raise AssertionError(op)
            case _:
                assert_never(op)

    def closure(self, op: Closure, env: Env) -> FunctionValue:
        """The function that `op` makes, with what it holds of the names around it."""
        frame = self.frames[-1] if self.frames else None
        itself = next((name for name, value in op.captures if value == op.out), None)
        captured = tuple((name, self.value(value, env)) for name, value in op.captures if value != op.out)
        defaults = tuple((name, self.use(self.value(value, env))) for name, value in op.defaults)
        turn = self.loops.turns[-1] if op.brief else None
        own = function_attributes.none_yet(self)
        return FunctionValue(op.fn, captured, defaults, frame.scope if frame else None, itself, turn, own)

    def deciding(self, value: Value) -> frozenset[Var]:
        """The parameters, and lengths of arguments, that tell how many items `value` has, if they are known when compiling."""
        return loop_trips.deciding(self, value)

    def kind_of_columns(self, columns: Columns) -> Kind:
        """What the items of a list of tuples are."""
        return tuple_columns.kind_of(self, self.heap, columns)

    def one_of_lists(self, items: tuple[Value, ...], index: Var) -> Value | None:
        """The one of `items` at `index`, which only a run can tell, where they are lists that differ in length, or may."""
        return portions.among(self, items, index)

    def one_of_portions(self, portions: Portions, index: Value) -> Value:
        """The list at `index` of as many lists as only a run can tell."""
        return lists_of_lists.at(self, portions, index)

    def store_list(self, ref: Ref, index: Value, value: Value) -> bool:
        """Whether a list can be, and now is, stored at `index` of a list of lists, which only a run can tell."""
        return lists_of_lists.store(self, ref, index, value)

    def under_key(self, ref: Ref, key: Value, *, stored: bool = False) -> Keyed | None:
        """What a dict holds of which only the run knows the keys, or may once something is `stored` under `key`; or ``None``."""
        return keyed_lists.under(self, ref, key, stored=stored)

    def load_under(self, ref: Ref, held: Keyed, key: Value, hint: str) -> Value:
        """The item of a dict under a key that only a run can tell."""
        return keyed_lists.load(self, ref, held, key, hint)

    def store_under(self, held: Keyed, key: Value, value: Value) -> None:
        """Put `value` into a dict under a key that only a run can tell."""
        keyed_lists.store(self, held, key, value)

    def change_chosen(self, ref: Ref, contents: AnyContents) -> bool:
        """Whether `ref` is one of several objects of which the run knows which, and that one, like `ref`, now has `contents`."""
        return fields.change(self, ref, contents) or chosen_objects.change(self, ref, contents)

    def renew_chosen(self, ref: Ref) -> None:
        """Let `ref`, one of several objects of which the run knows which, hold what that one holds now."""
        chosen_objects.renew(self, ref)

    def change_attributes(self, ref: Ref, contents: AnyContents) -> None:
        """Let the attributes of the object `ref` be `contents`."""
        if not isinstance(contents, Contents):
            raise self.error("attributes are stored under names that only a run can tell", "keep them in a dict of their own")
        stored_attributes.change_attributes(self, ref, contents)

    def are_objects(self, items: tuple[Value, ...]) -> bool:
        """Whether a list of the run can hold `items`: texts, and what else carries no derivative and is not changed."""
        return object_lists.are_objects(self, items)

    def listed(self, value: Value) -> Value:
        """`value`; of a set of the run, the list of its elements, in the order of the run."""
        return object_sets.listed(self, value)

    def put_together(self, group: tuple[Ref, ...]) -> bool:
        """Whether the items of the lists `group` can be, and now are, in one list."""
        return portions.put_together(self, group)

    def take_in(self, family: ListFamily, ref: Ref) -> bool:
        """Whether the list `ref` can be, and now is, one of a family."""
        return portions.take_in(self, family, ref)

    def taken(self, portion: Portion) -> Ref:
        """A list of the items of one of several lists, as they are now."""
        return portions.taken(self, portion)

    def put(self, portion: Portion, contents: AnyContents) -> None:
        """Let one of several lists hold `contents` instead of what it holds."""
        portions.put(self, portion, contents)

    def as_columns(self, growing: Grows) -> bool:
        """Whether the list of `growing` can be, and now is, a list for each place in its tuples."""
        return tuple_columns.start(self, growing)
