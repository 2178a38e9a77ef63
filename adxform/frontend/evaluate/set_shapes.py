"""``x.shape = …``: an array becomes the view of another shape under all its names; refused where these cannot be told."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from adxform import runtime
from adxform.errors import AliasError
from adxform.frontend.evaluate.above import Env
from adxform.frontend.evaluate.control_flow.walks import NO_MORE
from adxform.frontend.evaluate.objects.object_contents import Contents
from adxform.frontend.evaluate.objects.value_parts import parts_of
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import Once, Ref, Static, Tuple, Value
from adxform.ir.operand_facts import with_inner
from adxform.ir.ops import Block, Call, For, Function, If, Invoke, Lit, Op, Operand, Var, While
from adxform.ir.spans import Span
from adxform.ir.types import Array, rank
from adxform.ir.walk import outs, reads_with_blocks, variables, variables_of
from adxform.primitives.effects import effect_of, is_new_view

_SETATTR, _SHAPE = Lit(setattr), Lit("shape")


def set_shape(interp: Interpreter, block: Block, position: int, env: Env) -> bool:
    """Whether the op at `position` of `block` sets the shape of an array, and has been dealt with here."""
    op = block.ops[position]
    if not isinstance(op, Call) or op.fn != _SETATTR or op.args[1] != _SHAPE:
        return False
    x = interp.value(op.args[0], env)
    if not isinstance(x, Var) or not isinstance(x.type, Array) or x.type.shape is None:
        return False
    seen = _is_seen(interp, x, block, position, env)
    shape = interp.use(interp.value(op.args[2], env))
    interp.builder.effect(runtime.check_shape_set, x, interp.operand(shape), span=interp.span)
    found = interp.call(Lit(np.reshape), (x, shape), hint=x.base)
    env.update({var: _renamed(value, x, found) for var, value in env.items()})
    if seen:
        _rename_in_objects(interp, x, found)
        interp.outlived[x] = interp.span
    return True


def _renamed(value: Value, x: Var, found: Value) -> Value:
    """`value` with `found` in the place of `x`, as far as it is a tuple."""
    if isinstance(value, Tuple):
        return Tuple(tuple([_renamed(item, x, found) for item in value.items]), value.cls)
    return found if value == x else value


def refuse_outlived(interp: Interpreter, value: Value) -> None:
    """Refuse to read by another name what `value` is, or holds: an array whose shape was set by one name and in objects."""
    outlived = [value] if isinstance(value, Var) else [part for part in parts_of(value) if not isinstance(part, Ref)]
    for one in outlived:
        if isinstance(one, Var) and one in interp.outlived:
            raise _refused(interp, "that is read by another name afterwards", interp.outlived[one])
        if not isinstance(one, Var):
            refuse_outlived(interp, one)


def _rename_in_objects(interp: Interpreter, x: Var, found: Value) -> None:
    """Let the objects of the function that hold `x` hold `found`."""
    cells = interp.heap.contents
    held = [ref for ref, contents in cells.items() if _holds(interp, contents, x)]
    if any(_holds(interp, contents, x) for contents in cells.foreign.values()):
        raise _refused(interp, "that an object from outside holds")
    for ref in held:
        contents = cells[ref]
        if not isinstance(contents, Contents) or any(item != x and _holds(interp, item, x) for item in contents.items):
            raise _refused(interp, "that something else holds or walks over")
        interp.write(ref, dataclasses.replace(contents, items=tuple([found if item == x else item for item in contents.items])))


def _is_seen(interp: Interpreter, x: Var, block: Block, position: int, env: Env) -> bool:
    """Whether anything may see an array, whose shape is set, that does not go by its name in `env`: objects or other functions.

    Raises:
        AliasError: what that is cannot be told.
    """
    given = [env.get(param, Lit(None)) for frame in interp.frames[-1:] for param in frame.fn.params]
    captured = interp.frames[-1].captured.values() if interp.frames else ()
    if interp.level is not None or any(frame.give is not None for frame in interp.frames):
        raise _refused(interp, "in a `try` or a generator")
    if not _made_here(interp, x) or (x in given and not interp.unconditional):
        raise _refused(interp, "that is not made right before it")
    live = (value for value in _live(interp, block, position, env) if value != x)
    seen = any(_holds(interp, value, x) for value in (*given, *captured, *live)) or _is_kept(interp, x)
    if seen and (not interp.unconditional or _is_walked_over(interp)):
        raise _refused(interp, "that something else holds or walks over")
    return seen


def _live(interp: Interpreter, block: Block, position: int, env: Env) -> list[Value]:
    """What the variables hold that may be read after the op at `position`; of a block inside of another, all."""
    if not interp.frames or block is not interp.frames[-1].fn.body:
        return list(env.values())
    later = {*variables_of(block.results), *(var for one in block.ops[position + 1 :] for var in reads_with_blocks(one))}
    return [value for var, value in env.items() if var in later]


def _refused(interp: Interpreter, what: str, span: Span | None = None) -> AliasError:
    message = f"`x.shape = …` of an array {what}: which names it has cannot be told"
    return AliasError(message, span=span or interp.span, help="give it another name: `y = x.reshape(shape)`")


def _made_here(interp: Interpreter, x: Var) -> bool:
    """Whether `x` is made by an op of the current block as an object of its own, and no op since then may have given it away."""
    return _made_among(interp.builder.ops, x)


def _made_among(ops: Sequence[Op], x: Operand) -> bool:
    made = next((k for k, op in enumerate(ops) if x in outs(op)), None)
    if made is None or not isinstance(x, Var):
        return False
    return _makes(ops[made], x) and not any(_gives_away(one, x) for later in ops[made + 1 :] for one in with_inner(later))


def _makes(op: Op, x: Var) -> bool:
    """Whether `op` makes `x` as an object of its own, on either path where it is a branch."""
    match op:
        case Call():
            return not effect_of(op).opaque and (not effect_of(op).views or _is_another(op))
        case If(then=then, orelse=orelse):
            place = outs(op).index(x)
            ways = ((block, block.results[place]) for block in (then, orelse))
            return all(_made_among(block.ops, found) and _is_single(found, block.results) for block, found in ways)
        case _:
            return False


def _is_another(op: Call) -> bool:
    """Whether the view that `op` makes is never the array itself that it is given: as where it has another number of axes."""
    given = [var for place in effect_of(op).views for var in (variables(op.args[place]) if place < len(op.args) else ())]
    ranks = {rank(var.type) for var in given}
    return is_new_view(op) or (None not in ranks and all(rank(out.type) not in {*ranks, None} for out in op.outs))


def _is_single(x: Operand, results: Iterable[Operand]) -> bool:
    """Whether one of the `results` alone holds `x`."""
    return sum(bool({*variables(x)} & {*variables(one)}) for one in results) == 1


def _gives_away(op: Op, x: Var) -> bool:
    """Whether `op` may return `x` itself, or keep it."""
    match op:
        case Call(args=args, kwargs=kwargs):
            effect = effect_of(op)
            given = any(x in variables(arg) for arg in (*args, *(arg for _, arg in kwargs)))
            return given and (effect.opaque or (bool(effect.views) and bool(op.outs) and not _is_another(op)))
        case If(then=then, orelse=orelse):
            return x in variables_of((*then.results, *orelse.results))
        case For(inits=inits, body=body) | While(inits=inits, body=body):
            return x in variables_of((*inits, *body.results))
        case Invoke(args=args):
            return x in variables_of(args)
        case _:
            return False


def _is_kept(interp: Interpreter, x: Var) -> bool:
    """Whether an object of the program holds `x`, or an iterator whose walk has begun may."""
    cells = interp.heap.contents
    for ref, contents in (*cells.items(), *cells.foreign.items()):
        if (ref.kind == "iterator" and not _is_at_its_end(contents)) or _holds(interp, contents, x):
            return True
    return False


def _is_walked_over(interp: Interpreter) -> bool:
    """Whether there is an iterator whose walk has begun, of which nobody can tell what it goes over."""
    cells = interp.heap.contents.items()
    return any(ref.kind == "iterator" and not _is_at_its_end(contents) for ref, contents in cells)


def _is_at_its_end(contents: Any) -> bool:
    """Whether an iterator whose walk is said by `contents` has nothing left."""
    return isinstance(contents, Contents) and contents.get("taken") == NO_MORE


_CODE = frozenset({"keys", "cls", "joint", "scope"})
"""Fields of values that hold code, classes and keys."""


def _holds(interp: Interpreter, value: Any, x: Var) -> bool:
    """Whether `value` holds the array `x`; an iterator, which cannot be asked until it is at its end, is taken to."""
    if isinstance(value, Var):
        return value == x
    if isinstance(value, Once):
        return not _is_at_its_end(interp.heap.contents[value.state])
    if isinstance(value, tuple):
        return any(_holds(interp, part, x) for part in value)
    if isinstance(value, Lit | Static | Function) or not dataclasses.is_dataclass(value):
        return False
    return any(_holds(interp, getattr(value, field.name), x) for field in dataclasses.fields(value) if field.name not in _CODE)
