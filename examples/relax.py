"""Write the derivative of a nonlinear relaxation to a file, and run that file alone.

`relax` writes into an array element by element, in a branch, in two nested loops. Its adjoint has to undo each write in
reverse order; the generated source shows how, and needs nothing but NumPy and `adxform.runtime` to run.

    python examples/relax.py
    adxform show examples/relax.py:relax --at "0.1, np.linspace(-1.0, 1.0, 6), 3"
    adxform check examples/relax.py:relax --at "0.1, np.linspace(-1.0, 1.0, 6), 3"
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import adxform

OUT = Path(__file__).parent / "out"


def relax(k, u0, steps):
    """Return a loss of `u0` after `steps` sweeps of relaxation with stiffness `k`."""
    u = u0.copy()
    loss = 0.0
    for t in range(steps):
        for i in range(1, u.shape[0] - 1):
            if u[i] > 0.0:
                u[i] = u[i] + k * (u[i - 1] - u[i]) * u[i + 1]
            else:
                u[i] = u[i] * k
        loss += u[t] ** 2
    return loss


def main() -> None:
    """Save the generated source, print it, and compare what it returns with the API and with central differences."""
    k, u0, steps = 0.1, np.linspace(-1.0, 1.0, 6), 3
    text = adxform.source(relax, k, u0, steps, argnums=(0, 1))
    OUT.mkdir(exist_ok=True)
    path = OUT / "relax_vjp.py"
    path.write_text(text)
    print(text)

    saved: dict[str, object] = {"__name__": "relax_vjp"}
    exec(compile(text, str(path), "exec"), saved)
    loss, k_ct, u0_ct = saved["relax_vjp"](k, u0, steps, 1.0)

    value, (k_grad, u0_grad) = adxform.value_and_grad(relax, argnums=(0, 1))(k, u0, steps)
    assert loss == value and k_ct == k_grad and np.array_equal(u0_ct, u0_grad), "the saved source differs from the API"

    step = 1e-4
    difference = (
        8.0 * (relax(k + step, u0, steps) - relax(k - step, u0, steps))
        - (relax(k + 2.0 * step, u0, steps) - relax(k - 2.0 * step, u0, steps))
    ) / (12.0 * step)
    print(f"loss {loss:.12f}")
    print(f"d loss / d k   adxform {k_ct:.12f}   central differences {difference:.12f}")
    print("d loss / d u0 ", u0_ct)
    assert abs(k_ct - difference) < 1e-9


if __name__ == "__main__":
    main()
