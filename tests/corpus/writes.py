"""In-place programs: stores, augmented stores, overlaps, masks, fancy indices, `out=`."""

import numpy as np

from tests.corpus.case import at, smooth, vec


@at((vec(0.4, 1.7, -0.6), np.array([0, 1, 1]), np.array([2, 0, 0])))
def taken_away_at_places_of_a_matrix(v, i, j):
    m = np.zeros((3, 3))
    np.subtract.at(m, (i, j), v * v)
    np.subtract.at(m, (slice(1, None), j), v)
    np.subtract.at(m, (0, 2), v[1])
    return m @ np.array([1.0, 2.0, 3.0])


@at((vec(1.0, 2.0, 3.0), 0.5))
def input_written(x, a):
    x[0] = a * x[1]
    x[2] += x[0]
    return np.sum(x * x)


@at((vec(1.0, 2.0, 3.0),))
def input_overwritten_whole(x):
    y = x * x
    x[:] = 0.0
    x[...] += y[0]
    return np.sum(x * y)


@at((vec(1.0, 2.0, 3.0),))
def overwritten_after_read(x):
    y = x.copy()
    a = y[0] * y[1]
    y[0] = 3.0
    b = y[0] * y[2]
    y[0] = a * b
    return np.sum(y)


@at((vec(1.0, 2.0, 3.0),))
def store_never_read(x):
    y = x * x
    y[1] = np.exp(x[1])
    y[1] = x[0]
    return y[0] + y[1] * y[2]


@at((vec(1.0, 2.0, 3.0, 4.0),))
def overlapping_slices(x):
    y = x * 1.0
    y[0:2] = y[0:2] * y[1:3]
    y[2:4] = y[1:3]
    return np.sum(y * y)


@at((vec(1.0, 2.0, 3.0, 4.0), 3), (vec(1.0, 2.0, 3.0, 4.0), 0))
def overlapping_slices_in_loop(x, n):
    y = x.copy()
    for _ in range(n):
        y[0:2] = y[0:2] * y[1:3]
        y[1:] = y[:-1] * 0.5
    return np.sum(y)


@at((vec(1.0, 2.0, 3.0, 4.0),))
def shift_up(x):
    y = x * x
    y[1:] = y[:-1]
    return np.sum(y * x)


@at((vec(1.0, 2.0, 3.0, 4.0),))
def shift_down_and_add(x):
    x[1:] += x[:-1]
    x[:-1] -= x[1:] * 0.5
    return np.sum(x * x)


@at((vec(1.0, 2.0, 3.0, 4.0),))
def self_multiplied(x):
    y = x.copy()
    y *= y
    y += y
    y -= 0.5 * y
    return np.sum(y * x)


@at((vec(1.0, 2.0, 3.0, 4.0),))
def reversed_into_itself(x):
    y = x.copy()
    y[:] = y[::-1]
    y += y[::-1] * x
    return np.sum(y * x * x)


@at((vec(1.0, 2.0, 3.0), 2, 0), (vec(1.0, 2.0, 3.0), 1, 1))
def swap_elements(x, i, j):
    y = x * 1.0
    y[i], y[j] = y[j], y[i]
    return y[0] + 2.0 * y[1] ** 2 + 3.0 * y[2] ** 3


@at((vec(3.0, 1.0, 2.0, 0.5),), (vec(1.0, 2.0, 3.0, 4.0),), (vec(),))
def bubble_sort(x):
    y = x.copy()
    n = len(y)
    for i in range(n):
        for j in range(n - 1 - i):
            if y[j] > y[j + 1]:
                y[j], y[j + 1] = y[j + 1], y[j]
    total = 0.0
    for i in range(n):
        total += (i + 1) * y[i] ** 2
    return total


@at((vec(1.0, 2.0, 3.0, 4.0),), (vec(2.0),))
def prefix_sum_in_place(x):
    y = x * x
    for i in range(1, len(y)):
        y[i] += y[i - 1]
    return np.sum(y * x)


@at((vec(1.0, 2.0, -3.0, 4.0),))
def prefix_product_in_place(x):
    y = x.copy()
    for i in range(1, len(y)):
        y[i] *= y[i - 1]
    return np.sum(y)


@at((vec(1.0, 2.0, 3.0, 4.0), 0.25, 2), (vec(1.0, 2.0, 3.0, 4.0), 0.25, 0))
def gauss_seidel_sweep(u, k, sweeps):
    for _ in range(sweeps):
        for i in range(1, u.shape[0] - 1):
            u[i] = k * (u[i - 1] + u[i + 1]) + (1.0 - 2.0 * k) * u[i] ** 2
    return np.sum(u * u)


