"""Vector code without a loop."""

import numpy as np

EXAMPLE = (np.array([0.2, -0.3]), np.array([[1.0, 0.5], [0.3, -0.7], [-0.2, 0.4]]), np.array([1, 0, 1]))


def logistic(w, x, y):
    margin = x @ w
    return np.sum(np.log1p(np.exp(-(2 * y - 1) * margin))) + 0.1 * np.dot(w, w)

# --- vjp
import numpy as np


def logistic_vjp(w, x, y, result_ct):
    margin = x @ w  # logistic.py:9
    tmp = -(2 * y - 1)  # logistic.py:10
    tmp_1 = np.exp(tmp * margin)
    result = np.sum(np.log1p(tmp_1)) + 0.1 * np.dot(w, w)
    # reverse sweep
    w_ct = result_ct * 0.1 * w
    w_ct = w_ct + w_ct
    margin_ct = result_ct * (1.0 / (1.0 + tmp_1)) * tmp_1 * tmp
    w_ct = w_ct + margin_ct @ x  # logistic.py:9
    return result, w_ct, np.outer(margin_ct, w)
