"""Differentiate code that overwrites its arrays, by rules of one's own, in memory that is made once.

`multiply_into` stands for a call of a library that adxform cannot look into. Its rule says which argument it writes to; the old
contents come back in the reverse sweep, wherever the call stands and however often it runs before. `smooth_into` has a rule that
is built once for a number of points: the matrix that it multiplies by is computed when the derivative is made.

    python examples/in_place_product.py
"""

from __future__ import annotations

import tracemalloc

import numpy as np

import adxform


def multiply_into(C, A, B):
    """Write the product of A and B into C."""
    np.matmul(A, B, out=C)


@adxform.rule(multiply_into, writes=(0,))
def multiply_into_rule(C, A, B):
    """What is left in C, and the pullback: of the old contents of C nothing is needed."""

    def pullback(C_ct):
        return None, C_ct @ B.T, A.T @ C_ct

    return A @ B, pullback


def hat(count):
    """Return the matrix that replaces `count` values by the cubic polynomial that is nearest to them."""
    powers = np.vander(np.linspace(-1.0, 1.0, count), 4)
    return powers @ np.linalg.pinv(powers)


def smooth_into(x, count):
    """Replace the columns of x, `count` numbers each, by polynomials."""
    x[...] = hat(count) @ x


@adxform.staged_rule(smooth_into, writes=(0,))
def smooth_into_rule(x, count):
    """Computed when a derivative is made, for the number of points that the program says."""
    matrix = hat(count.value)

    def rule(x, count):
        def pullback(x_ct):
            return matrix.T @ x_ct, None

        return matrix @ x, pullback

    return rule


def loss(C, A, B):
    """Overwrite C and B in turn."""
    total = 0.0
    for _ in range(5):
        multiply_into(C, A, B)
        smooth_into(C, 64)
        B[:8] += 0.1 * C[:8]
        total += np.sum(C**2)
    return total


def main():
    """Compare the gradient with differences; call it again and again; look at what a call allocates."""
    rng = np.random.default_rng(0)
    C, A, B = rng.normal(size=(64, 32)), rng.normal(size=(64, 128)) / 16.0, rng.normal(size=(128, 32))
    before = [array.copy() for array in (C, A, B)]
    print(adxform.source(loss, C, A, B, argnums=(0, 1, 2)))
    adxform.check_derivatives(loss, C, A, B)
    gradient = adxform.prepare_gradient(loss, C, A, B, argnums=(0, 1, 2), engine="python")
    out = tuple(np.empty_like(array) for array in (C, A, B))
    for _ in range(3):
        gradient(C, A, B, out=out)
    tracemalloc.start()
    start = tracemalloc.get_traced_memory()[0]
    gradient(C, A, B, out=out)
    peak = tracemalloc.get_traced_memory()[1] - start
    tracemalloc.stop()
    print(f"a warm call has at most {peak} bytes more in use than before; C alone has {C.nbytes}")
    assert peak < C.nbytes, "no array was made"
    assert all(np.array_equal(old, array) for old, array in zip(before, (C, A, B), strict=True)), "the arguments are as they were"


if __name__ == "__main__":
    main()
