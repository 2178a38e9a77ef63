"""Generators that stand at a ``yield``: `next` runs the code of one from there to the next.

Where it stands is the way to the op that gave the last item: the place of an op in each block, and the side of an `If`. That, and
the variables that are read from there on, are the contents of its state, so that control flow joins these as it joins others.
What decides on the way must be known: a condition, or whether a loop goes on.
"""

from __future__ import annotations

import operator
from dataclasses import dataclass, replace
from typing import Any

from adxform.frontend.evaluate.above import Env
from adxform.frontend.evaluate.control_flow import iteration, loop_trips, walks
from adxform.frontend.evaluate.control_flow.branches import truth
from adxform.frontend.evaluate.levels import Frame
from adxform.frontend.evaluate.objects.object_contents import Contents
from adxform.frontend.evaluate.signals import Promote
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import Once, Value
from adxform.ir import intrinsics
from adxform.ir.operand_facts import with_inner
from adxform.ir.ops import Block, Call, For, If, Lit, Op, Pack, Var, While
from adxform.ir.types import Object
from adxform.ir.walk import free_variables, reads_with_blocks

Way = tuple[int | bool, ...]
_WHERE = "where"
_UNROLL = 256


@dataclass(frozen=True, slots=True)
class _Item:
    """What a generator gave, and the way to where it did."""

    value: Value
    way: Way = ()


def stands(interp: Interpreter, once: Once) -> bool:
    """Whether an iterator is a generator that has given some of its items, and can go on from there."""
    contents: Any = interp.heap.contents[once.state]
    return once.generator is not None and isinstance(contents, Contents) and contents.keys[:1] == (_WHERE,)


def advance(interp: Interpreter, once: Once, *, sure: bool) -> Value | None:
    """The next item of an iterator; ``None`` after the last. Where only a run can tell, it is taken to have one if `sure`."""
    return _of_items(interp, once, sure=sure) if once.generator is None else _of_code(interp, once, sure=sure)


def _of_items(interp: Interpreter, once: Once, *, sure: bool) -> Value | None:
    if (counted := walks.counting(interp, once)) is not None:
        walks.count_on(interp, once, counted[1])
        return iteration.item_at(interp, *counted)
    source, taken = walks.begun(interp, once, "some")
    places = iteration.known_places(interp, source)
    if places is not None:
        there = taken < len(places)
    elif not (there := iteration.is_endless(source)):
        there = _has_more(interp, source, taken, sure=sure)
    if not there:
        walks.leave(interp, once)
        return None
    item = places[taken]() if places is not None else iteration.item_at(interp, source, Lit(taken))
    walks.record(interp, once, source, taken + 1)
    return item


def _has_more(interp: Interpreter, source: Value, taken: int, *, sure: bool) -> bool:
    count = iteration.length(interp, source)
    more = truth(interp, interp.call(Lit(operator.gt), (count, Lit(taken)), hint="more"))
    if isinstance(more, bool):
        return more
    if not sure:
        if params := loop_trips.deciding(interp, source):
            raise Promote(params)
        raise walks.unknown_rest(interp, "whether it has another item, only a run can tell")
    if isinstance(more, Var):
        interp.require(more, StopIteration)
    return True


def _of_code(interp: Interpreter, once: Once, *, sure: bool) -> Value | None:
    generator = once.generator
    assert generator is not None
    fn = generator.whole.fn
    if stands(interp, once):
        contents = interp.contents(once.state)
        where = contents.items[0]
        if not isinstance(where, Lit):
            raise walks.unknown_rest(interp, "where it stands depends on the run")
        way: Way = where.value
        env: Env = dict(zip(contents.keys[1:], contents.items[1:], strict=True))
    elif walks.begin(interp, once) is None:
        return None
    else:
        way, env = (), dict(zip(fn.params, generator.args, strict=True))
    if interp.level is not None:
        walks.leave(interp, once)  # one that raises is at its end
    span = interp.span
    interp.frames.append(Frame(fn, dict(generator.whole.captures), generator.whole.scope))
    try:
        found = _Run(interp, env).block(fn.body, way, sure=sure)
    finally:
        interp.frames.pop()
    interp.span = span
    if not isinstance(found, _Item):
        walks.leave(interp, once)
        return None
    live = [var for var in _read_after(fn.body, found.way) if var in env]
    interp.heap.contents[once.state] = Contents((_WHERE, *live), (Lit(found.way), *(env[var] for var in live)))
    return found.value


