import numpy as np

EXAMPLE = (
    np.array([[0.3, -0.2], [0.1, 0.4], [-0.5, 0.2]]),
    np.array([[1.0, 0.5, -0.3], [0.2, 0.1, 0.7]]),
    np.array([[1.0, 0.0], [0.0, 1.0]]),
)


def softmax_loss(weights, points, labels):
    scores = points @ weights
    shifted = scores - np.max(scores, axis=1, keepdims=True)
    logs = shifted - np.log(np.sum(np.exp(shifted), axis=1, keepdims=True))
    return -np.mean(np.sum(labels * logs, axis=1))

# --- vjp
import numpy as np
from adxform import runtime


def softmax_loss_vjp(weights, points, labels, result_ct):
    scores = points @ weights  # softmax_loss.py:11
    tmp = -result_ct / points.shape[0]  # softmax_loss.py:14
    n = weights.shape[1]
    runtime.some(n)  # softmax_loss.py:12
    tmp_1 = np.empty(n)  # softmax_loss.py:13
    n_1 = points.shape[0]  # softmax_loss.py:14
    labels_ct = np.empty((n_1, n))
    shifted_ct = np.empty(n)  # softmax_loss.py:13
    scores_ct = np.empty((n_1, n))  # softmax_loss.py:12
    tmp_2 = 0.0
    for i in range(n_1):
        tmp_3 = -np.inf
        for j in range(n):
            tmp_3 = runtime.larger(tmp_3, scores[i, j])
        tmp_4 = 0.0
        for j in range(n):
            shifted = scores[i, j] - tmp_3
            tmp_5 = np.exp(shifted)  # softmax_loss.py:13
            tmp_1[j] = tmp_5
            tmp_4 = runtime.add_up(tmp_4, tmp_5)
        tmp_5 = np.log(tmp_4)
        tmp_6 = 0.0
        tmp_ct = 0.0
        for j in range(n):  # softmax_loss.py:12
            shifted = scores[i, j] - tmp_3
            logs = shifted - tmp_5  # softmax_loss.py:13
            tmp_6 = runtime.add_up(tmp_6, labels[i, j] * logs)  # softmax_loss.py:14
            labels_ct[i, j] = tmp * logs
            tmp_ct = runtime.add_up(tmp_ct, tmp * labels[i, j])  # softmax_loss.py:13
        tmp_2 = runtime.add_up(tmp_2, tmp_6)  # softmax_loss.py:14
        tmp_ct = runtime.masked_product(-tmp_ct, 1.0 / tmp_4)  # softmax_loss.py:13
        tmp_ct_1 = 0.0
        tmp_4 = 0
        for j in range(n):
            shifted_ct_1 = tmp * labels[i, j] + tmp_ct * tmp_1[j]
            shifted_ct[j] = shifted_ct_1
            tmp_ct_1 = runtime.add_up(tmp_ct_1, shifted_ct_1)  # softmax_loss.py:12
            tmp_4 = runtime.add_up(tmp_4, 1 if scores[i, j] == tmp_3 else 0)
        tmp_4 = runtime.ratio(-tmp_ct_1, tmp_4 * 1.0)
        for j in range(n):
            scores_ct[i, j] = shifted_ct[j] + tmp_4 * (1.0 if scores[i, j] == tmp_3 else 0.0)
    n = np.float64(n_1)  # softmax_loss.py:14
    points_ct = scores_ct @ weights.T  # softmax_loss.py:11
    return -np.divide(tmp_2, n), points.T @ scores_ct, points_ct, labels_ct