@at((smooth(3, 3) + 2.0 * np.eye(3), smooth(3)))
def forward_substitution(a, b):
    n = b.shape[0]
    x = np.zeros(n)
    for i in range(n):
        s = b[i]
        for j in range(i):
            s -= a[i, j] * x[j]
        x[i] = s / a[i, i]
    return np.sum(x * x)


@at((smooth(3, 3) + 2.0 * np.eye(3), smooth(3)))
def back_substitution_in_place(a, b):
    n = len(b)
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            b[i] -= a[i, j] * b[j]
        b[i] /= a[i, i]
    return np.sum(b * b)


@at((smooth(3, 3) + 2.0 * np.eye(3),))
def lu_in_place(a):
    n = a.shape[0]
    for k in range(n):
        for i in range(k + 1, n):
            a[i, k] /= a[k, k]
            for j in range(k + 1, n):
                a[i, j] -= a[i, k] * a[k, j]
    logdet = 0.0
    for k in range(n):
        logdet += np.log(a[k, k])
    return logdet


@at((smooth(4, 4) + 2.0 * np.eye(4),))
def lu_with_slices(a):
    b = a.copy()
    n = b.shape[0]
    for k in range(n - 1):
        b[k + 1 :, k] /= b[k, k]
        b[k + 1 :, k + 1 :] -= b[k + 1 :, k, None] * b[k, None, k + 1 :]
    return np.sum(b * b)


@at((vec(1.0, -2.0, 3.0),))
def mask_assignment(x):
    y = x * x
    mask = x > 0
    y[mask] = 0.0
    return np.sum(y * x)


@at((vec(1.0, -2.0, 3.0), 0.5))
def mask_assignment_of_values(x, a):
    y = x * 3.0
    mask = x > 0
    y[mask] = a * x[mask]
    y[~mask] *= a
    return np.sum(y * y)


@at((vec(1.0, 2.0, 3.0), vec(0.5, 0.6, 0.7, 0.8)))
def fancy_assignment(x, v):
    y = x * x
    index = np.array([2, 0])
    y[index] = v[:2] * x[1]
    return np.sum(y * x)


@at((vec(1.0, 2.0, 3.0), vec(0.5, 0.6, 0.7, 0.8)))
def fancy_assignment_with_duplicates(x, v):
    y = x * x
    y[[0, 2, 0, 1]] = v
    return np.sum(y * x)


@at(
    (vec(2.0), vec(0.5, 0.6, 0.7), np.array([0, 0, -1])),
    (vec(1.0, 2.0), vec(0.5, 0.6, 0.7), np.array([0, 0, -1])),
    (vec(2.0), vec(), np.zeros(0, int)),
    (vec(2.0), vec(0.5), np.array([0])),
)
def table_into_one_element(x, v, table):
    y = x * x
    y[table] = v * v
    return np.sum(y * y)


@at((vec(1.0, 2.0, 3.0), vec(0.5, 0.6, 0.7)))
def duplicate_fancy_augmented(x, v):
    y = x * 1.0
    y[[0, 0, 1]] += v * x
    return np.sum(y * y)


@at((vec(1.0, 2.0, 3.0), vec(0.5, 0.6, 0.7)))
def duplicate_fancy_multiplied(x, v):
    y = x * 1.0
    y[[1, 1, 2]] *= v
    return np.sum(y * y)


@at((vec(1.0, 2.0, 3.0), vec(0.5, 0.6, 0.7)))
def scatter_add(x, v):
    y = x * 2.0
    np.add.at(y, [0, 0, 2], v)
    return np.sum(y * y)


@at((smooth(3, 3), vec(0.5, 0.6)))
def fancy_pairs(a, v):
    b = a * a
    b[[0, 2], [1, 1]] = v
    b[:, [0, 1]] *= 2.0
    return np.sum(b * a)


@at((vec(1.0, 2.0, 3.0),))
def out_argument(x):
    y = np.empty(3)
    np.multiply(x, x, out=y)
    np.add(y, x, out=y)
    np.sin(y, y)
    return np.sum(y * x)


@at((smooth(2, 3), smooth(3)))
def out_argument_of_matmul(a, x):
    y = np.zeros(2)
    np.dot(a, x, out=y)
    z = y.copy()
    np.matmul(a, x * x, out=z)
    return np.sum(y * z)