@dataclass(slots=True)
class _Run:
    """A run of the code of a generator up to its next item, which is `sure` to be in the last op that may give one."""

    interp: Interpreter
    env: Env

    def block(self, block: Block, way: Way, *, sure: bool) -> _Item | list[Value]:
        """Run a block from its beginning on, or from where it stands; what it gave, or its results."""
        for place in range(int(way[0]) if way else 0, len(block.ops)):
            op = block.ops[place]
            if not _gives(op):
                self.interp.run_block(Block((), (op,), ()), self.env)
                continue
            found = self.op(op, way[1:], sure=sure and not any(map(_gives, block.ops[place + 1 :])))
            way = ()
            if found is not None:
                return replace(found, way=(place, *found.way))
        return [self.interp.value(result, self.env) for result in block.results]

    def op(self, op: Op, way: Way, *, sure: bool) -> _Item | None:
        """Run an op that may give an item."""
        if op.span.line:
            self.interp.span = op.span
        match op:
            case Call(outs=outs, args=(value,)):
                self.env.update((out, Lit(True)) for out in outs)
                return None if way else _Item(self.interp.use(self.interp.value(value, self.env)), (True,))
            case If():
                return self._if(op, way, sure=sure)
            case For():
                return self._for(op, way, sure=sure)
            case While():
                return self._while(op, way)
            case _:
                raise AssertionError(op)

    def _known(self, value: Value) -> bool:
        cond = truth(self.interp, value)
        if not isinstance(cond, bool):
            why = "a condition in the generator decides what it gives, which only a run can tell"
            raise walks.unknown_rest(self.interp, why)
        return cond

    def _if(self, op: If, way: Way, *, sure: bool) -> _Item | None:
        if isinstance(op.cond, Pack):
            message = "a `yield` stands in a `try` of a generator that is asked for its items one by one"
            raise self.interp.error(message, "compute the item in the `try`, and `yield` it after that")
        side = bool(way[0]) if way else self._known(self.interp.value(op.cond, self.env))
        found = self.block(op.then if side else op.orelse, way[1:], sure=sure)
        if isinstance(found, _Item):
            return replace(found, way=(side, *found.way))
        self.env.update(zip(op.outs, found, strict=True))
        return None

    def _for(self, op: For, way: Way, *, sure: bool) -> _Item | None:
        item, *params = op.body.params
        if not way:
            source = self.interp.use(self.interp.value(op.source[0], self.env))
            self.env[_walked(op)] = self.interp.call(Lit(iter), (source,))
            self.env.update(zip(params, [self.interp.value(init, self.env) for init in op.inits], strict=True))
        going = True
        while going:
            if not way:
                found = self._item(self.env[_walked(op)], sure=sure)
                if found is None:
                    break
                self.env[item] = found
            results = self.block(op.body, way, sure=False)
            way = ()
            if isinstance(results, _Item):
                return results
            if op.breaks:
                going = self._known(results.pop(0))
            self.env.update(zip(params, results, strict=True))
        self.env.update(zip(op.outs, [self.env[param] for param in params], strict=True))
        return None

    def _item(self, walked: Value, *, sure: bool) -> Value | None:
        if not isinstance(walked, Once):
            raise walks.unknown_rest(self.interp, "it goes through an object of which nothing is known")
        return advance(self.interp, walked, sure=sure)

    def _while(self, op: While, way: Way) -> _Item | None:
        carried = [] if way else [self.interp.value(init, self.env) for init in op.inits]
        for _ in range(_UNROLL):
            if not way:
                self.env.update(zip(op.test.params, carried, strict=True))
                (test,) = self.interp.run_block(op.test, self.env)
                if not self._known(test):
                    self.env.update(zip(op.outs, carried, strict=True))
                    return None
                self.env.update(zip(op.body.params, carried, strict=True))
            results = self.block(op.body, way, sure=False)
            way = ()
            if isinstance(results, _Item):
                return results
            carried = results
        raise walks.unknown_rest(self.interp, "it runs long before it gives another item")


def _walked(op: For) -> Var:
    """What stands for the iterator that a loop takes its items from."""
    return Var(f"{op.body.params[0].name}.walked", Object())


def _gives(op: Op) -> bool:
    """Whether an op may give an item."""
    return any(isinstance(one, Call) and one.fn == Lit(intrinsics.yielded) for one in with_inner(op))


def _read_after(block: Block, way: Way) -> dict[Var, None]:
    """The variables that are read after the op to which a `way` leads."""
    place, *inside = way
    found = free_variables(Block((), block.ops[int(place) + 1 :], block.results))
    match block.ops[int(place)]:
        case If(then=then, orelse=orelse):
            side, *further = inside
            found |= _read_after(then if side else orelse, tuple(further))
        case For(body=body) as op:
            found |= {_walked(op): None} | reads_with_blocks(op) | _read_after(body, tuple(inside))
        case While(body=body) as op:
            found |= reads_with_blocks(op) | _read_after(body, tuple(inside))
        case _:
            pass
    return found
