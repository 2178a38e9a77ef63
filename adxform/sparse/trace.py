"""A function run on dependences instead of numbers: its typed IR, made into closures, one for each operation.

What is known runs as it would: loops with known bounds, branches on known conditions, stores to known places. Of a condition that
only a run can tell both branches run, from the same memory, and what they leave is joined. A loop whose passes only a run can
tell runs on sets that stand for those of any pass, until nothing new is written: `adxform.sparse.passes`.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any, assert_never

import numpy as np

from adxform.ir import intrinsics
from adxform.ir.ops import (
    UNDEFINED,
    Attribute,
    Block,
    Call,
    Closure,
    For,
    Free,
    Function,
    If,
    Invoke,
    Lit,
    Op,
    Operand,
    Pack,
    Raise,
    Var,
    While,
)
from adxform.ir.types import Array, Scalar, is_float
from adxform.ir.walk import defined_variables
from adxform.rules.effects import functions
from adxform.rules.record import Partials
from adxform.rules.table import lookup
from adxform.sparse.graph import CONST, GiveUp, Graph
from adxform.sparse.memory import Log, Note, joined, merge, pop, put, taken_back
from adxform.sparse.passes import Ends, settled
from adxform.sparse.primitives import PRODUCTS, QUOTIENTS, apply
from adxform.sparse.values import NotKnown, Whole, concrete, ids_of, tagged, untagged

Frame = list[Any]
Step = Callable[[Frame], None]
Getter = Callable[[Frame], Any]
Values = Sequence[Any]
DEPTH = 60
ARITHMETIC = frozenset({operator.add, operator.sub, operator.mul, operator.floordiv, operator.mod, max, min, operator.neg})
COMPARISONS = frozenset({operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne})


class Trace:
    """The graph of a run, what was written since the latest branch point, and how deep in unknown branches the run is."""

    def __init__(self, graph: Graph, fn: Function) -> None:
        self.graph = graph
        self.log: Log | None = None
        self.depth = 0
        known = functions(fn)
        self.routines: dict[str, Routine] = {}
        for name, helper in known.items():
            self.routines[name] = Routine(self, helper)
        self.main = self.routines[fn.name] if known[fn.name] is fn else Routine(self, fn)

    def noted(self, x: Any, index: Any, flow: bool = True) -> None:
        """Remember ``x[index]``, which is about to be written."""
        self.graph.check(x)
        if self.log is not None:
            self.log.append(Note(x, index, np.copy(x[index]), flow))

    def either(self, then: Callable[[], Values], orelse: Callable[[], Values]) -> tuple[Values | None, Values | None]:
        """What `then` and `orelse` return, each run from the memory as it is, which is then what either leaves.

        ``None`` for one that raises an error.
        """
        outer = self.log
        self.depth += 1
        if self.depth > DEPTH:
            raise GiveUp("its branches lie too deep in one another")
        try:
            one, written = self._apart(then)
            other, written_too = self._apart(orelse)
        finally:
            self.log = outer
            self.depth -= 1
        if one is None and other is None:
            raise Ends
        if one is None:
            written = written_too
        elif other is None:
            written_too = written
        merge(self.graph, written, written_too, outer)
        return one, other

    def _apart(self, run: Callable[[], Values]) -> tuple[Values | None, Any]:
        log: Log = []
        self.log = log
        try:
            found: Values | None = run()
        except Ends:
            found = None
        return found, taken_back(log)


class Routine:
    """A function of the program, compiled for the trace."""

    def __init__(self, trace: Trace, fn: Function) -> None:
        self.trace, self.fn = trace, fn
        self.slots: Mapping[str, int] = {var.name: i for i, var in enumerate(defined_variables(fn.body))}
        self.compiled: tuple[list[Step], list[Getter]] | None = None

    def __call__(self, args: Values) -> list[Any]:
        """The results for these arguments, as they lie in variables."""
        if self.compiled is None:
            self.compiled = Compiler(self).block(self.fn.body)
        steps, results = self.compiled
        frame: Frame = [None] * len(self.slots)
        for param, arg in zip(self.fn.params, args, strict=True):
            frame[self.slots[param.name]] = arg
        for step in steps:
            step(frame)
        return [get(frame) for get in results]


class Compiler:
    """Makes closures of the operations of one routine."""

    def __init__(self, routine: Routine) -> None:
        self.routine, self.trace, self.graph = routine, routine.trace, routine.trace.graph
        self.slots = routine.slots

    def block(self, block: Block) -> tuple[list[Step], list[Getter]]:
        """The steps of `block`, and what reads its results."""
        return [self.op(op) for op in block.ops], [self.plain(result) for result in block.results]

    def op(self, op: Op) -> Step:
        """The step of one operation."""
        match op:
            case Call():
                return self.call(op)
            case If():
                return self.branch(op)
            case For():
                return self.counted(op)
            case While():
                return self.conditional(op)
            case Invoke():
                return self.invoke(op)
            case Raise():
                return _raise
            case Free() | Attribute() | Closure():
                raise GiveUp("it is not typed")
            case _:
                assert_never(op)

    # Operands.

    def plain(self, operand: Operand) -> Getter:
        """Reads `operand` as it lies in a variable."""
        match operand:
            case Var(name):
                slot = self.slots[name]
                return lambda frame: frame[slot]
            case Lit(float() | np.floating() as number):
                value: Any = float(number)
                return lambda frame: value
            case Lit(np.ndarray() as array):
                return lambda frame: np.asarray(ids_of(array)) if array.dtype.kind == "f" else array.astype(np.int64)
            case Lit(value):
                return lambda frame: value
            case Pack():
                return self.tagged(operand)
            case _:
                assert_never(operand)

    def tagged(self, operand: Operand) -> Getter:
        """Reads `operand` as primitives take it."""
        match operand:
            case Var(name, type_):
                slot = self.slots[name]
                return lambda frame: tagged(frame[slot], type_)
            case Lit(np.ndarray() as array) if array.dtype.kind in "biu":
                whole = Whole(array.astype(np.int64), array.dtype.name)
                return lambda frame: whole
            case Lit(value):
                return lambda frame: value
            case Pack(kind, items):
                getters = [self.tagged(item) for item in items]
                match kind:
                    case "tuple":
                        return lambda frame: tuple([get(frame) for get in getters])
                    case "list":
                        return lambda frame: [get(frame) for get in getters]
                    case "slice":
                        return lambda frame: slice(*[get(frame) for get in getters])
                    case "dict":
                        pairs = list(zip(getters[::2], getters[1::2], strict=True))
                        return lambda frame: {key(frame): value(frame) for key, value in pairs}
            case _:
                assert_never(operand)

    def truth(self, operand: Operand) -> Getter:
        """Reads whether `operand` is true; ``None`` where only a run can tell."""
        get = self.tagged(operand)

        def read(frame: Frame) -> bool | None:
            try:
                return bool(concrete(get(frame)))
            except NotKnown:
                return None

        if isinstance(operand, Var) and isinstance(operand.type, Scalar) and not is_float(operand.type):
            slot = self.slots[operand.name]
            return lambda frame: frame[slot]
        return read

    def places(self, variables: Sequence[Var]) -> list[int]:
        """The slots of `variables`."""
        return [self.slots[var.name] for var in variables]

    # Calls.

    def call(self, op: Call) -> Step:
        """The step of a call: a short one for numbers and elements, where speed counts; else any."""
        if not isinstance(op.fn, Lit):
            raise GiveUp("it calls something that is not known")
        if any(isinstance(var.type, Scalar | Array) and np.dtype(var.type.dtype).kind not in "fbiu" for var in op.outs):
            raise GiveUp("it has values that are no real numbers")
        fn = op.fn.value
        if fn is intrinsics.turning_point:
            return _nothing
        if fn is intrinsics.new_stack:
            slot = self.slots[op.outs[0].name]
            return lambda frame: frame.__setitem__(slot, [])
        if fn is intrinsics.push:
            return self.push(op)
        if fn is intrinsics.pop:
            return self.pop(op)
        slow = self.any_call(op, fn)
        if op.kwargs:
            return slow
        if fn in (operator.getitem, operator.setitem, intrinsics.accumulate, intrinsics.deduct):
            return self.element(op, fn, slow)
        if op.outs and isinstance(op.outs[0].type, Scalar) and all(_is_number(arg) for arg in op.args):
            return self.number(op, fn, slow)
        return slow

    def any_call(self, op: Call, fn: Any) -> Step:
        """A call of any primitive on any operands."""
        trace = self.trace
        args = [self.tagged(arg) for arg in op.args]
        kwargs = [(key, self.tagged(value)) for key, value in op.kwargs]
        slot, type_ = (self.slots[op.outs[0].name], op.outs[0].type) if op.outs else (-1, None)

        def step(frame: Frame) -> None:
            found = apply(trace, op, fn, [get(frame) for get in args], {key: get(frame) for key, get in kwargs})
            if type_ is not None:
                frame[slot] = untagged(found, type_)

        return step

    def number(self, op: Call, fn: Any, slow: Step) -> Step:
        """A function of numbers."""
        out = self.slots[op.outs[0].name]
        variables = [arg for arg in op.args if isinstance(arg, Var)]
        record = lookup(fn)
        if not is_float(op.outs[0].type):
            weak = all(not isinstance(arg, Var) or (isinstance(arg.type, Scalar) and arg.type.weak) for arg in op.args)
            whole = fn in ARITHMETIC or fn in COMPARISONS
            if not (whole and weak) or any(is_float(var.type) for var in variables) or any(_is_float(arg) for arg in op.args):
                if fn in COMPARISONS and len(variables) == 2 and all(is_float(var.type) for var in variables):
                    return self.comparison(out, variables[0], variables[1], slow)
                return slow
            getters = [self.plain(arg) for arg in op.args]
            if len(getters) == 2:
                first, second = getters

                def whole_step(frame: Frame) -> None:
                    a, b = first(frame), second(frame)
                    frame[out] = None if a is None or b is None else fn(a, b)

                return whole_step
            return slow
        if record is None or not isinstance(record.derivative, Partials) or fn in QUOTIENTS:
            return slow
        flows = self.places([var for var in variables if is_float(var.type)])
        if len(flows) != len(variables) or len(op.args) > 2:
            return slow
        if len(flows) == 1:
            if fn in PRODUCTS and not all(isinstance(arg, Var) or arg.value for arg in op.args if not isinstance(arg, Pack)):
                return slow
            only = flows[0]

            def same(frame: Frame) -> None:
                a = frame[only]
                if type(a) is int and a >= CONST:
                    frame[out] = a
                else:
                    slow(frame)

            return same
        return self.union(out, flows[0], flows[1], slow) if len(flows) == 2 else slow

    def comparison(self, out: int, a: Var, b: Var, slow: Step) -> Step:
        """Two numbers compared: not known unless both are."""
        first, second = self.places([a, b])

        def step(frame: Frame) -> None:
            if type(frame[first]) is int or type(frame[second]) is int:
                frame[out] = None
            else:
                slow(frame)

        return step

    def union(self, out: int, first: int, second: int, slow: Step) -> Step:
        """A function of two floats."""
        graph, edges = self.graph, self.graph.edges

        def step(frame: Frame) -> None:
            a, b = frame[first], frame[second]
            if type(a) is type(b) is int and a >= CONST and b >= CONST:
                if a == b or b == CONST:
                    frame[out] = a
                elif a == CONST:
                    frame[out] = b
                else:
                    frame[out] = node = graph.count
                    graph.count = node + 1
                    edges.extend((node, a, node, b))
            else:
                slow(frame)

        return step

    def element(self, op: Call, fn: Any, slow: Step) -> Step:
        """An element of an array of floats read, written or added to."""
        x, index = op.args[0], op.args[1]
        parts = index.items if isinstance(index, Pack) and index.kind == "tuple" else (index,)
        array = isinstance(x, Var) and isinstance(x.type, Array) and is_float(x.type) and x.type.shape is not None
        if not isinstance(x, Var) or not isinstance(x.type, Array) or not array or len(parts) != len(x.type.shape or ()):
            return slow
        if not all(_is_whole(part) for part in parts):
            return slow
        trace, graph, source = self.trace, self.graph, self.slots[x.name]
        getters = [self.plain(part) for part in parts]
        only = getters[0] if len(getters) == 1 else None

        def place(frame: Frame) -> Any:
            if only is not None:
                return only(frame)
            found = tuple([get(frame) for get in getters])
            return None if None in found else found

        if fn is operator.getitem:
            out = self.slots[op.outs[0].name]

            def read(frame: Frame) -> None:
                where = place(frame)
                if where is None:
                    slow(frame)
                    return
                try:
                    frame[out] = frame[source].item(where)
                except IndexError:
                    raise Ends from None

            return read
        value = op.args[2]
        if not isinstance(value, Var) or not isinstance(value.type, Scalar) or not is_float(value.type):
            return slow
        given = self.slots[value.name]
        adds = fn is not operator.setitem

        def write(frame: Frame) -> None:
            where, new = place(frame), frame[given]
            if where is None or type(new) is not int:
                slow(frame)
                return
            ids = frame[source]
            try:
                if adds:
                    new = graph.union(ids.item(where), new)
                if trace.log is not None:
                    trace.log.append(Note(ids, where, ids.item(where)))
                if graph.frozen:
                    graph.check(ids)
                ids[where] = new
            except IndexError:
                raise Ends from None

        return write

    def push(self, op: Call) -> Step:
        """A value put on a stack."""
        trace, stack, value = self.trace, self.plain(op.args[0]), self.tagged(op.args[1])
        return lambda frame: put(stack(frame), value(frame), trace.log)

    def pop(self, op: Call) -> Step:
        """A value taken off a stack."""
        trace, stack = self.trace, self.plain(op.args[0])
        if not op.outs:

            def forget(frame: Frame) -> None:
                pop(stack(frame), trace.log)

            return forget
        out = op.outs[0]
        slot, type_ = self.slots[out.name], out.type

        def step(frame: Frame) -> None:
            value = pop(stack(frame), trace.log)
            frame[slot] = untagged(value, type_)

        return step

    # Control flow.

    def branch(self, op: If) -> Step:
        """A condition."""
        trace, condition = self.trace, self.truth(op.cond)
        then, then_results = self.block(op.then)
        orelse, orelse_results = self.block(op.orelse)
        slots = self.places(op.outs)

        def run(frame: Frame, steps: list[Step], results: list[Getter]) -> list[Any]:
            for step in steps:
                step(frame)
            return [get(frame) for get in results]

        def both(frame: Frame) -> list[Any]:
            one, other = trace.either(lambda: run(frame, then, then_results), lambda: run(frame, orelse, orelse_results))
            return self.either_of(op.outs, one, other)

        def step(frame: Frame) -> None:
            known = condition(frame)
            if known is None:
                found = both(frame)
            elif known:
                found = run(frame, then, then_results)
            else:
                found = run(frame, orelse, orelse_results)
            for slot, value in zip(slots, found, strict=True):
                frame[slot] = value

        return step

    def either_of(self, outs: Sequence[Var], one: Values | None, other: Values | None) -> list[Any]:
        """The values of `outs`, which are those of `one` or of `other`."""
        if one is None or other is None:
            return list(one if one is not None else other or ())
        return [self.either_value(out, a, b) for out, a, b in zip(outs, one, other, strict=True)]

    def either_value(self, out: Var, a: Any, b: Any) -> Any:
        """A value of `out` that is `a` or `b`."""
        if a is b:
            return a
        if a is UNDEFINED.value or b is UNDEFINED.value:
            return b if a is UNDEFINED.value else a
        return untagged(joined(self.graph, tagged(a, out.type), tagged(b, out.type)), out.type)

    def counted(self, op: For) -> Step:
        """A loop over a range."""
        trace, graph = self.trace, self.graph
        bounds, inits = [self.plain(bound) for bound in op.source], [self.plain(init) for init in op.inits]
        steps, results = self.block(op.body)
        item, *carried = self.places(op.body.params)
        outs, breaks = self.places(op.outs), op.breaks
        more = self.truth(op.body.results[0]) if breaks else None
        results = results[breaks:]

        def passed(frame: Frame, i: int | None) -> list[Any]:
            frame[item] = i
            for step in steps:
                step(frame)
            return [get(frame) for get in results]

        def started(frame: Frame, i: int | None, values: list[Any]) -> list[Any]:
            for slot, value in zip(carried, values, strict=True):
                frame[slot] = value
            return passed(frame, i)

        def maybe(frame: Frame, i: int, values: list[Any]) -> list[Any]:
            one, other = trace.either(lambda: started(frame, i, values), lambda: values)
            return self.either_of(op.outs, one, other)

        def step(frame: Frame) -> None:
            limits = [bound(frame) for bound in bounds]
            values = [init(frame) for init in inits]
            if None in limits:
                values = settled(trace, lambda given: started(frame, None, given), op.outs, values)
                limits = [0]
            sure = True
            for i in range(*limits):
                values = started(frame, i, values) if sure else maybe(frame, i, values)
                if more is not None:
                    goes_on = more(frame)
                    if goes_on is None:
                        sure = False
                    elif not goes_on and sure:
                        break
                graph.flush()
            for slot, value in zip(outs, values, strict=True):
                frame[slot] = value

        return step

    def conditional(self, op: While) -> Step:
        """A loop that a condition ends."""
        inits = [self.plain(init) for init in op.inits]
        test, _ = self.block(op.test)
        goes_on = self.truth(op.test.results[0])
        steps, results = self.block(op.body)
        tested, carried, outs = self.places(op.test.params), self.places(op.body.params), self.places(op.outs)
        trace, graph = self.trace, self.graph

        def asked(frame: Frame, values: list[Any]) -> bool | None:
            for slot, value in zip(tested, values, strict=True):
                frame[slot] = value
            for one in test:
                one(frame)
            known: bool | None = goes_on(frame)
            return known

        def passed(frame: Frame, values: list[Any]) -> list[Any]:
            for slot, value in zip(carried, values, strict=True):
                frame[slot] = value
            for one in steps:
                one(frame)
            return [get(frame) for get in results]

        def any_pass(frame: Frame, values: list[Any]) -> list[Any]:
            asked(frame, values)
            return passed(frame, values)

        def step(frame: Frame) -> None:
            values = [init(frame) for init in inits]
            while known := asked(frame, values):
                values = passed(frame, values)
                graph.flush()
            if known is None:
                values = settled(trace, lambda given: any_pass(frame, given), op.outs, values)
            for slot, value in zip(outs, values, strict=True):
                frame[slot] = value

        return step

    def invoke(self, op: Invoke) -> Step:
        """A call of a helper."""
        routine = self.trace.routines[op.callee]
        args, slots = [self.plain(arg) for arg in op.args], self.places(op.outs)

        def step(frame: Frame) -> None:
            found = routine([get(frame) for get in args])
            for slot, value in zip(slots, found, strict=False):
                frame[slot] = value

        return step


def _raise(frame: Frame) -> None:
    raise Ends


def _nothing(frame: Frame) -> None:
    pass


def _is_number(operand: Operand) -> bool:
    match operand:
        case Var(type=Scalar()):
            return True
        case Lit(value):
            return isinstance(value, bool | int | float | np.number)
        case _:
            return False


def _is_float(operand: Operand) -> bool:
    return isinstance(operand, Lit) and isinstance(operand.value, float | np.floating)


def _is_whole(operand: Operand) -> bool:
    match operand:
        case Var(type=Scalar(dtype)):
            return np.dtype(dtype).kind in "iu"
        case Lit(value):
            return isinstance(value, int) and not isinstance(value, bool)
        case _:
            return False
