"""The transpose of a pullback is the tangent map of its primitive, so a derivative is stated once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from adxform.autodiff.expand import Expander, is_result
from adxform.autodiff.reverse.joint import reverse
from adxform.ir import intrinsics
from adxform.ir.ops import Block, Call, Function, Lit, Var
from adxform.ir.types import FLOAT
from adxform.ir.walk import Names


def transpose_pullback(pullback: Function, wanted: Sequence[bool], cts: Sequence[int], expander: Expander) -> Function:
    """Return the function of the pullback's parameters and a tangent per wanted leaf that returns the tangents of outputs.

    A pullback is linear in its last parameters, the cotangents; its reverse with respect to those at the places `cts` does not
    depend on the values passed for them. `wanted` says which of the pullback's results have a tangent.
    """
    results = tuple(result for result, keep in zip(pullback.results, wanted, strict=True) if keep)
    kept = replace(pullback, body=replace(pullback.body, results=results))
    joint = reverse(kept, tuple(cts), expander).fn
    names = Names.of(joint)
    cotangents = iter(joint.params[len(kept.params) :])
    tangents = tuple(next(cotangents) if is_result(result) else Var(names.fresh("unused"), FLOAT) for result in results)
    final = joint.results[len(joint.results) - len(cts) :] if joint.results else (Lit(0.0),) * len(cts)
    ops = tuple(op for op in joint.body.ops if not (isinstance(op, Call) and op.fn == Lit(intrinsics.turning_point)))
    return replace(joint, body=Block(kept.params + tangents, ops, final))
