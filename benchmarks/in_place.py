"""A rule that overwrites memory, at one call site in a loop: memory made at each call, or kept; time and what is allocated."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import adxform
from benchmarks.memory import peak_and_kept
from benchmarks.record import Claim, Result
from benchmarks.timing import effort, interleaved

SIZES = ((16, 32, 8), (128, 128, 128), (256, 256, 256))
TIMES = 3
"""How often the site runs before its pullbacks."""


def multiply_into(C: Any, A: Any, B: Any) -> None:
    """``C[...] = A @ B``, which adxform does not look into."""
    np.matmul(A, B, out=C)


@adxform.rule(multiply_into, writes=(0,))
def multiply_into_rule(C: Any, A: Any, B: Any) -> Any:
    """The old contents are not read."""

    def pullback(C_ct: Any) -> Any:
        return None, C_ct @ B.T, A.T @ C_ct

    return A @ B, pullback


def loss(C: Any, A: Any, B: Any) -> Any:
    """``C`` and ``B`` are overwritten in turn, and put back by the reverse sweep."""
    total = np.sum(C * C)
    for _ in range(TIMES):
        multiply_into(C, A, B)
        B *= 0.5
        total += np.sum(C * C)
    return total


class ByHand:
    """The gradient of `loss` by hand, of rules that save what they overwrite: in memory that is kept, or `made` at each call."""

    def __init__(self, C: Any, A: Any, B: Any, made: bool) -> None:
        self.made = made
        self.arrays = self.buffers(C, A, B)

    def buffers(self, C: Any, A: Any, B: Any) -> tuple[Any, ...]:
        """What one call works in: a stack of saved arrays for each site, cotangents, and two products."""
        saved = np.empty((TIMES, *C.shape)), np.empty((TIMES, *B.shape))
        return (*saved, *(np.empty_like(array) for array in (C, A, B, A, B, C)))

    def __call__(self, C: Any, A: Any, B: Any) -> tuple[Any, Any, Any]:
        """The gradients by ``C``, ``A`` and ``B``, which are as before."""
        old_C, old_B, C_ct, A_ct, B_ct, A_part, B_part, square = self.buffers(C, A, B) if self.made else self.arrays
        for k in range(TIMES):
            old_C[k] = C
            np.matmul(A, B, out=C)
            old_B[k] = B
            B *= 0.5
        for part in (C_ct, A_ct, B_ct):
            part[...] = 0.0
        for k in range(TIMES - 1, -1, -1):
            np.multiply(C, 2.0, out=square)
            C_ct += square
            B[...] = old_B[k]
            B_ct *= 0.5
            C[...] = old_C[k]
            A_ct += np.matmul(C_ct, B.T, out=A_part)
            B_ct += np.matmul(A.T, C_ct, out=B_part)
            C_ct[...] = 0.0
        np.multiply(C, 2.0, out=square)
        C_ct += square
        return C_ct, A_ct, B_ct


def contenders(args: tuple[Any, ...]) -> dict[str, Callable[[], Any]]:
    """The gradient of `loss`, by hand and by adxform, with memory made at each call and with memory that is kept."""
    out = tuple(map(np.empty_like, args))
    prepared = adxform.prepare_gradient(loss, *args, argnums=(0, 1, 2), engine="python")
    made, kept = ByHand(*args, made=True), ByHand(*args, made=False)
    return {
        "by hand, made": lambda: made(*args),
        "by hand, kept": lambda: kept(*args),
        "adxform, made": lambda: prepared(*args),
        "adxform, kept": lambda: prepared(*args, out=out),
    }


def in_place(quick: bool) -> Result:
    """Measure at every size; all contenders agree, and leave the arguments as they were."""
    rows: list[tuple[str | int | float, ...]] = []
    same, alone = True, True
    sizes = SIZES[1:2] if quick else SIZES
    for size in sizes:
        n, inner, m = size
        rng = np.random.default_rng(5)
        args = rng.normal(size=(n, m)), rng.normal(size=(n, inner)) / inner**0.5, rng.normal(size=(inner, m))
        before = tuple(arg.copy() for arg in args)
        calls = contenders(args)
        wanted = tuple(part.copy() for part in calls["by hand, made"]())
        for call in calls.values():
            same &= all(np.allclose(one, other, rtol=1e-10, atol=1e-10) for one, other in zip(call(), wanted, strict=True))
            alone &= all(np.array_equal(arg, old) for arg, old in zip(args, before, strict=True))
        bytes_of = {name: peak_and_kept(call) for name, call in calls.items()}
        times = interleaved(calls, **effort(quick))
        for name, seconds in times.items():
            against = round(seconds / times[name.replace("kept", "made")], 2)
            rows.append((name, "x".join(map(str, size)), bytes_of[name][1], bytes_of[name][0], round(1e6 * seconds, 1), against))
    (peak,) = [row[3] for row in rows if row[0] == "adxform, kept" and row[1] == "x".join(map(str, sizes[-1]))]
    claims = (
        Claim("all agree with the gradient by hand", same),
        Claim("the arguments are left as they were, to the bit", alone),
        Claim("no call leaves an array behind", all(row[2] == 0 for row in rows)),
        Claim("with kept memory, a call makes none of the largest arrays", float(peak) < 8 * sizes[-1][0] * sizes[-1][2]),
    )
    columns = ("gradient", "C = A B", "bytes kept", "peak bytes", "us", "kept/made")
    return Result(f"A rule that overwrites memory, {TIMES} times before its pullbacks", columns, tuple(rows), claims)