@at((vec(1.0, 2.0, 3.0),))
def out_argument_is_a_view(x):
    y = np.zeros(4)
    np.exp(x, out=y[1:])
    y[0] = y[1] * y[2]
    return np.sum(y)


@at((vec(1.0, 2.0, 3.0), vec(0.4, 0.5, 0.6)))
def augmented_arrays(x, y):
    z = x * 1.0
    z += y
    z *= x
    z -= y * y
    z /= y
    z **= 2
    return np.sum(z)


@at((vec(1.0, 2.0, 3.0, 4.0), vec(0.4, 0.5)))
def augmented_slices(x, y):
    z = x.copy()
    z[:2] += y
    z[1:3] *= y
    z[2:] -= y * z[:2]
    z[::2] /= y
    z[1:] **= 2
    return np.sum(z * x)


@at((vec(1.0, 2.0, 3.0), 0.6))
def augmented_elements(x, a):
    z = x.copy()
    z[0] += a
    z[1] *= z[0]
    z[2] -= z[1] * a
    z[0] /= z[1]
    z[-1] **= 3
    return np.sum(z * z)


@at((smooth(3, 4), smooth(2, 2, seed=1)))
def augmented_blocks(a, b):
    c = a * 1.0
    c[:2, 1:3] *= b
    c[1:, 2:] += b * c[0, 0]
    c[0] -= c[2]
    c[:, 0] /= b[0, 0]
    c[..., 3] *= c[..., 2]
    return np.sum(c * c)


@at((smooth(3, 3), smooth(3)))
def matrix_columns(a, v):
    b = np.zeros((3, 3))
    for j in range(3):
        b[:, j] = a[:, j] * v
        if j > 0:
            b[:, j] += b[:, j - 1] * v[j]
    return np.sum(b * b)


@at((smooth(2, 3), 0.4, smooth(3)))
def broadcast_stores(a, s, row):
    b = a.copy()
    b[0] = s
    b[:, 1] = row[0]
    b[1:] += row
    b *= row
    b[...] -= s
    return np.sum(b * b * a)


@at((1.2, 0.8, 4), (1.2, 0.8, 0), wrt=(0, 1))
def history_in_buffer(x, r, n):
    history = np.zeros(n + 1)
    history[0] = x
    for t in range(n):
        history[t + 1] = r * history[t] * (2.0 - history[t])
    return history[n] + np.sum(history)


@at((0.6, 6))
def recurrence_of_second_order(x, n):
    f = np.zeros(n)
    f[0] = x
    f[1] = 1.0
    for i in range(2, n):
        f[i] = f[i - 1] * x + f[i - 2]
    return f[-1]


@at((vec(1.0, 2.0, 3.0), 3))
def stored_in_zeros_of_a_given_length(x, n):
    z = np.zeros(n)
    z[:] = x**2
    return (z * x).sum()


@at((vec(1.0, 2.0, 3.0), 3, 2), (vec(1.0, 2.0), 2, 1))
def made_with_lengths_that_are_arguments(x, n, m):
    y = np.ones((m, n)) * 0.5
    y[0] = x * np.full(n, 2.0)
    t = np.tile(x, m)
    return (y * x).sum() + (t * np.arange(1.0, n * m + 1)).sum()


@at((vec(1.0, 2.0, 3.0, 4.0).reshape(2, 2), vec(0.5, -1.0, 2.0)), (np.arange(16.0).reshape(4, 4) / 8.0, vec(0.5, -1.0, 2.0)))
def short_diagonal_that_broadcasts(a, v):
    d = np.diag(a, 1)
    return (d * d * v).sum() + d.sum() ** 2


@at((np.arange(6.0).reshape(2, 3) + 0.5, 1), (np.arange(6.0).reshape(2, 3) + 0.5, 0))
def squeezed_to_a_rank_that_the_slice_decides(a, k):
    rows = (a * a)[k:].squeeze()
    return (rows * a).sum() + rows.sum(axis=0).sum()


@at((vec(1.0, 2.0, 3.0), 3), (vec(1.0, 2.0, 3.0), 0))
def allocated_in_loop_and_kept(x, n):
    kept = x
    for i in range(n):
        fresh = np.zeros(3)
        fresh[i] = kept[0] * x[1]
        fresh[0] = kept[i] + x[2]
        kept = fresh
    return np.sum(kept * x)


