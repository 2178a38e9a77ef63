"""Which additions of a nest of loops may become gathers: what depends on their order, and what it costs to compute again."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Iterator
from dataclasses import dataclass

from adxform.ir.operand_facts import callee, with_inner
from adxform.ir.ops import Call, If, Lit, Op, Operand, Var
from adxform.ir.types import Scalar
from adxform.ir.walk import operands, outs, reads_with_blocks, variables_of
from adxform.passes.loops.accesses import Accesses, ElementAccess, Nest, Subscript, adds
from adxform.passes.scalar.rewriting import classes_named, classes_read, classes_written, is_certain_view
from adxform.primitives.alias import Aliases
from adxform.primitives.effects import effect_of, is_opaque, is_removable, memory
from adxform.primitives.table import record_of

DIVISION, FUNCTION, SCATTERED = 4, 25, 12
"""What a division and a function cost, in additions; and what an addition to memory does that keeps a loop from vectors."""


@dataclass(frozen=True, slots=True)
class Contribution:
    """``base[item + offset, …] += value``: `axes` of the element, and by loop how far it is from the item."""

    op: Call
    target: ElementAccess
    offsets: tuple[int, ...]


Group = tuple[Contribution, ...]


class Dependences:
    """What in one nest must not change places, and what it would cost to compute again."""

    def __init__(self, nest: Nest, accesses: Accesses, aliases: Aliases) -> None:
        self.nest = nest
        self.accesses = accesses
        self.touched = list(accesses.touched(nest))
        self.aliases = aliases = self.refined(aliases)
        self.items = {loop.item.name: level for level, loop in enumerate(nest.loops)}
        self.opaque = any(is_opaque(op) for _, op in self.touched)
        self.written = {class_ for _, op in self.touched for class_ in classes_written(op, aliases)}
        self.carried = {class_ for loop in nest.loops for class_ in aliases.classes((*loop.op.inits, *loop.op.body.results))}

    def refined(self, aliases: Aliases) -> Aliases:
        """`aliases` with classes of their own for the arrays of the nest that are surely apart."""
        bases: dict[int, dict[str, dict[str, None]]] = {}
        for op in (*(loop.op for loop in self.nest.loops), *(op for _, op in self.touched)):
            for var in (var for operand in (*operands(op), *outs(op)) for var in memory(operand)):
                base = self.accesses.base(var).name
                bases.setdefault(aliases.of(var), {}).setdefault(base, {})[var.name] = None
        known, apart = self.accesses.no_alias.named, self.accesses.no_alias.are_apart
        own: dict[str, int] = {}
        for found in bases.values():
            if len(found) > 1 and all(apart(known[a], known[b]) for a, b in itertools.combinations(found, 2)):
                for names in found.values():
                    own |= dict.fromkeys(names, -1 - len(own))
        return aliases.refined(own) if own else aliases

    def gatherable(self) -> Iterator[Group]:
        """The groups of contributions to one array that can be gathered, and pay."""
        if self.opaque or not any(map(adds, self.nest.body.ops)):
            return
        groups: dict[tuple[object, ...], list[Contribution]] = {}
        for op in self.nest.body.ops:
            if isinstance(op, Call) and adds(op) and (found := self.contribution(op)) is not None:
                groups.setdefault(self.pattern(found.target), []).append(found)
        left = {id(op) for op in self.nest.body.ops}
        for group in map(tuple, groups.values()):
            if len({contribution.offsets for contribution in group}) > 1 and self.is_free(group) and self.pays(group, left):
                left -= {id(contribution.op) for contribution in group}
                yield group

    def pattern(self, target: ElementAccess) -> tuple[object, ...]:
        """What the elements of a group have in common: the array, and the loop or the fixed place of each axis."""
        axes = (self.level(place) if self.level(place) is not None else place for place in target.axes)
        return target.base.name, *axes

    def level(self, place: Subscript) -> int | None:
        """The loop over whose item `place` goes."""
        return None if place.root is None else self.items.get(place.root.name)

    def contribution(self, op: Call) -> Contribution | None:
        """`op` as a contribution to an element that is another one in each iteration."""
        target = self.accesses.of(op)
        number = isinstance(op.args[2], Lit) or (isinstance(op.args[2], Var) and isinstance(op.args[2].type, Scalar))
        if target is None or not number or target.base.name in self.nest.homes:
            return None
        offsets: dict[int, int] = {}
        for place in target.axes:
            level = self.level(place)
            if level is not None and level not in offsets:
                offsets[level] = place.offset
            elif level is not None or (place.root is not None and place.root.name in self.nest.homes):
                return None
        if len(offsets) < len(self.nest.loops):
            return None
        return Contribution(op, target, tuple(offsets[level] for level in range(len(offsets))))

    def is_free(self, group: Group) -> bool:
        """Whether the contributions of `group` may come ahead of the nest, in any order."""
        class_ = self.aliases.of(group[0].target.base)
        if class_ in self.carried:
            return False
        for _, op in self.touched:
            if isinstance(op, Call) and class_ in classes_read(op, effect_of(op), self.aliases):
                return False
            if not isinstance(op, Call) and class_ in classes_named(op, self.aliases):
                return False
            if isinstance(op, Call) and class_ in classes_written(op, self.aliases) and not adds(op):
                return False
        return all(map(self.is_clonable, self.sliced(group).values()))

    def sliced(self, group: Group) -> dict[str, Op | None]:
        """What the values of `group` need of the nest: by its first out, each op; ``None`` for a carried variable."""
        return self.needed(tuple(contribution.op.args[2] for contribution in group))

    def needed(self, given: tuple[Operand, ...]) -> dict[str, Op | None]:
        """What `given` need of the nest, in the same form."""
        found: dict[str, Op | None] = {}
        waiting = list(variables_of(given))
        while waiting:
            var = waiting.pop()
            if var.name in self.nest.homes and var.name not in self.items and var.name not in found:
                op = found[var.name] = self.nest.definitions.get(var.name)
                waiting += () if op is None else reads_with_blocks(op)
        return found

    def is_clonable(self, op: Op | None) -> bool:
        """Whether what `op` of the nest computes can be computed ahead of the nest, for any iteration."""
        match op:
            case Call(outs=(out,)):
                known = isinstance(out.type, Scalar) or is_certain_view(op, effect_of(op))
                return known and is_removable(op) and self.reads_what_it_did(op, op)
            case If():
                inner = [inner for inner in with_inner(op) if isinstance(inner, Call)]
                scalars = all(isinstance(out.type, Scalar) for out in outs(op))
                return scalars and is_removable(op) and all(self.reads_what_it_did(inner_op, op) for inner_op in inner)
            case _:
                return False

    def reads_what_it_did(self, op: Call, place: Op) -> bool:
        """Whether `op`, in the op `place` of the nest, reads the same ahead of the nest as in its iteration."""
        changed = [class_ for class_ in classes_read(op, effect_of(op), self.aliases) if class_ in self.written]
        return all(self.is_own(class_, place) for class_ in changed)

    def is_own(self, class_: int, load: Op) -> bool:
        """Whether each iteration touches one element of `class_` that is its own, and loads it in `load` before it stores."""
        found = [(at, op) for at, op in self.touched if self.touches(op, class_)]
        elements = [self.accesses.of(op) for _, op in found]
        first = elements[0]
        if first is None or class_ in self.carried or any(element != first for element in elements):
            return False
        levels = {level for place in first.axes if (level := self.level(place)) is not None}
        own = len(levels) == len(self.items) and all(
            self.level(place) is None or self.accesses.from_the_front(place) for place in first.axes
        )
        loads = [at for at, op in self.touched if op is load]
        stores = [at for at, op in found if callee(op) is not operator.getitem]
        return own and -1 < loads[0] < min(stores) and all(at > -1 for at, _ in found)

    def touches(self, op: Op, class_: int) -> bool:
        """Whether `op` itself reads or writes memory of `class_`, or passes it on."""
        if not isinstance(op, Call):
            return class_ in classes_named(op, self.aliases)
        return class_ in classes_read(op, effect_of(op), self.aliases) or class_ in classes_written(op, self.aliases)

    def pays(self, group: Group, left: set[int]) -> bool:
        """Whether what is computed several times costs less than additions that keep the loop from vectors."""
        taken = {id(contribution.op) for contribution in group}
        places: dict[int, set[tuple[int, ...] | None]] = {}
        costs: dict[int, int] = {}
        for contribution in group:
            for name, op in self.sliced((contribution,)).items():
                assert op is not None
                places.setdefault(id(op), set()).add(contribution.offsets[: self.nest.homes[name]])
                costs[id(op)] = cost(op)
        rest = [op for op in self.nest.body.ops if id(op) in left and id(op) not in taken and not is_removable(op)]
        yielded = tuple(value for loop in self.nest.loops for value in loop.op.body.results)
        stays = tuple(var for op in rest for var in reads_with_blocks(op))
        for needed in self.needed((*stays, *yielded)).values():
            if id(needed) in places:
                places[id(needed)].add(None)
        again = sum((len(found) - 1) * costs[key] for key, found in places.items())
        return again <= SCATTERED * len(group)


def cost(op: Op) -> int:
    """About how many additions `op` takes; integers and names for memory come for nothing."""
    if not isinstance(op, Call):
        return 1 + sum(cost(inner) for inner in with_inner(op) if isinstance(inner, Call))
    out = op.outs[0].type if op.outs else None
    if not isinstance(out, Scalar) or (out.dtype == "int64" and record_of(callee(op)).short):
        return 0
    if record_of(callee(op)).short:
        return 1
    if callee(op) is operator.truediv:
        return DIVISION
    small = callee(op) is operator.pow and isinstance(op.args[1], Lit) and op.args[1].value in (1, 2, 3)
    return 1 if small else FUNCTION
