"""Names that still hold another value where the program leaves a variable undefined: reading one would raise nothing.

An iteration of a loop finds what the iteration before assigned, and names are shared::

    for i in range(n):          for i in range(n):
        if i == 0:                  if i == 0:
            y = x * x[i]                y = x * x[i]
        f += np.sum(y)   ->         else:
                                        y = runtime.undefined
                                    f += np.sum(y)

(`y` local to a function that the loop calls: each call begins without it.)
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from adxform.backends.python.liveness import Fork, Node, RepeatedBody, Step, steps
from adxform.ir.ops import Var


def stale(program: Sequence[Node], name: Callable[[Var], str], undefined: Collection[tuple[int, Var]]) -> frozenset[Var]:
    """The variables whose `name` may hold something at a step that leaves them `undefined`."""
    found: set[Var] = set()

    def after(nodes: Sequence[Node], held: frozenset[str]) -> frozenset[str]:
        for node in nodes:
            match node:
                case Step():
                    found.update(var for var in node.writes if (node.at, var) in undefined and name(var) in held)
                    held |= assigned(node)
                case Fork(arms):
                    held = after(arms[0], held) | after(arms[1], held)
                case RepeatedBody(body):
                    held = after(body, held.union(*map(assigned, steps(body))))
        return held

    def assigned(step: Step) -> frozenset[str]:
        return frozenset(name(var) for var in step.writes if (step.at, var) not in undefined)

    after(program, frozenset())
    return frozenset(found)
