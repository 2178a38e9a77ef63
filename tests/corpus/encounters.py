"""Programs as people write them who have not heard of differentiation: builtins, lists, index arrays, diagonals."""

import numpy as np

from tests.corpus.case import at, smooth, vec

VALUES = vec(0.3, 1.2, -0.7, 0.9, 2.1)
MATRIX = smooth(4, 4) + np.diag([2.0, 3.0, 1.0, 4.0])


@at((MATRIX,))
def logarithms_of_pivots(a):
    n = a.shape[0]
    u = a.copy()
    for k in range(n):
        for i in range(k + 1, n):
            u[i, k:] -= u[i, k] / u[k, k] * u[k, k:]
    return np.sum(np.log(np.abs(np.diag(u))))


@at((MATRIX,))
def diagonal_is_a_view(a):
    a = a.copy()
    d = np.diag(a)
    a[0, 0] = 5.0 * a[1, 1]
    for i in range(2):
        a[i, i] = d[i + 1] * a[i + 1, 0]
    return np.sum(d**2)


@at((MATRIX,))
def diagonals_of_a_written_matrix(a):
    a = a * 1.0
    a[1, 1] = a[0, 0] * a[0, 1]
    return np.sum(a.diagonal() ** 2) + np.sum(np.diagonal(a, offset=1) ** 3) + np.trace(a) * np.sum(np.diag(a, k=-1))


@at((VALUES,))
def triu_pairs(x):
    i, j = np.triu_indices(len(x), 1)
    return np.sum((x[i] - x[j]) ** 3)


@at((MATRIX,))
def tril_part(a):
    rows, cols = np.tril_indices(a.shape[0])
    return np.sum(a[rows, cols] ** 2 * np.arange(len(rows)))


@at((MATRIX,))
def tril_whole_tuple(a):
    return np.sum(a[np.tril_indices(4, -1)] ** 3)


@at((VALUES, np.array([3, 1, 2, 0, 4])), wrt=(0,))
def argsort_of_other(x, keys):
    order = np.argsort(keys)
    return np.sum(x[order] * np.arange(5.0) ** 2)


@at((VALUES,))
def where_mask(x):
    (idx,) = np.where(x > 0.5)
    return np.sum(x[idx] ** 3)


@at((VALUES,))
def where_mask_item(x):
    idx = np.where(x > 0.5)[0]
    return np.sum(x[idx] ** 3) + x[idx[0]]


@at((MATRIX,))
def where_mask2(a):
    r, c = np.where(a > 1.5)
    return np.sum(a[r, c] ** 3 * a[c, r])


@at((MATRIX,))
def where_tuple(a):
    return np.sum(a[np.where(a > 1.5)] ** 3)


@at((MATRIX,))
def nonzero_method(a):
    r, c = (a > 1.5).nonzero()
    return np.sum(a[r, c] ** 3)


@at((MATRIX,))
def unravel(a):
    r, c = np.unravel_index(np.array([1, 5, 7]), a.shape)
    return np.sum(a[r, c] ** 3)


@at((MATRIX,))
def unravel_argmax(a):
    k = np.unravel_index(np.argmax(a), a.shape)
    return a[k] ** 2


@at((MATRIX,))
def ix(a):
    return np.sum(a[np.ix_([0, 2], [1, 3])] ** 3)


@at((MATRIX,))
def places_that_are_left(a):
    free = np.setdiff1d(np.arange(4), [1])
    return np.sum(a[np.ix_(free, free)] ** 3) + a[np.setxor1d(free, [0, 1])[0], 2]


@at((MATRIX,))
def ix_store(a):
    b = np.zeros((5, 5))
    b[np.ix_([0, 2], [1, 3])] += a[:2, :2] ** 2
    return np.sum(b**2)


@at((MATRIX,))
def argwhere_loop(a):
    s = 0.0
    for r, c in np.argwhere(a > 1.5):
        s += a[r, c] ** 2
    return s