@at((vec(1.0, 2.0), 1.0), (vec(1.0, 2.0), -1.0), wrt=(0,))
def allocated_in_branch(x, c):
    if c > 0:
        y = np.ones(2)
        y[0] = x[0] * x[1]
    else:
        y = x * x
        y[1] = 2.0
    y[1] *= x[0]
    return np.sum(y * x)


@at((vec(1.0, 2.0), 1.0), (vec(1.0, 2.0), -1.0), wrt=(0,))
def copied_in_branch(x, c):
    y = x
    if c > 0:
        y = x.copy()
    y[0] = x[0] * x[1]
    return np.sum(y) + np.sum(x * x)


@at((vec(1.0, 2.0, 0.5), 6.0), (vec(1.0, 2.0, 0.5), 0.1), wrt=(0,))
def while_with_writes(x, limit):
    y = x.copy()
    i = 0
    while y[0] < limit:
        y[0] += y[1] * y[2]
        y[1] *= 1.5
        y[i % 3] += 0.1 * x[2]
        i += 1
    return np.sum(y * x)


@at((vec(1.0, 2.0, 0.5, 3.0), 3.0), (vec(1.0, 2.0, 0.5, 3.0), 100.0), wrt=(0,))
def break_with_writes(x, limit):
    y = x * 1.0
    for i in range(len(y)):
        y[i] = y[i] * y[i - 1] + x[0]
        if y[i] > limit:
            y[0] = y[i] ** 2
            break
        y[i] += 1.0
    return np.sum(y)


@at((vec(1.0, 2.0, 0.5, 3.0), 2.5), (vec(1.0, 2.0, 0.5, 3.0), 100.0), wrt=(0,))
def early_return_after_writes(x, limit):
    y = x.copy()
    for i in range(1, len(y)):
        y[i] *= y[i - 1]
        if y[i] > limit:
            return y[i] * y[0]
        y[0] += y[i]
    return np.sum(y * y)


@at((smooth(3, 3), 3), (smooth(3, 3), 1))
def triangular_writes(a, n):
    b = a.copy()
    for i in range(n):
        for j in range(i + 1):
            b[i, j] = b[j, i] * b[i, j] + a[0, 0]
            b[j, i] -= b[i, i - j]
    return np.sum(b * b)


@at((vec(1.0, 2.0, 3.0, 4.0, 5.0),))
def negative_step_loop(x):
    y = x * 1.0
    for i in range(len(x) - 2, -1, -2):
        y[i] = y[i + 1] * y[i]
        y[i + 1] = y[i] + x[i]
    return np.sum(y * x)


@at((vec(1.0, 2.0, 3.0),), (vec(1.0),), (vec(),))
def zero_trip_loops(x):
    y = x.copy()
    for i in range(1, len(y)):
        y[i] = y[i] * y[i - 1]
    for i in range(5, 2):
        y[0] = i * y[0]
    return np.sum(y * y)


@at((vec(1.0, -2.0, 3.0, -4.0),))
def branch_in_loop_writes(x):
    y = x * 1.0
    for i in range(len(y)):
        if y[i] > 0:
            y[i] = y[i] ** 2
        elif i > 1:
            y[i] = y[i - 1] * x[i]
        else:
            y[i - 1] += y[i] * x[0]
    return np.sum(y * x)


@at((vec(1.0, 2.0, 3.0), vec(0.1, 0.2)))
def copyto_and_fill(x, v):
    y = np.empty(3)
    y.fill(2.0)
    y[0] *= x[0]
    np.copyto(y[1:], v)
    y[1] *= x[1]
    return np.sum(y * x)


@at((np.float32([1.0, 2.0, 3.0]), np.float32(0.5)))
def single_precision_writes(x, a):
    y = x * a
    y[0] = a * a
    y[1:] *= x[:-1]
    return np.sum(y * y)


@at((vec(1.0, 2.0, 3.0),))
def element_read_twice_around_store(x):
    y = x.copy()
    before = y[1]
    y[1] = before * before
    after = y[1]
    y[1] = before * after * y[0]
    return y[1] * before + after


@at((vec(1.0, 2.0, 3.0, 4.0), 5))
def circular_buffer(x, n):
    ring = x.copy()
    total = 0.0
    for t in range(n):
        k = t % 4
        total += ring[k] * ring[(k + 1) % 4]
        ring[k] = 0.5 * total
    return total


@at((smooth(4), 2))
def index_from_integer_array(x, n):
    order = np.array([2, 0, 3, 1])
    y = x.copy()
    for _ in range(n):
        for i in range(4):
            y[order[i]] = y[i] * 0.5 + x[order[i]] ** 2
    return np.sum(y)


