"""Iterations of a loop in lockstep: what one iteration does after another, a block of iterations does for each of them in turn.

The loops inside may be short, or of different lengths: the innermost ones are now over the iterations, and run in lanes.

    for i in range(n):                          for start in range(0, n, 64):
        for r in range(d):                          end = min(start + 64, n)
            z = w[r] * x[i, r]                      for r in range(d):
            for c in range(r):         =>               for i in range(start, end):
                z += w[c] * x[i, c]                         z_row[i - start] = w[r] * x_columns[r, i - start]
            y_ct[r] += z                                for c in range(r):
                                                            for i in range(start, end):
                                                                z_row[i - start] += w[c] * x_columns[c, i - start]
                                                        total = 0.0
                                                        for i in range(start, end):
                                                            total += z_row[i - start]
                                                        y_ct[r] += total

Source: Allen and Kennedy, Optimizing Compilers for Modern Architectures (2001), sections 5.3 (scalar expansion), 5.4 and 6.2.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from adxform.ir.build import Builder
from adxform.ir.ops import For, Function, Op
from adxform.ir.walk import Names
from adxform.passes.scalar.dce import eliminate_dead_code
from adxform.passes.scalar_expansion.emission import Writing
from adxform.passes.scalar_expansion.lockstep_loops import KernelReader
from adxform.passes.scalar_expansion.turned import Turned


def expand_scalars(kernel: Function, no_alias: Collection[int] = ()) -> Function:
    """`kernel` with loops whose iterations run in lockstep. Its parameters at the places `no_alias` share no memory."""
    if not any(isinstance(op, For) for op in kernel.body.ops):
        return kernel
    reading = KernelReader(kernel, no_alias)
    found = {id(op): lockstep for op in kernel.body.ops if isinstance(op, For) and (lockstep := reading.lockstep(op)) is not None}
    if not found:
        return kernel
    turned = Turned(reading, found)
    top = Builder(Names.of(kernel), kernel.span)
    ops: list[Op] = []
    for op in kernel.body.ops:
        if id(op) in found:
            ops += Writing(reading, found[id(op)], turned, top).ops()
        else:
            ops.append(turned.renewed(op))
    whole = replace(kernel, body=replace(kernel.body, ops=(*top.ops, *ops)))
    return eliminate_dead_code(whole)
