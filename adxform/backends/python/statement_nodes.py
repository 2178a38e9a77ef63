"""Typed IR to the statements of one Python function."""

from __future__ import annotations

import ast
import operator
from collections.abc import Mapping
from dataclasses import replace
from typing import assert_never

from adxform import runtime
from adxform.backends.python.expression_nodes import Expressions, name, negated
from adxform.backends.python.free_names import References
from adxform.backends.python.out_of_ssa import Naming
from adxform.backends.python.printing import Origin, Remark
from adxform.backends.python.syntax import BINARY, IN_PLACE
from adxform.errors import VerificationError
from adxform.ir import intrinsics
from adxform.ir.operand_facts import callee, type_of
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
    Raise,
    Var,
    While,
)
from adxform.ir.regions import is_call_of, left_at
from adxform.ir.spans import Span
from adxform.ir.types import Array, Scalar
from adxform.ir.walk import variables

LOAD, STORE = ast.Load(), ast.Store()
ORDER: Mapping[type[ast.cmpop], type[ast.cmpop]] = {ast.Lt: ast.GtE, ast.GtE: ast.Lt, ast.Gt: ast.LtE, ast.LtE: ast.Gt}
EQUALITY: Mapping[type[ast.cmpop], type[ast.cmpop]] = {ast.Eq: ast.NotEq, ast.NotEq: ast.Eq}
COMMUTATIVE = (operator.add, operator.mul)
Body = list[ast.stmt]
EXCEPTION = "exception"
"""What the handlers of generated code call what they handle."""


