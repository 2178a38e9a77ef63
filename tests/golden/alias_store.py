"""Two names, one array, one cotangent buffer."""

import numpy as np

EXAMPLE = (np.array([1.0, 2.0, 3.0]), 0.7)


def alias_store(x, a):
    y = x * a
    z = y
    z[0] = a * a
    return np.sum(y * y)

# --- vjp
import numpy as np
from adxform import runtime


def alias_store_vjp(x, a, result_ct):
    y = x * a  # alias_store.py:9
    y[0] = a * a  # alias_store.py:11
    result = np.sum(y * y)  # alias_store.py:12
    # reverse sweep
    tmp = result_ct * y
    y_ct = tmp + tmp
    ct = y_ct[0]  # alias_store.py:11
    y_ct[0] = 0.0
    a_ct = ct * a
    a_ct += a_ct
    a_ct += np.sum(runtime.masked_product(y_ct, x))  # alias_store.py:9
    return result, runtime.masked_product(y_ct, a), a_ct