@at((MATRIX,))
def argwhere_cols(a):
    p = np.argwhere(a > 1.5)
    return np.sum(a[p[:, 0], p[:, 1]] ** 2)


@at((VALUES,))
def permutation(x):
    np.random.seed(0)
    p = np.random.permutation(5)
    return np.sum(x[p] * np.arange(5.0) ** 2)


@at((VALUES,))
def rng_permutation(x):
    rng = np.random.default_rng(0)
    p = rng.permutation(len(x))
    return np.sum(x[p] * np.arange(5.0) ** 2)


@at((VALUES,))
def masked_stores(x):
    y = x.copy()
    y[np.where(y < 0)] = 0.1
    i, j = np.triu_indices(5, 1)
    m = np.zeros((5, 5))
    m[i, j] = x[i] * x[j]
    m = m + m.T
    return np.sum(m**2) + np.sum(y**3)


@at((VALUES, np.array([0, 1, 0, 2, 1])), wrt=(0,))
def groups(x, label):
    s = 0.0
    for g in np.unique(label):
        part = x[label == g]
        s += np.var(part) + np.mean(part) ** 2
    return s


@at((VALUES,))
def mask_count(x):
    m = x > 0.5
    n = np.count_nonzero(m)
    return np.sum(x[m] ** 2) / n + x[m].sum() / m.sum()


@at((VALUES,))
def lexsort(x):
    o = np.lexsort((np.array([1, 2, 3, 4, 5]), np.array([2, 2, 1, 1, 0])))
    return np.sum(x[o] * np.arange(5.0) ** 2)


@at((VALUES,))
def argpartition(x):
    o = np.argpartition(x, 2)[:2]
    return np.sum(x[o] ** 2)


@at((VALUES,))
def unique_inverse(x):
    u, inv = np.unique(np.array([3, 1, 3, 2, 1]), return_inverse=True)
    means = np.zeros(len(u))
    np.add.at(means, inv, x)
    return np.sum(means**2)


@at((MATRIX, 0.3))
def diag_indices(a, s):
    b = a.copy()
    b[np.diag_indices(4)] += s * s
    return np.sum(np.linalg.inv(b))


@at((MATRIX, 0.3))
def diag_indices_n(a, s):
    b = a @ a.T
    n = b.shape[0]
    b[np.diag_indices(n)] += s * s
    b[np.diag_indices_from(b)] *= 1.5
    return np.linalg.slogdet(b)[1]


@at((VALUES,))
def rng_normal_add(x):
    rng = np.random.default_rng(0)
    s = 0.0
    for v in x:
        s += rng.normal() * v
    return s


@at((VALUES,))
def rng_s_plus(x):
    rng = np.random.default_rng(0)
    s = x[0]
    for k in range(5):
        s += rng.normal()
        s = s * x[1]
    return s


@at((VALUES,))
def rng_normal_size(x):
    rng = np.random.default_rng(0)
    z = rng.normal(size=len(x))
    return np.sum((x + 0.1 * z) ** 2) + np.mean(z) * x[0]


@at((VALUES,))
def rng_matmul(x):
    rng = np.random.default_rng(0)
    w = rng.normal(size=(3, 5))
    return np.sum(np.tanh(w @ x))


@at((VALUES,))
def rng_standard(x):
    rng = np.random.default_rng(0)
    w = rng.standard_normal((3, 5))
    u = rng.uniform(0, 1, size=3)
    e = rng.random(3)
    return np.sum(np.tanh(w @ x) * u + e * x[:3])


@at((VALUES,))
def rng_shuffle(x):
    rng = np.random.default_rng(0)
    idx = np.arange(5)
    rng.shuffle(idx)
    return np.sum(x[idx] * np.arange(5.0) ** 2)


@at((VALUES,))
def rng_shuffle_active(x):
    rng = np.random.default_rng(0)
    y = x * x
    rng.shuffle(y)
    return np.sum(y * np.arange(5.0))


