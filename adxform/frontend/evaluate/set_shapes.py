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
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import Once, Static, Value
from adxform.ir.operand_facts import with_inner
from adxform.ir.ops import Block, Call, For, Function, If, Invoke, Lit, Op, Operand, Var, While
from adxform.ir.types import Array
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
    _refuse_if_seen(interp, x, block, position, env)
    shape = interp.use(interp.value(op.args[2], env))
    interp.builder.effect(runtime.check_shape_set, x, interp.operand(shape), span=interp.span)
    found = interp.call(Lit(np.reshape), (x, shape), hint=x.base)
    env.update({var: found for var, value in env.items() if value == x})
    return True


def _refuse_if_seen(interp: Interpreter, x: Var, block: Block, position: int, env: Env) -> None:
    """Refuse to set the shape of an array that anything may see that does not go by its name in `env`."""
    given = [env.get(param, Lit(None)) for frame in interp.frames[-1:] for param in frame.fn.params]
    captured = interp.frames[-1].captured.values() if interp.frames else ()
    if interp.level is not None or any(frame.give is not None for frame in interp.frames):
        raise _refused(interp, "in a `try` or a generator")
    if any(_holds(interp, value, x) for value in (*given, *captured)) or not _made_here(interp, x):
        raise _refused(interp, "that is not made right before it")
    if any(_holds(interp, value, x) for value in _live(interp, block, position, env) if value != x) or _is_kept(interp, x):
        raise _refused(interp, "that something else holds or walks over")


def _live(interp: Interpreter, block: Block, position: int, env: Env) -> list[Value]:
    """What the variables hold that may be read after the op at `position`; of a block inside of another, all."""
    if not interp.frames or block is not interp.frames[-1].fn.body:
        return list(env.values())
    later = {*variables_of(block.results), *(var for one in block.ops[position + 1 :] for var in reads_with_blocks(one))}
    return [value for var, value in env.items() if var in later]


def _refused(interp: Interpreter, what: str) -> AliasError:
    message = f"`x.shape = …` of an array {what}: which names it has cannot be told"
    return AliasError(message, span=interp.span, help="give it another name: `y = x.reshape(shape)`")


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
            return not effect_of(op).opaque and (not effect_of(op).views or is_new_view(op))
        case If(then=then, orelse=orelse):
            place = outs(op).index(x)
            ways = ((block, block.results[place]) for block in (then, orelse))
            return all(_made_among(block.ops, found) and _is_single(found, block.results) for block, found in ways)
        case _:
            return False


def _is_single(x: Operand, results: Iterable[Operand]) -> bool:
    """Whether one of the `results` alone holds `x`."""
    return sum(bool({*variables(x)} & {*variables(one)}) for one in results) == 1


def _gives_away(op: Op, x: Var) -> bool:
    """Whether `op` may return `x` itself, or keep it."""
    match op:
        case Call(args=args, kwargs=kwargs):
            effect = effect_of(op)
            given = any(x in variables(arg) for arg in (*args, *(arg for _, arg in kwargs)))
            return given and (effect.opaque or (bool(effect.views) and bool(op.outs) and not is_new_view(op)))
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