@at((smooth(5),))
def sorted_in_place(x):
    y = x * 1.0
    y.sort()
    return np.sum(y * np.arange(5.0)) + y[0] ** 2


@at((smooth(3, 4), smooth(4, seed=1)))
def one_number_stored_in_a_column(a, b):
    y = a.copy()
    y[:, 2] = b[:1]
    y[:, None, 0] *= b[1:2]
    y[1] += b[None, :][0] * b[1]
    y[:, :2] -= b[2:3]
    return np.sum(y**3)


FIVE = vec(0.31, 1.23, -0.74, 0.92, 2.17)


@at((FIVE,))
def ends_of_the_input_into_slices_of_known_length(x):
    y = np.zeros(4)
    y[1:3] += x[3:]
    y[-2:] *= x[-2:]
    y[:2] = x[3:][::-1]
    return np.sum(y**2)


@at((FIVE,))
def ends_of_the_input_into_chosen_items(x):
    y = np.zeros(6)
    y[[1, 1]] += x[3:]
    y[[1, 3]] = x[3:] ** 2
    y[np.array([0, 2])] *= 1 + x[:2]
    y[2:] += x[:4]
    y[::2] -= x[1:4]
    return np.sum(y * np.arange(6.0))


@at((FIVE,))
def operators_by_their_methods(x):
    y = x.copy()
    y.__iadd__(x)
    z = y.__mul__(y).__getitem__(slice(1, 4))
    y.__setitem__(0, 3 * x[1])
    return (y * x).sum() + z.sum() + x[0].__pow__(2)


@at((FIVE,))
def replaced_without_a_copy(x):
    y = x.copy()
    z = np.nan_to_num(y, copy=False)
    z[0] = 4.0
    return (y * y).sum()


@at((FIVE,))
def both_ends_change_places(x):
    y = x.copy()
    first, last = y[:2], y[3:]
    first[:], last[:] = last.copy(), first.copy()
    first[:] = last
    return np.sum(y * np.arange(1.0, 6.0))


@at((FIVE, 0.5), (vec(), 0.5))
def made_anew_in_each_pass(x, a):
    total = 0.0
    for v in x:
        w = np.zeros(2)
        w[0] = v * v
        w[1] = np.sin(w[0]) * a
        total += np.exp(0.1 * w[0] * w[1])
    return total


@at((FIVE,))
def made_anew_and_written_between_reads(x):
    total = 0.0
    for v in x:
        w = np.ones(2)
        w[0] = np.sin(v)
        a = w[0] * w[1]
        w[0] = a * w[0]
        w[1] = w[0] * w[0]
        total += w[0] * w[1]
    return total


@at((FIVE,))
def made_anew_and_filled_by_a_loop(x):
    total = 0.0
    for v in x:
        w, y = np.ones(4), np.ones(4)
        for j in range(4):
            w[j] = np.cos(v * j)
        for j in range(1, 4):
            total += w[j] ** 2 * w[j - 1]
            y[j] = y[j - 1] * w[j]
        total += y[3]
    return total


@at((FIVE,))
def made_in_one_pass_and_read_in_the_next(x):
    before, total = np.ones(2), 0.0
    for v in x:
        w = np.zeros(2)
        w[0] = np.sin(v) * before[1]
        w[1] = w[0] * before[0]
        total += w[0] * w[1]
        before = w
    return total + before[0]


@at((FIVE,))
def made_in_one_pass_and_written_in_the_next(x):
    before, total = np.ones(2), 0.0
    for v in x:
        w = v * before
        total += before[0] * before[1]
        before[1] = w[0] * before[0]
        total += before[1] * w[1]
        w[0] = 0.1 * np.sin(before[1])
        before = w
    return total


@at((FIVE,))
def made_anew_or_not(x):
    y, total = np.ones(2), 0.0
    for v in x:
        w = np.full(2, v) if v > 2.5 else y
        total += w[0] * w[1]
        w[0] = np.sin(w[1] * v)
        total += w[0] * w[0]
        w[1] = 0.5 * w[0] + 0.1
    return total + y[0] * y[1]


@at((FIVE,))
def made_anew_while_it_is_small(x):
    total, i = 0.0, 0
    while i < len(x) and total < 99.0:
        w = np.empty(2)
        row = w[:1]
        row[0] = x[i] ** 2
        w[1] = row[0] * x[i]
        row[0] = w[0] * w[1]
        total += np.log1p(row[0] ** 2)
        i += 1
    return total