@at((VALUES,))
def rng_integers(x):
    rng = np.random.default_rng(0)
    k = rng.integers(0, 5, size=3)
    j = rng.integers(5)
    return np.sum(x[k] ** 2) + x[j]


@at((VALUES,))
def rng_choice(x):
    rng = np.random.default_rng(0)
    k = rng.choice(5, size=3, replace=False)
    return np.sum(x[k] ** 2)


@at((VALUES,))
def np_random_randn(x):
    np.random.seed(0)
    z = np.random.randn(5)
    w = np.random.rand(5, 5)
    return np.sum((w @ x + z) ** 2)


@at((VALUES,))
def np_random_normal(x):
    np.random.seed(0)
    s = 0.0
    for k in range(5):
        s += x[k] * np.random.normal(0.0, 1.0) + np.random.rand()
    return s**2


@at((VALUES,))
def randomstate(x):
    rs = np.random.RandomState(3)
    z = rs.randn(len(x))
    return np.sum(x * z) ** 2 + x[rs.randint(5)]


def noise_from(seed):
    rng = np.random.default_rng(seed)
    return rng.normal(size=5)


@at((VALUES,))
def noise_helper(x):
    return np.sum(x * noise_from(3)) ** 2


@at((VALUES,))
def minibatch(x):
    rng = np.random.default_rng(0)
    s = 0.0
    for epoch in range(2):
        order = rng.permutation(5)
        for b in range(0, 4, 2):
            batch = x[order[b : b + 2]]
            s = s * 0.5 + np.mean(batch**2)
    return s


@at((VALUES,))
def dropout(x):
    rng = np.random.default_rng(0)
    mask = rng.random(x.shape) < 0.5
    return np.sum((x * mask) ** 2 / 0.5)


@at((VALUES,))
def several_percentiles(x):
    low, high = np.percentile(x, [10, 55])
    return low * high + np.quantile(x, (0.33, 0.5))[0] ** 2


@at((MATRIX,))
def percentiles_of_columns(a):
    return np.sum(np.percentile(a, [10, 55], axis=0) ** 2) + np.sum(np.quantile(a, [0.3], axis=1) ** 2)


@at(
    (np.ones((1, 1, 4)),),
    (smooth(2, 3, 4),),
    (smooth(1, 1, 2),),
    (np.ones((1, 1, 1)),),
    (np.zeros((1, 1, 0)),),
    (np.zeros((2, 0, 3)),),
)
def neighbours_along_the_last_axis(a):
    b = a.transpose(2, 0, 1) * 2.0
    return np.sum(b[1:] * b[:-1])


@at((smooth(4, 1, 2),), (smooth(4, 1, 1),), (smooth(5, 2, 1),), (smooth(1, 1, 2),))
def neighbours_beside_short_axes(a):
    b = a * 2.0
    return np.sum(b[1:] * b[:-1]) + np.sum(b[2:] * b[:-2])


@at((vec(1.0, np.nan, 0.5, 0.25),), gradient=(vec(2.0, 0.0, 0.0, 0.0),))
def largest_so_far(x):
    big = 0.0
    for i in range(len(x)):
        big = max(big, x[i])
    return big * big


@at((2.0, np.nan, 3.0, 0.5), gradient=(3.0, 0.0, 20.0, 40.0))
def later_that_is_not_a_number(a, b, c, d):
    pairs = max(a, b) + 2.0 * min(a, b)
    return pairs + 4.0 * max(a, b, c) + 8.0 * min(a, d) + 16.0 * max(a, b, c, d) + 32.0 * min(a, b, c, d)


@at((vec(0.3, -0.2), vec(0.3, -0.4, 0.5, 0.1)), wrt=(0,))
def tables_of_other_lengths_from_their_ends(z, x):
    longer, shorter = np.empty(5), np.empty(3)
    for i in range(-3, 0):
        e = np.exp(x[i])
        longer[i] = e
        shorter[i] = 1.0 + e
    total = 0.0
    for j in range(3):
        total += shorter[j] * longer[j + 2]
    return total * np.sum(z)


