"""What the passes share: a walk that replaces variables as it goes, and the memory that an op touches."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import replace

from adxform.ir import intrinsics
from adxform.ir.operand_facts import callee
from adxform.ir.ops import Block, Call, For, Function, If, Invoke, Lit, Op, Operand, Pack, Var, While
from adxform.ir.types import Array, Scalar
from adxform.ir.walk import blocks, map_op, mapped, operands, outs
from adxform.primitives.alias import Aliases, alias_classes
from adxform.primitives.effects import effect_of, positions
from adxform.primitives.facets import Views
from adxform.primitives.memory import reshapes_vector
from adxform.primitives.record import Effect
from adxform.primitives.table import record_of


def each_body(fn: Function, transform: Callable[[Function], Block]) -> Function:
    """`fn` with the bodies of itself and of its helpers transformed; `fn` itself if none changed."""
    body = transform(fn)
    helpers = tuple([each_body(helper, transform) for helper in fn.helpers])
    same = body is fn.body and all(map(operator.is_, helpers, fn.helpers))
    return fn if same else replace(fn, body=body, helpers=helpers)


def each_function(fn: Function, transform: Callable[[Function, Aliases], Block]) -> Function:
    """`fn` with the bodies of itself and of its helpers transformed, each with its alias classes; `fn` itself if none changed."""
    aliases = alias_classes(fn)
    return each_body(fn, lambda part: transform(part, aliases if part is fn else aliases.helpers.get(part.name, aliases)))


class Rewriter:
    """Walks blocks in order and replaces each variable in `known` by its operand; a pass overrides `visit`.

    What does not change stays the same object.
    """

    def __init__(self) -> None:
        self.known: dict[str, Operand] = {}

    def operand(self, operand: Operand) -> Operand:
        """`operand` with known variables replaced."""
        if isinstance(operand, Var):
            return self.known.get(operand.name, operand)
        if isinstance(operand, Pack):
            items = self.operands(operand.items)
            return operand if items is operand.items else Pack(operand.kind, items)
        return operand

    def operands(self, given: tuple[Operand, ...]) -> tuple[Operand, ...]:
        """`given` with known variables replaced; the same tuple when there are none."""
        known = self.known
        for operand in given:
            if operand.name in known if isinstance(operand, Var) else isinstance(operand, Pack):
                return mapped(given, self.operand)
        return given

    def block(self, block: Block) -> Block:
        """`block` after the pass."""
        ops: list[Op] = []
        known = self.known
        for op in block.ops:
            self.visit(self.renew(op) if known else op, ops)
        results = self.operands(block.results)
        same = results is block.results and len(ops) == len(block.ops) and all(map(operator.is_, ops, block.ops))
        return block if same else Block(block.params, tuple(ops), results)

    def renew(self, op: Op) -> Op:
        """`op` with known variables replaced in what it takes itself."""
        known = self.known
        if isinstance(op, Call) and not op.kwargs:
            for arg in op.args:
                if arg.name in known if isinstance(arg, Var) else isinstance(arg, Pack):
                    break
            else:
                if isinstance(op.fn, Lit):
                    return op
        given = operands(op)
        return op if self.operands(given) is given else map_op(op, self.operand, lambda block: block)

    def visit(self, op: Op, ops: list[Op]) -> None:
        """Append what becomes of `op` to `ops`."""
        ops.append(self.descend(op))

    def descend(self, op: Op) -> Op:
        """`op` with its blocks walked."""
        match op:
            case Call():
                return op
            case If(then=then, orelse=orelse):
                then, orelse = self.block(then), self.block(orelse)
                return op if then is op.then and orelse is op.orelse else replace(op, then=then, orelse=orelse)
            case For(body=body):
                body = self.block(body)
                return op if body is op.body else replace(op, body=body)
            case While(test=test, body=body):
                test, body = self.block(test), self.block(body)
                return op if test is op.test and body is op.body else replace(op, test=test, body=body)
            case _:
                return op


class Sharing:
    """Decides when it makes no difference that two equal arrays are one object."""

    def __init__(self, fn: Function, aliases: Aliases) -> None:
        self.aliases = aliases
        self.fixed = aliases.written | aliases.exposed
        self.results = set(aliases.classes(fn.results))
        self.outside = self.results | set(aliases.reached(fn.params))

    def is_constant(self, operand: Operand) -> bool:
        """Whether the contents of `operand` never change after it is made."""
        if isinstance(operand, Var):
            return isinstance(operand.type, Scalar) or self.aliases.of(operand) not in self.fixed
        return not isinstance(operand, Pack) or all(map(self.is_constant, operand.items))

    def unite(self, out: Var, earlier: Var) -> bool:
        """Whether `earlier` may stand for `out`; if so, what is returned as `out` is from now on `earlier`.

        Not when one of them is written, nor when the caller would get one array twice or an argument of its own.
        """
        if isinstance(out.type, Scalar):
            return True
        a, b = self.aliases.of(out), self.aliases.of(earlier)
        if a in self.fixed or b in self.fixed or not isinstance(out.type, Array):
            return False
        if a in self.results:
            if b in self.outside:
                return False
            self.results.add(b)
            self.outside.add(b)
        return True


def is_certain_view(op: Call, effect: Effect) -> bool:
    """Whether `op` only makes another name for memory and reads none."""
    if not effect.views or not op.outs or not isinstance(op.outs[0].type, Array) or op.outs[0].type.shape is None:
        return False
    fn = callee(op)
    if fn is operator.getitem:
        return isinstance(op.args[0], Var) and isinstance(op.args[0].type, Array)
    return record_of(fn).view is Views.ALWAYS or reshapes_vector(op)


def classes_read(op: Call, effect: Effect, aliases: Aliases) -> list[int]:
    """The alias classes whose contents the call reads, in order; a store's target is not among them."""
    if not effect.reads or (effect.views and is_certain_view(op, effect)):
        return []
    given = (*op.args, *(value for _, value in op.kwargs)) if op.kwargs else op.args
    if effect.writes and callee(op) is not intrinsics.pop:
        given = tuple(operand for place, operand in enumerate(given) if place not in effect.writes)
    return aliases.classes(given)


def classes_written(op: Op, aliases: Aliases) -> list[int]:
    """The alias classes that `op` may write, in its blocks too."""
    match op:
        case Call():
            effect = effect_of(op)
            found = aliases.classes(positions(op, effect.writes)) if effect.writes else []
            return [*aliases.exposed, *found] if effect.opaque and not effect.marks else found
        case Invoke(callee=name):
            summary = aliases.summaries[name]
            found = list(aliases.exposed) if summary.opaque else []
            for place, classes in enumerate(aliases.by_place(op)):
                if place in summary.written:
                    found += classes
            return found
        case _:
            return [class_ for block in blocks(op) for inner in block.ops for class_ in classes_written(inner, aliases)]


def classes_named(op: Op, aliases: Aliases) -> list[int]:
    """The alias classes that `op` itself mentions; a helper also reaches what is on the tapes that it is given."""
    given = (*operands(op), *outs(op))
    return aliases.reached(given) if isinstance(op, Invoke) else aliases.classes(given)


def classes_touched(op: Op, aliases: Aliases) -> list[int]:
    """The alias classes that `op` mentions or may write, in its blocks too."""
    found = classes_named(op, aliases)
    inside = () if isinstance(op, Call) else blocks(op)
    if not inside:
        found += classes_written(op, aliases)
    for block in inside:
        for inner in block.ops:
            found += classes_touched(inner, aliases)
        found += aliases.classes((*block.params, *block.results))
    return found
