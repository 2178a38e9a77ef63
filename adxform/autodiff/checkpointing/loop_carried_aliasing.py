"""Whether the arrays that a loop carries are apart from one another and from all else, at the start of every iteration.

The reverse of a loop that keeps snapshots gives each iteration copies of the arrays that it writes to. That is right where nobody
can tell a copy: no two of the arrays share memory, and no other name for their memory is used in the loop or after it.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass

from adxform.ir import intrinsics
from adxform.ir.ops import Block, Call, For, Function, Lit, Op, Operand, Var, While
from adxform.ir.walk import all_ops, blocks, defined_variables, free_variables, outs
from adxform.primitives.alias import Aliases
from adxform.primitives.effects import effect_of, has_memory

Path = tuple[int, ...]


@dataclass(frozen=True)
class Separation:
    """Asks of the loops of `fn` what is apart in memory."""

    fn: Function
    aliases: Aliases

    def hidden_name(self, path: Path, numbers: Container[int]) -> Var | None:
        """A variable of the classes `numbers`, made before the loop at `path`, that the loop or what runs after it uses."""
        inside: list[tuple[Op, Block, int]] = []
        block = self.fn.body
        for depth in range(0, len(path), 2):
            op = block.ops[path[depth]]
            inside.append((op, block, path[depth]))
            if depth + 1 < len(path):
                block = op.body if isinstance(op, For | While) else blocks(op)[path[depth + 1]]
        loop = inside[-1][0]
        seen = [free_variables(inner) for inner in blocks(loop)]
        made: set[Var] = set()
        for op, around, place in reversed(inside):
            made.update(outs(op))
            if isinstance(op, For | While) and op is not loop:
                seen += [free_variables(inner) for inner in blocks(op)]
            seen.append(free_variables(Block((), around.ops[place + 1 :], around.results)))
        return next(
            (var for found in seen for var in found if var not in made and has_memory(var) and self.aliases.of(var) in numbers),
            None,
        )

    def keeps_apart(self, loop: For | While, places: Sequence[int], own: Container[Var] | None = None) -> bool:
        """Whether arrays that `loop` carries at `places` are apart as iterations start and the loop ends. `own`: see `root`."""
        if len(places) < 2:
            return True
        params = loop.body.params[isinstance(loop, For) :]
        results = loop.body.results[isinstance(loop, For) and loop.breaks :]
        carried = [params[place] for place in places]
        inside = {*carried, *defined_variables(Block((), loop.body.ops, ()))}
        starts, ends = ([given[place] for place in places] for given in (loop.inits, results))
        return self.are_apart(starts, own) and self.are_apart(ends, inside)

    def are_apart(self, operands: Iterable[Operand], own: Container[Var] | None) -> bool:
        """Whether no two of `operands` share memory; with `own`, as far as they come from those variables alone."""
        roots: list[Var] = []
        for operand in operands:
            root = self.root(operand, own)
            if root is None or root in roots:
                return False
            roots.append(root)
        loops = {id(op): op for root in roots if isinstance(op := self.definition(root), For | While)}
        if not loops:
            return True
        (loop,) = loops.values() if len(loops) == 1 else (None,)
        if loop is None or any(root not in loop.outs for root in roots):
            return False
        return self.keeps_apart(loop, [loop.outs.index(root) for root in roots], own)

    def root(self, operand: Operand, own: Container[Var] | None) -> Var | None:
        """What `operand` is a view of: an array that an op makes, a parameter, or what a loop ends with."""
        while isinstance(operand, Var) and (own is None or operand in own):
            match self.definition(operand):
                case Call() as call:
                    effect = effect_of(call)
                    if effect.opaque or call.fn == Lit(intrinsics.pop) or effect.views not in ((), (0,)):
                        return None
                    if not effect.views:
                        return operand
                    operand = call.args[0]
                case For() | While():
                    return operand
                case None:  # a parameter of the function, or one that the loop carries
                    return operand if own is not None or operand in self.fn.params else None
                case _:
                    return None
        return None

    def definition(self, var: Var) -> Op | None:
        """The op that makes `var`."""
        return next((op for op in all_ops(self.fn.body) if var in outs(op)), None)
