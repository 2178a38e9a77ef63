"""Functions of `heapq` and `bisect` that change a list, and the first few in an order: by what they mean."""

from __future__ import annotations

import bisect
import heapq
from collections.abc import Callable
from typing import Any

from adxform.frontend.containers.methods import Answer, Args, Handler, Kwargs
from adxform.frontend.evaluate.classes import own_containers
from adxform.frontend.evaluate.control_flow import walks
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import NONE, Ref, Static
from adxform.primitives.definitions.of_python import binary_heaps


def _of_list(meaning: Callable[..., Any]) -> Handler:
    """A function of a list that the program made; of any other object, whatever else is done with the call."""

    def handler(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
        args = tuple(own_containers.bare(interp, arg) for arg in args[:1]) + args[1:]
        if kwargs or not args or not isinstance(args[0], Ref) or args[0].kind != "list" or args[0].cls is not list:
            return None
        return interp.call(Static(meaning), args, hint=hint)

    return handler


def _first_few(meaning: Callable[..., Any]) -> Handler:
    """The first few items of an iterable in an order."""

    def handler(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
        given = {**dict(zip(("n", "iterable", "key"), args, strict=False)), **kwargs}
        if len(args) > 3 or not {"n", "iterable"} <= given.keys() <= {"n", "iterable", "key"}:
            return None
        source = walks.opened(interp, given["iterable"])
        return interp.call(Static(meaning), (given["n"], source, given.get("key", NONE)), hint=hint)

    return handler


TABLE: dict[Any, Handler] = {
    heapq.heappush: _of_list(binary_heaps.pushed),
    heapq.heappop: _of_list(binary_heaps.popped),
    heapq.heapreplace: _of_list(binary_heaps.replaced),
    heapq.heappushpop: _of_list(binary_heaps.pushed_and_popped),
    heapq.heapify: _of_list(binary_heaps.made_heap),
    heapq.nsmallest: _first_few(binary_heaps.smallest_of),
    heapq.nlargest: _first_few(binary_heaps.largest_of),
    bisect.insort_right: _of_list(binary_heaps.put_in_order),
    bisect.insort_left: _of_list(binary_heaps.put_in_order_left),
}