@at((vec(0.3, -0.2), vec(0.3, -0.4, 0.5, 0.1)), wrt=(0,))
def row_made_anew_beside_a_table(z, x):
    table, total = np.empty(len(x)), 0.0
    for i in range(len(x)):
        row = np.empty(len(x))
        for k in range(len(x) - i):
            e = np.exp(x[k] * x[i])
            row[k] = e
            table[k] = 1.0 + e
        for k in range(len(x) - i):
            total += row[k] * row[len(x) - i - 1 - k]
    for k in range(len(x)):
        total += table[k] * table[k]
    return total * np.sum(z)


@at((vec(0.3, -0.2, 0.5, 0.1), 0.7), (vec(0.3, -0.2, 0.5), 0.7))
def last_of_what_a_slice_leaves(x, a):
    inner = x[1:-1].copy()
    for i in range(3):
        inner[-1] -= a * inner[0]
        for _ in range(i):
            inner[0] += x[-1] * a
    return np.sum(inner * inner)


@at((vec(0.3, -0.2, 0.5), vec(0.7, -1.3, 0.4)), wrt=(0,))
def the_last_element_twice(x, y):
    """Places -1 and n - 1 are one: what is stored there is not what is loaded there again."""
    n = len(x)
    a, b = np.empty(n), np.empty(n)
    for i in range(n):
        a[i] = y[i] * y[i]
    for i in range(-1, n):
        b[i] = 2.0 * a[i]
    total = 0.0
    for i in range(n):
        total += b[i] * x[i] * x[i]
    return total


@at((1.2, True, 3), (1.2, False, 3), (-0.7, True, 0))
def as_often_as_a_condition_says(x, again, n):
    for _ in range(again):
        x = np.sin(x) * x
    for i in range(again, n):
        for _ in range(i > 1):
            x = x * np.cos(x)
    for i in range(n, again, -1):
        x = x * x + i
    return x


@at((vec(0.3, 0.7, -0.4), 2), (vec(0.3, 0.7, -0.4), 0), (vec(0.3), 1), (vec(), 0), wrt=(0,))
def a_loop_alone_reads_what_a_branch_makes(x, n):
    """Where the loop has no pass, neither has the array a length, nor its part of the gradient a shape."""
    if n > 0:
        tail = x[1:]
    total = np.sum(x)
    for i in range(min(n, len(x) - 1)):
        total += tail[i % len(tail)] * x[i] * total
    return total


@at((vec(0.3, 0.7, -0.4), 2), (vec(0.3, 0.7, -0.4), 0), (vec(0.3), 1), wrt=(0,))
def an_inner_loop_as_long_as_a_branch_says(x, n):
    if n > 1:
        tail = x[1:]
    total = np.sum(x)
    for i in range(n if n > 1 else 0):
        for j in range(len(tail)):
            total = total + np.sin(tail[j] * total) * x[i]
    return total


@at((vec(0.3, 0.7, -0.4, 1.1), 2), (vec(0.3, 0.7, -0.4, 1.1), 1), (vec(0.3, 0.7, -0.4, 1.1), 0), (vec(0.3), 2))
def no_pass_reads_what_is_longer_before(x, n):
    """What is carried is as long as the passes make it, and was as long as the argument."""
    part = x
    for i in range(n):
        part = x[i : i + 2] * 2.0
    return np.sum(x[0] * part)


class Waiting:
    """A queue with a generator of random numbers of its own."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.served = 0

    def takes(self, rate):
        self.served += 1
        return -np.log(1.0 - self.rng.random()) / rate


@at((vec(0.7, 0.55, 0.31),), (vec(1.7, 0.25, 2.31),))
def draws_of_an_object_that_a_loop_changes(x):
    queue, t = Waiting(3), 0.0
    while t < 3.0:
        t += x[1] + queue.takes(x[0])
    return t * x[2] + queue.served
