"""Which values a program may leave out: by `np.where`, a mask, a maximum, a branch not taken, an iteration that replaces them.

The cotangent of such a value is exactly zero where it is left out, and the value itself may have overflowed there, or be NaN:
that is often why it is left out. Reverse mode then multiplies by a slope that is not finite, and has to see to it that the
product is zero (`adxform.analysis.infinite_slopes`). What the results depend on along a way without a choice is never left out:
where it is not finite, neither are they.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable

import numpy as np

from adxform import runtime
from adxform.analysis.spread import followed
from adxform.ir.ops import Block, Call, For, Function, If, Invoke, Lit, Op, Operand, Pack, Var, While
from adxform.ir.types import Array
from adxform.ir.walk import all_ops, never_ends, outs, variables
from adxform.primitives.alias import Aliases
from adxform.primitives.effects import effect_of
from adxform.primitives.facets import Chooses, Reduces
from adxform.primitives.memory import index_kind
from adxform.primitives.table import record_of


def left_out(fn: Function, aliases: Aliases) -> frozenset[Var]:
    """The variables of `fn`, with alias classes `aliases`, on which its results depend along no way without a choice.

    >>> from adxform.ir.text import read
    >>> from adxform.primitives.alias import alias_classes
    >>> fn = read('''
    ... def f(c: bool, x: f64):
    ...     a: f64 = numpy.exp(x)
    ...     b: f64 = numpy.sin(a)
    ...     d: f64 = builtins.max(x, b)
    ...     return d''')
    >>> sorted(var.name for var in left_out(fn, alias_classes(fn)))
    ['a', 'b']
    """
    if not any(map(_may_choose, all_ops(fn.body))):
        return frozenset()
    places = frozenset[Operand](place for op in all_ops(fn.body) for place in _extreme_places(op))
    uses = _Uses(aliases, _replaced(fn, aliases), _traded(fn, aliases), places)
    uses.block(fn.body, [(result, ALWAYS) for result in fn.results])
    return frozenset(uses.left)


def chooses(call: Call) -> bool:
    """Whether `call` leaves out elements of its first argument, or of all that it picks from."""
    if not isinstance(call.fn, Lit):
        return False
    return record_of(call.fn.value).chooses is not None or any(key == "where" for key, _ in call.kwargs)


def _may_choose(op: Op) -> bool:
    return not isinstance(op, Call) or chooses(op) or _takes_by_array(op) or op.fn == STORE or bool(_extreme_places(op))


def _extreme_places(op: Op) -> tuple[Var, ...]:
    """What says which element of an array, the largest or the smallest that there is, Python's ``max`` or ``min`` takes."""
    found = isinstance(op, Call) and isinstance(op.fn, Lit) and record_of(op.fn.value).reduces in FIRST
    return outs(op) if found else ()


def _takes_by_array(call: Call) -> bool:
    return call.fn == LOAD and index_kind(call.args[1]) == "fancy"


def _replaced(fn: Function, aliases: Aliases) -> frozenset[int]:
    """The memory of `fn` of which a store replaces elements; which of those that are there before, is not asked."""
    stores = (op for op in all_ops(fn.body) if isinstance(op, Call) and op.fn == STORE)
    return frozenset(aliases.of(var) for op in stores for var in variables(op.args[0]))


def _traded(fn: Function, aliases: Aliases) -> dict[int, Var]:
    """The written memory of `fn` that holds several arrays, of which a branch takes one or another: what the branch gives.

    Another iteration may take the other array, so that no use of such memory is said to happen always.
    """
    joins = (
        pair
        for op in all_ops(fn.body)
        if isinstance(op, If)
        for pair in zip(op.outs, op.then.results, op.orelse.results, strict=False)
    )
    arrays = (out for out, one, other in joins if isinstance(out.type, Array) and one != other)
    return {aliases.of(out): out for out in arrays if aliases.of(out) in aliases.written}


def _replaces(call: Call) -> bool:
    """Whether `call` replaces the elements of an array that a mask or a slice chooses, or all of them."""
    if call.fn != STORE:
        return False
    index = call.args[1]
    if (isinstance(index, Pack) and index.kind == "slice") or (
        isinstance(index, Lit) and isinstance(index.value, slice | type(...))
    ):
        return True
    return isinstance(index, Var) and isinstance(index.type, Array) and index.type.dtype == "bool"


Ways = frozenset[tuple[Var, int] | None]
"""How something is used: without a choice (``None``), or on one side of the choice that makes a variable."""
State = dict[Var | int, Ways]
NEVER: Ways = frozenset()
ALWAYS: Ways = frozenset([None])