class Statements:
    """Writes the body of one function."""

    def __init__(self, expressions: Expressions, naming: Naming, functions: Mapping[str, str], references: References) -> None:
        self.expressions = expressions
        self.folding = expressions.folding
        self.naming = naming
        self.functions = functions
        self.references = references
        self.invoked: list[tuple[str, ast.Call]] = []

    def function(self, fn: Function, doc: str) -> ast.FunctionDef:
        """The definition of `fn`."""
        body: Body = [ast.Expr(ast.Constant(doc))] if doc else []
        body += self.ops(fn.body)
        results = [self.expressions.operand(result) for result in fn.results]
        if results and not _raises(body):
            body += [ast.Return(results[0] if len(results) == 1 else ast.Tuple(results, LOAD))]
        if all(isinstance(statement, Remark) for statement in body):
            body += [ast.Pass()]
        return definition(self.functions[fn.name], [self.naming.names[param] for param in fn.params], body)

    def ops(self, block: Block) -> Body:
        """The statements of `block`, up to the first `Raise`."""
        return self.sequence(block.ops)

    def sequence(self, ops: tuple[Op, ...]) -> Body:
        """The statements of `ops`, up to the first `Raise`."""
        body: Body = []
        for place, op in enumerate(ops):
            if is_call_of(op, runtime.entered):
                end = left_at(ops, place)
                return [*body, *self.entered(op, ops[place + 1 : end]), *self.sequence(ops[end:])]
            body += self.op(op)
            if isinstance(op, Raise):
                break
        return body

    def entered(self, op: Op, inside: tuple[Op, ...]) -> Body:
        """``with runtime.entered(manager) as value:``, and what is `inside` of it."""
        assert isinstance(op, Call)
        target = self.naming.names[op.outs[0]]
        named = None if target == "_" or not self.naming.is_read(op.outs[0]) else ast.Name(target, STORE)
        body = self.sequence(inside)
        item = ast.withitem(self.expressions.call(op), named)
        return _from(op.span, [ast.With([item], body if _has_code(body) else [*body, ast.Pass()])])

    def tried(self, op: Call) -> Body:
        """A call, and what it raises as a value."""
        value, error = op.outs
        fn, *args = op.args
        named = self.naming.names[error]
        body = [*self.call(replace(op, outs=(value,), fn=fn, args=tuple(args))), _assignment([named], ast.Constant(None))]
        caught = ast.Call(self.references.to(runtime.caught), [ast.Name(EXCEPTION, LOAD)], [])
        handler = ast.ExceptHandler(ast.Name("BaseException", LOAD), EXCEPTION, [_assignment([named], caught)])
        return [ast.Try(body, [handler], [], [])]

    def op(self, op: Op) -> Body:
        """The statements of `op`: none if its value is folded."""
        outs = op.outs if isinstance(op, Call | If) else ()
        if outs and outs[0] in self.folding.values:
            return []
        if isinstance(op, Call) and callee(op) is intrinsics.turning_point:
            return [Remark("reverse sweep")]
        if is_call_of(op, runtime.left):
            return []
        match op:
            case Call():
                return _from(op.span, self.call(op))
            case If() if self.folding.is_expression(op):
                return _from(op.span, self.assign(op.outs[0], op))
            case If():
                return self.branch(op, None)
            case For():
                return self.counted(op)
            case While():
                return self.conditional_loop(op)
            case Invoke(outs=invoked, callee=title, args=args):
                value = ast.Call(name(self.functions[title]), [self.expressions.operand(arg) for arg in args], [])
                self.invoked.append((title, value))
                targets = [self.naming.names[out] for out in invoked]
                return _from(op.span, [_assignment(targets, value)])
            case Raise(value=value):
                return _from(op.span, [ast.Raise(self.expressions.operand(value), None)])
            case Free() | Attribute() | Closure():
                raise VerificationError("untyped IR cannot be emitted", span=op.span)
            case _:
                assert_never(op)

    def call(self, op: Call) -> Body:
        """A call as a statement: a store, an augmented store, an assignment, or for its effect alone."""
        fn = callee(op)
        if fn is runtime.tried:
            return self.tried(op)
        if len(op.outs) > 1:
            return [_assignment([self.naming.names[out] for out in op.outs], self.expressions.call(op))]
        if not op.outs or not self.naming.is_read(op.outs[0]):
            if fn is operator.setitem:
                return [self.store(op)]
            if fn is intrinsics.accumulate:
                return [self.accumulate(op, ast.Add(), ast.Sub())]
            if fn is intrinsics.deduct:
                return [self.accumulate(op, ast.Sub(), ast.Add())]
            if fn is intrinsics.push:
                stack, value = (self.expressions.operand(arg) for arg in op.args)
                return [ast.Expr(ast.Call(ast.Attribute(stack, "append", LOAD), [value], []))]
            if fn is setattr and isinstance(op.args[1], Lit) and str(op.args[1].value).isidentifier():
                owner, value = self.expressions.operand(op.args[0]), self.expressions.operand(op.args[2])
                return [ast.Assign([ast.Attribute(owner, op.args[1].value, STORE)], value)]
            if fn is operator.delitem:
                return [ast.Delete([self.target(op.args[0], op.args[1])])]
            return [ast.Expr(self.expressions.call(op))]
        return self.assign(op.outs[0], op)

    def assign(self, out: Var, op: Call | If) -> Body:
        """``out = value``, or ``out += …`` where that is the same."""
        target = self.naming.names[out]
        if isinstance(op, Call) and (augmented := self.augmented(target, out, op)) is not None:
            return [augmented]
        value = self.expressions.op(op)
        if target == "_":
            return [ast.Expr(value)]
        return [] if _is_name(value, target) else [ast.Assign([ast.Name(target, STORE)], value)]

    def augmented(self, target: str, out: Var, op: Call) -> ast.stmt | None:
        """``target op= value`` for numbers, which no one else can see change."""
        fn = callee(op)
        if op.kwargs or len(op.args) != 2 or fn is operator.matmul or not (fn in BINARY or fn in IN_PLACE):
            return None
        left, right = op.args
        in_place = IN_PLACE.get(fn)
        numeric = isinstance(out.type, Scalar) and isinstance(type_of(left), Scalar)
        if self.is_named(left, target) and (numeric or in_place is not None):
            value = self.expressions.operand(right)
            kind = in_place or BINARY[fn]
            if kind in (ast.Add, ast.Sub) and numeric and (positive := self.expressions.without_sign(right)) is not None:
                kind, value = (ast.Sub if kind is ast.Add else ast.Add), positive
            return ast.AugAssign(ast.Name(target, STORE), kind(), value)
        numbers = all(isinstance(type_, Scalar) for type_ in (out.type, type_of(left), type_of(right)))
        if fn in COMMUTATIVE and numbers and self.is_named(right, target):
            return ast.AugAssign(ast.Name(target, STORE), BINARY[fn](), self.expressions.operand(left))
        return None

    def is_named(self, operand: Operand, target: str) -> bool:
        """Whether `operand` is a variable of that name, not an expression."""
        return isinstance(operand, Var) and operand not in self.folding.values and self.naming.names[operand] == target

    def store(self, op: Call) -> ast.stmt:
        """``x[i] = v``, or ``x[i] *= v`` where `v` is ``x[i] * …``."""
        array, index, value = op.args
        inner = self.folding.values.get(value) if isinstance(value, Var) else None
        if isinstance(inner, Call) and (callee(inner) in BINARY or callee(inner) in IN_PLACE) and not inner.kwargs:
            left, right = inner.args
            load = self.folding.values.get(left) if isinstance(left, Var) else None
            same = isinstance(load, Call) and callee(load) is operator.getitem and load.args == (array, index)
            if same and isinstance(value, Var) and isinstance(left, Var) and _is_same_in_place(callee(inner), left, value):
                kind = BINARY.get(callee(inner)) or IN_PLACE[callee(inner)]
                return ast.AugAssign(self.target(array, index), kind(), self.expressions.operand(right))
        return ast.Assign([self.target(array, index)], self.expressions.operand(value))

    def accumulate(self, op: Call, kind: ast.operator, opposite: ast.operator) -> ast.stmt:
        """``x[i] += v``; ``x += v`` for a whole array."""
        array, index, operand = op.args
        value = self.expressions.operand(operand)
        if (positive := self.expressions.without_sign(operand)) is not None:
            kind, value = opposite, positive
        place = self.expressions.operand(array)
        whole = index == Lit(...) and isinstance(type_of(array), Array) and getattr(type_of(array), "shape", None) is not None
        if whole and isinstance(place, ast.Name):
            return ast.AugAssign(ast.Name(place.id, STORE), kind, value)
        if whole and isinstance(place, ast.Subscript):
            return ast.AugAssign(ast.Subscript(place.value, place.slice, STORE), kind, value)
        return ast.AugAssign(self.target(array, index), kind, value)

    def target(self, array: Operand, index: Operand) -> ast.Subscript:
        """``array[index]``, assigned to."""
        return ast.Subscript(self.expressions.operand(array), self.expressions.index(index), STORE)

    def branch(self, op: If, keep: int | None) -> Body:
        """An `If` as a statement. With `keep`, that out says whether the loop around goes on, and is used for that alone."""
        then, orelse = (self.arm(op, block, keep) for block in (op.then, op.orelse))
        if not _has_code(then) and not _has_code(orelse):
            return [*then, *orelse]
        if not _has_code(then):
            return _from(op.span, [ast.If(self.inverse(op.cond), [*then, *orelse], [])])
        test = self.expressions.operand(op.cond)
        if _leaves(then) and _has_code(orelse):
            return [*_from(op.span, [ast.If(test, then, [])]), *orelse]
        if _leaves(orelse):
            return [*_from(op.span, [ast.If(self.inverse(op.cond), orelse, [])]), *then]
        return _from(op.span, [ast.If(test, then, orelse if _has_code(orelse) else [])])

    def arm(self, op: If, block: Block, keep: int | None) -> Body:
        """One branch of `op`, with the copies to its outs."""
        body = self.ops(block)
        if _raises(body):
            return body
        if keep is None:
            return body + self.copy(op.outs, block.results)
        others = [k for k in range(len(op.outs)) if k != keep]
        copies = self.copy(tuple(op.outs[k] for k in others), tuple(block.results[k] for k in others))
        return self.then_break(block, block.results[keep], body, copies)

    def then_break(self, block: Block, keep: Operand, body: Body, copies: Body) -> Body:
        """`body`, the statements of `block`, then `copies`, then a ``break`` unless `keep` holds."""
        last = block.ops[-1] if block.ops else None
        if not copies and isinstance(last, If) and isinstance(keep, Var) and keep in last.outs:
            alone = sum(keep in variables(result) for result in block.results) == 1
            if alone and not self.folding.is_expression(last):
                ahead = self.sequence(block.ops[:-1])
                return [*ahead, *self.branch(last, last.outs.index(keep))]
        return [*body, *copies, *self.stop_unless(keep)]

    def stop_unless(self, keep: Operand) -> Body:
        """``if not keep: break``"""
        if isinstance(keep, Lit):
            return [] if keep.value else [ast.Break()]
        return [ast.If(self.inverse(keep), [ast.Break()], [])]

    def inverse(self, cond: Operand) -> ast.expr:
        """``not cond``, with the opposite comparison where NaN cannot tell."""
        op = self.folding.values.get(cond) if isinstance(cond, Var) else None
        test = self.expressions.operand(cond)
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            return test.operand
        if isinstance(op, Call) and isinstance(test, ast.Compare):
            types = [type_of(arg) for arg in op.args]
            kind = type(test.ops[0])
            if kind in EQUALITY and all(isinstance(type_, Scalar) for type_ in types):
                return ast.Compare(test.left, [EQUALITY[kind]()], test.comparators)
            if kind in ORDER and all(isinstance(type_, Scalar) and "int" in type_.dtype for type_ in types):
                return ast.Compare(test.left, [ORDER[kind]()], test.comparators)
        return negated(test)

    def counted(self, op: For) -> Body:
        """``for i in range(…)``"""
        before = self.copy(op.outs, op.inits)
        keep = op.body.results[: op.breaks]
        body = self.ops(op.body)
        copies = self.copy(op.outs, op.body.results[op.breaks :])
        body = self.then_break(op.body, keep[0], body, copies) if keep else [*body, *copies]
        start, stop, step = op.source
        if step != Lit(1):
            bounds: tuple[Operand, ...] = (start, stop, step)
        else:
            bounds = (stop,) if start == Lit(0) else (start, stop)
        source = ast.Call(self.references.to(range), [self.expressions.operand(bound) for bound in bounds], [])
        index = ast.Name(self.naming.names[op.body.params[0]], STORE)
        return [*before, *_from(op.span, [ast.For(index, source, body if _has_code(body) else [*body, ast.Pass()], [])])]

    def conditional_loop(self, op: While) -> Body:
        """``while test``, or ``while True`` with a ``break`` where the test takes statements."""
        before = self.copy(op.outs, op.inits)
        testing = self.ops(op.test)
        body = [*self.ops(op.body), *self.copy(op.outs, op.body.results)]
        if _has_code(testing):
            body = [*testing, *self.stop_unless(op.test.results[0]), *body]
            test: ast.expr = ast.Constant(True)
        else:
            test = self.expressions.operand(op.test.results[0])
        return [*before, *_from(op.span, [ast.While(test, body if _has_code(body) else [*body, ast.Pass()], [])])]

    def copy(self, targets: tuple[Var, ...], sources: tuple[Operand, ...]) -> Body:
        """The assignments of a parallel copy, in an order in which none destroys what a later one reads."""
        waiting: list[tuple[str, frozenset[str], Var, Operand]] = []
        for out, source in zip(targets, sources, strict=True):
            target = self.naming.names[out]
            if target == "_" or self.is_named(source, target) or (source == UNDEFINED and out not in self.naming.bound):
                continue
            waiting.append((target, frozenset(self.naming.names[leaf] for leaf in self.folding.leaves(source)), out, source))
        body: Body = []
        while waiting:
            for k, (target, _, out, source) in enumerate(waiting):
                if not any(target in reads for n, (_, reads, _, _) in enumerate(waiting) if n != k):
                    body += self.copy_one(target, out, source)
                    del waiting[k]
                    break
            else:
                value = ast.Tuple([self.expressions.operand(source) for *_, source in waiting], LOAD)
                body.append(_assignment([target for target, *_ in waiting], value))
                waiting = []
        return body

    def copy_one(self, target: str, out: Var, source: Operand) -> Body:
        """``target = source``"""
        op = self.folding.values.get(source) if isinstance(source, Var) else None
        if isinstance(op, Call) and (augmented := self.augmented(target, out, op)) is not None:
            return _from(op.span, [augmented])
        assigned = ast.Assign([ast.Name(target, STORE)], self.expressions.operand(source))
        return [assigned] if op is None else _from(op.span, [assigned])


