"""What handlers ask of the interpreter that stands above them: what would go in a circle, were it called by name."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NoReturn

from adxform.errors import AdxError
from adxform.frontend.evaluate.objects.object_contents import (
    AnyContents,
    Collected,
    Columns,
    Keyed,
    ListFamily,
    Portion,
    Portions,
)
from adxform.frontend.evaluate.signals import Grows, Kind
from adxform.frontend.evaluate.values import Ref, Static, Value
from adxform.ir.build import Builder
from adxform.ir.ops import Block, Op, Operand, Var

Env = dict[Var, Value]


class Above(ABC):
    """A call of any function, an attribute of any value, and what else is for handlers that do not know one another."""

    @abstractmethod
    def watch(self, builder: Builder, op: Op) -> Op | None:
        """`op`, which `builder` is given, or what stands for it where it may raise and a ``try`` is run."""

    @abstractmethod
    def raise_unless(self, cond: Operand, exception: Callable[..., Exception], message: tuple[str, ...]) -> None:
        """As `require`, where a ``try`` is run."""

    @abstractmethod
    def throw(self, error: Operand, classes: tuple[type[BaseException], ...]) -> NoReturn:
        """Write the raising of `error`, which is of one of `classes`: what follows on this path is never reached."""

    @abstractmethod
    def value(self, operand: Operand, env: Mapping[Var, Value]) -> Value:
        """What is known of `operand`."""

    @abstractmethod
    def filled_item(self, ref: Ref, contents: Collected, k: Value) -> Value:
        """Item `k` of a list whose length only a run can tell."""

    @abstractmethod
    def filled_length(self, contents: Collected) -> Value:
        """How many items a list has whose length only a run can tell."""

    @abstractmethod
    def of_numbers(self, items: tuple[Value, ...]) -> bool:
        """Whether `items` are numbers, so that an array can hold them."""

    @abstractmethod
    def as_rows(self, ref: Ref, item: Value) -> bool:
        """Whether the list `ref` can be, and now is, an array of its items, one that can hold `item` too."""

    @abstractmethod
    def pin(self, value: Static) -> Any:
        """The object itself; each call must find the same one."""

    @abstractmethod
    def settle(self, value: Static) -> Any:
        """The object itself, from which something is told now: each call must find the same one, and the same in it."""

    @abstractmethod
    def items(self, value: Value) -> list[Value]:
        """The items of an iterable of known length."""

    @abstractmethod
    def pairs(self, value: Value) -> list[tuple[Any, Value]]:
        """The keys and values of a mapping, or of a sequence of pairs."""

    @abstractmethod
    def evaluate(self, fn: Callable[..., Any], args: Sequence[Any]) -> Value:
        """The value of a pure call on known objects."""

    @abstractmethod
    def outside_item(self, value: Static, key: Any) -> Value:
        """``value[key]`` of an object from outside."""

    @abstractmethod
    def outside_write(self, what: str) -> AdxError:
        """The error for a change to something that belongs to the caller's program."""

    @abstractmethod
    def outside_change(self, ref: Ref) -> Exception:
        """What is raised where a list or dict that belongs to the caller's program is changed."""

    @abstractmethod
    def reduce_loop(self, source: Value, start: Value, step: Callable[[Value, Value], Value], hint: str) -> Value:
        """The result of a loop that carries one value over the items of `source`."""

    @abstractmethod
    def refuse_keeping(self, kept: Iterable[Var]) -> None:
        """Raise where a float is given to an object that adxform cannot look into."""

    @abstractmethod
    def operand(self, value: Value) -> Operand:
        """`value` as an operand of a typed op."""

    @abstractmethod
    def call(
        self, fn: Value, args: Sequence[Value], kwargs: Mapping[str, Value] | None = None, hint: str = "tmp", wanted: bool = True
    ) -> Value:
        """The result of a call."""

    @abstractmethod
    def attribute(self, value: Value, name: str, hint: str = "tmp") -> Value:
        """``value.name``"""

    @abstractmethod
    def run_block(self, block: Block, env: Env) -> list[Value]:
        """Run the ops of `block` and return what is known of its results. Raises `Unreachable` when it never ends."""

    @abstractmethod
    def deciding(self, value: Value) -> frozenset[Var]:
        """The parameters, and lengths of arguments, that tell how many items `value` has, if they are known when compiling."""

    @abstractmethod
    def kind_of_columns(self, columns: Columns) -> Kind:
        """What the items of a list of tuples are."""

    @abstractmethod
    def one_of_lists(self, items: tuple[Value, ...], index: Var) -> Value | None:
        """The one of `items` at `index`, which only a run can tell, where they are lists that differ in length, or may."""

    @abstractmethod
    def one_of_portions(self, portions: Portions, index: Value) -> Value:
        """The list at `index` of as many lists as only a run can tell."""

    @abstractmethod
    def store_list(self, ref: Ref, index: Value, value: Value) -> bool:
        """Whether a list can be, and now is, stored at `index` of a list of lists, which only a run can tell."""

    @abstractmethod
    def under_key(self, ref: Ref, key: Value, *, stored: bool = False) -> Keyed | None:
        """What a dict holds of which only the run knows the keys, or may once something is `stored` under `key`; or ``None``."""

    @abstractmethod
    def load_under(self, ref: Ref, held: Keyed, key: Value, hint: str) -> Value:
        """The item of a dict under a key that only a run can tell."""

    @abstractmethod
    def store_under(self, held: Keyed, key: Value, value: Value) -> None:
        """Put `value` into a dict under a key that only a run can tell."""

    @abstractmethod
    def change_chosen(self, ref: Ref, contents: AnyContents) -> bool:
        """Whether `ref` is one of several objects of which the run knows which, and that one, like `ref`, now has `contents`."""

    @abstractmethod
    def renew_chosen(self, ref: Ref) -> None:
        """Let `ref`, one of several objects of which the run knows which, hold what that one holds now."""

    @abstractmethod
    def change_attributes(self, ref: Ref, contents: AnyContents) -> None:
        """Let the attributes of the object `ref` be `contents`."""

    @abstractmethod
    def are_objects(self, items: tuple[Value, ...]) -> bool:
        """Whether a list of the run can hold `items`: texts, and what else carries no derivative and is not changed."""

    @abstractmethod
    def listed(self, value: Value) -> Value:
        """`value`; of a set of the run, the list of its elements, in the order of the run."""

    @abstractmethod
    def put_together(self, group: tuple[Ref, ...]) -> bool:
        """Whether the items of the lists `group` can be, and now are, in one list."""

    @abstractmethod
    def take_in(self, family: ListFamily, ref: Ref) -> bool:
        """Whether the list `ref` can be, and now is, one of a family."""

    @abstractmethod
    def taken(self, portion: Portion) -> Ref:
        """A list of the items of one of several lists, as they are now."""

    @abstractmethod
    def put(self, portion: Portion, contents: AnyContents) -> None:
        """Let one of several lists hold `contents` instead of what it holds."""

    @abstractmethod
    def as_columns(self, growing: Grows) -> bool:
        """Whether the list of `growing` can be, and now is, a list for each place in its tuples."""