class _Uses:
    """The ways in which the ops after the current one use variables, and memory that is written, as a whole."""

    def __init__(self, aliases: Aliases, replaced: frozenset[int], traded: dict[int, Var], places: frozenset[Operand]) -> None:
        self.aliases = aliases
        self.replaced = replaced
        self.traded = traded
        self.places = places
        self.used: State = {}
        self.choices: dict[Var, Ways] = {}
        self.left: set[Var] = set()
        self.rising = True
        self.risen: dict[int, tuple[list[Ways], State]] = {}

    def name(self, var: Var) -> Var | int:
        """What stands for `var` among those that are used."""
        number = self.aliases.of(var)
        return number if number in self.aliases.written else var

    def add(self, operands: Iterable[Operand], ways: Ways) -> None:
        """Note that `operands` are used in these ways; on both sides of a choice is as the choice itself is."""
        for name in {self.name(var) for operand in operands for var in variables(operand)}:
            traded = self.traded.get(name) if isinstance(name, int) else None
            found = self.used.get(name, NEVER) | (ways if traded is None or not ways else frozenset([(traded, 0)]))
            if len(found) < 2:
                self.used[name] = found
                continue
            both = {way[0] for way in found if way is not None and (way[0], 1 - way[1]) in found}
            self.used[name] = found.union(*(self.choices[choice] for choice in both))

    def ways(self, *operands: Operand) -> Ways:
        """The ways in which `operands` are used."""
        return NEVER.union(*(self.used.get(self.name(var), NEVER) for operand in operands for var in variables(operand)))

    def block(self, block: Block, results: Iterable[tuple[Operand, Ways]]) -> None:
        """Go through `block` from its end, of which `results` are used."""
        for result, ways in results:
            self.add([result], ways)
        for op in reversed(block.ops):
            self.left.update(out for out in outs(op) if None not in self.ways(out) or self.fills(op, out))
            match op:
                case Call():
                    self.call(op)
                case If():
                    self.branch(op)
                case For(outs=outs_, inits=inits, body=body, breaks=breaks):
                    self.loop(outs_, inits, body, body.params[1:], body.results[breaks:])
                case While(outs=outs_, inits=inits, body=body):
                    self.loop(outs_, inits, body, body.params, body.results)
                case Invoke(args=args):
                    self.add(args, self.ways(*op.outs, *args))
                case _:
                    pass

    def fills(self, op: Op, out: Var) -> bool:
        """Whether `op` makes an array `out` of what may move, of which elements are replaced, in memory of its own."""
        if not isinstance(op, Call) or not any(variables(arg) for arg in followed(op)):
            return False
        made = self.aliases.of(out)
        return made in self.replaced and all(self.aliases.of(var) != made for arg in op.args for var in variables(arg))

    def only_fills(self, call: Call) -> bool:
        """Whether elements of all that `call` makes are replaced."""
        return bool(call.outs) and all(self.fills(call, out) for out in call.outs)

    def call(self, call: Call) -> None:
        """What `call` uses, but for what it chooses from."""
        ways = self.ways(*call.outs, *(call.args[place] for place in effect_of(call).writes))
        if not ways:
            return
        if _replaces(call):
            for var in variables(call.args[0]):
                self.used.pop(self.name(var), None)
            self.add(call.args[2:], ways)
        elif (sides := _sides(call)) is not None:
            (out,) = call.outs
            self.choices[out] = ways
            for number, side in enumerate(sides):
                self.add([side], frozenset([(out, number)]))
        elif not chooses(call) and not self.takes(call) and call.fn != MASKED and not self.only_fills(call):
            self.add(followed(call), ways)

    def takes(self, call: Call) -> bool:
        """Whether `call` takes elements of an array by another array, or the one that is the largest or smallest."""
        return _takes_by_array(call) or (call.fn == LOAD and call.args[1] in self.places)

    def branch(self, op: If) -> None:
        """What both sides of `op` use, or the one that does not raise."""
        wanted = [self.ways(out) for out in op.outs]
        after, found = self.used, list[State]()
        for side in (op.then, op.orelse):
            self.used = dict(after)
            self.block(side, zip(side.results, wanted, strict=False))
            if not never_ends(side):
                found.append(self.used)
        if len(found) == 2:
            one, other = found
            self.used = {name: ways & other[name] for name, ways in one.items() if name in other}
        else:
            self.used = found[0] if found else after

    def loop(
        self,
        outs_: tuple[Var, ...],
        inits: tuple[Operand, ...],
        body: Block,
        params: tuple[Var, ...],
        results: tuple[Operand, ...],
    ) -> None:
        """What iterations of a loop use; they use what they hand on where something does, and none replaces it unread."""
        # First up: what an iteration reads of the iteration before is used in the ways that it is read in, until no way is added.
        # Then down: what all iterations replace unread is not used in the ways of what comes after, until no way is taken away.
        # While the loops around this one go up, it is used in ever more ways, and goes on from where it was: each of the loops
        # around it would double its iterations otherwise.
        after, left, carried = self.used, self.left, [self.ways(out) for out in outs_]
        between: State = {}
        outer, grows = self.rising, True
        if outer and id(body) in self.risen:
            before, between = self.risen[id(body)]
            carried = [was | now for was, now in zip(before, carried, strict=True)]
        while True:
            self.used, self.left, self.rising = _union(after, between), set(left), outer and grows
            self.block(body, zip(results, carried, strict=True))
            read = list(map(self.ways, params))
            more = _union(between, {name: ways for name, ways in self.used.items() if isinstance(name, int)})
            if grows and more == between and all(now <= was for was, now in zip(carried, read, strict=True)):
                grows = False
                self.risen[id(body)] = carried, between
            if not grows and all(was <= now for was, now in zip(carried, read, strict=True)):
                break
            between = more
            carried = [was | now if grows else was & now for was, now in zip(carried, read, strict=True)]
        self.rising = outer
        # A loop that may have no iteration counts as one that has: to take too much for left out costs time, no more.
        for init, ways in zip(inits, carried, strict=True):
            self.add([init], ways)


def _sides(call: Call) -> tuple[Operand, ...] | None:
    """The two operands of which `call` takes one or the other, element by element."""
    match call:
        case Call((_,), Lit(np.where), (_, one, other)):
            return one, other
        case Call((_,), Lit(fn), (one, other), ()) if record_of(fn).chooses is Chooses.EITHER:
            return one, other
        case _:
            return None


def _union(one: State, other: State) -> State:
    return one | {name: ways | one.get(name, NEVER) for name, ways in other.items()}


MASKED = Lit(runtime.masked_product)
FIRST = (Reduces.FIRST_LARGEST, Reduces.FIRST_SMALLEST)
LOAD, STORE = Lit(operator.getitem), Lit(operator.setitem)