def definition(title: str, params: list[str], body: Body) -> ast.FunctionDef:
    """``def title(params): body``"""
    arguments = ast.arguments([], [ast.arg(param) for param in params], None, [], [], None, [])
    return ast.FunctionDef(title, arguments, body, [])


def _from(span: Span, body: Body) -> Body:
    return [Origin(span), *body] if span.line and body and not span.is_own else body


def _assignment(targets: list[str], value: ast.expr) -> ast.stmt:
    if not targets or all(target == "_" for target in targets):
        return ast.Expr(value)
    names: list[ast.expr] = [ast.Name(target, STORE) for target in targets]
    return ast.Assign([names[0] if len(names) == 1 else ast.Tuple(names, STORE)], value)


def _is_name(value: ast.expr, target: str) -> bool:
    return isinstance(value, ast.Name) and value.id == target


def _raises(body: Body) -> bool:
    """Whether `body` ends by raising, itself or in a ``with``."""
    return bool(body) and (isinstance(body[-1], ast.Raise) or (isinstance(body[-1], ast.With) and _raises(body[-1].body)))


def _has_code(body: Body) -> bool:
    return any(not isinstance(stmt, Origin | Remark) for stmt in body)


def _leaves(body: Body) -> bool:
    """Whether control never reaches the end of `body`."""
    return bool(body) and isinstance(body[-1], ast.Break | ast.Raise)


def _is_same_in_place(fn: object, loaded: Var, value: Var) -> bool:
    """Whether ``x[i] = x[i] op v`` may be written in place: always for numbers, for arrays if dtype and shape stay."""
    if isinstance(loaded.type, Scalar):
        return True
    return fn in BINARY and fn is not operator.matmul and isinstance(loaded.type, Array) and loaded.type == value.type
