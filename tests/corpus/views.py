"""Slices, transposes and reshapes are windows: writes go through, in both directions."""

import numpy as np

from tests.corpus.case import at, smooth, vec


@at((vec(1.0, 2.0, 3.0, 4.0), 0.7))
def write_through_slice(x, a):
    y = x * a
    middle = y[1:3]
    middle[0] = a
    middle[1] *= x[0]
    return np.sum(y * y)


@at((vec(1.0, 2.0, 3.0, 4.0),))
def scale_through_slice(x):
    y = x.copy()
    head = y[:2]
    head *= 3.0
    return np.sum(y * x) + head[0] * head[1]


@at((vec(1.0, 2.0, 3.0, 4.0),))
def read_through_view_after_write_to_base(x):
    y = x * x
    tail = y[2:]
    y[3] = x[0] * x[1]
    y[2] += 1.0
    return np.sum(tail * tail)


@at((vec(1.0, 2.0, 3.0, 4.0, 5.0),))
def view_of_view(x):
    y = x * 2.0
    a = y[1:]
    b = a[1:-1]
    b[1] = x[0]
    b[0] = b[0] * a[0]
    return np.sum(y * y)


@at((smooth(2, 3),))
def write_through_transpose(a):
    b = a * 2.0
    t = b.T
    t[2, 0] = a[0, 0] * a[1, 1]
    t[0] *= 3.0
    return np.sum(b * a)


@at((smooth(2, 3),))
def write_through_reshape(a):
    b = a * a
    flat = b.reshape(6)
    flat[4] = a[0, 1]
    flat[1:3] *= 2.0
    return np.sum(b * b)


@at((smooth(6),))
def write_through_reshaped_argument(x):
    grid = x.reshape(2, 3)
    grid[0, 1] = grid[1, 2] * grid[0, 0]
    grid[1] += grid[0]
    return np.sum(x * x)


@at((smooth(2, 3),))
def reshape_of_transpose_is_a_copy(a):
    b = a * 2.0
    flat = b.T.reshape(-1)
    flat[1] = 7.0 * a[0, 0]
    return np.sum(flat * flat) + np.sum(b * b)


@at((smooth(2, 3),))
def ravel_is_a_view(a):
    b = a * 2.0
    flat = b.ravel()
    flat[3] = a[0, 0] * a[0, 1]
    return np.sum(b * b)


@at((smooth(2, 3),))
def flatten_is_a_copy(a):
    b = a * 2.0
    flat = b.flatten()
    flat[3] = a[0, 0] * a[0, 1]
    return np.sum(b * b) + np.sum(flat**3)


@at((smooth(3, 2), 3))
def row_views_in_loop(a, n):
    b = a.copy()
    for i in range(n):
        row = b[i]
        row[0] = row[0] * row[1]
        row[1] += b[i - 1, 0]
    return np.sum(b * b)


@at((smooth(3, 2),))
def rows_written_while_iterating(a):
    b = a * 2.0
    for row in b:
        row[0] = row[1] ** 2
        row *= a[0, 1]
    return np.sum(b * a)


@at((smooth(3, 3),))
def column_views_in_loop(a):
    b = a.copy()
    for j in range(3):
        column = b[:, j]
        column /= np.sqrt(np.sum(column * column))
        if j > 0:
            column -= b[:, j - 1] * 0.3
    return np.sum(b * a)


@at((smooth(3, 3),))
def diagonal_block_views(a):
    b = a.copy()
    block = b[1:, 1:]
    block[0, 0] = b[0, 0] * b[0, 1]
    block[:, 1] = block[:, 0] * b[0, 2]
    return np.sum(b * b)


@at((vec(1.0, 2.0, 3.0, 4.0),))
def reversed_view(x):
    y = x * 1.0
    back = y[::-1]
    back[0] = x[0] ** 2
    y[1] = back[1] * y[0]
    return np.sum(back * x)


@at((vec(1.0, 2.0, 3.0, 4.0, 5.0),))
def strided_views_interleave(x):
    y = x.copy()
    even, odd = y[::2], y[1::2]
    even[1:] *= odd
    odd += even[:-1]
    return np.sum(y * y)


@at((smooth(2, 2, 2),))
def view_by_integer_and_ellipsis(a):
    b = a * a
    last = b[..., 1]
    last[0] = last[1] * b[0, 0, 0]
    first = b[1]
    first[0, 0] = a[0, 0, 0]
    return np.sum(b * a)


@at((vec(1.0, 2.0, 3.0),))
def view_with_new_axis(x):
    y = x * 2.0
    column = y[:, None]
    column[1, 0] = x[0] * x[2]
    table = column * y[np.newaxis, :]
    return np.sum(table * table)


@at((smooth(2, 3),))
def swapped_axes_view(a):
    b = a * 2.0
    s = np.swapaxes(b, 0, 1)
    s[1] = a[0, :2]
    return np.sum(b**2) + np.sum(np.transpose(s) * a)


@at((smooth(2, 3), 1.0), (smooth(2, 3), -1.0), wrt=(0,))
def view_chosen_by_condition(a, c):
    b = a * 2.0
    row = b[0] if c > 0 else b[1]
    row[1] = row[0] * row[2]
    return np.sum(b * b)


@at((smooth(3, 3), 1), (smooth(3, 3), 2))
def row_chosen_at_run_time(a, k):
    b = a.copy()
    row = b[k]
    row[0] = b[0, 0] * row[1]
    b[k] *= 2.0
    return np.sum(b * row)


@at((vec(1.0, 2.0, 3.0, 4.0), 2), (vec(1.0, 2.0, 3.0, 4.0), 0), (vec(1.0, 2.0, 3.0, 4.0), 4))
def window_of_run_time_size(x, k):
    y = x * 1.0
    head = y[:k]
    head *= x[3]
    return np.sum(y * y)


@at((smooth(3, 4),))
def squeezed_and_expanded(a):
    b = a * 1.0
    line = b[1:2].squeeze()
    line[0] = a[2, 2] * line[1]
    tower = np.expand_dims(b, 0)
    tower[0, 0, 0] = a[2, 3]
    return np.sum(b * b * a)


@at((smooth(3, 3, low=0.5),))
def fortran_order_result(a):
    b = np.asfortranarray(a * 2.0)
    b[0, 1] = a[2, 2] ** 2
    return np.sum(b * a.T)


@at((smooth(3),))
def fortran_order_result_of_a_product(x):
    b = np.asfortranarray(np.outer(x, x))
    b[0] = x * x[1]
    return np.sum(b * b)


@at((np.asfortranarray(smooth(2, 3)),))
def fortran_order_argument(a):
    a[0, 2] = a[1, 1] * a[0, 0]
    a[:, 0] *= a[:, 1]
    return np.sum(a * a)


@at((np.asfortranarray(smooth(4, 5)),), (np.asfortranarray(smooth(9, 13)),))
def sum_over_a_copy_of_another_order(a):
    b = a.copy()
    return np.sum(b**3)


@at((smooth(6)[::2],))
def strided_argument(x):
    x[1] = x[0] * x[2]
    return np.sum(x * x)


@at((np.asfortranarray(smooth(3, 3)),))
def reshape_of_a_copy_of_another_order(x):
    r = x.copy()
    r.reshape(-1)[::4] *= 3.0
    return np.sum(x * r)


@at((np.asfortranarray(smooth(3, 3)), 1), (smooth(3, 3), 2))
def reshapes_carried_by_a_loop(x, n):
    p = x
    for _ in range(n):
        x.T[0] = x[1] * 2.0
        p = x.reshape(9).reshape(3, 3)
    return np.sum(x * p)


@at((smooth(4, 3),))
def flat_view_of_a_fortran_ordered_copy(x):
    y = np.asfortranarray(x * 1.0)
    t = y.T.reshape(-1)
    t[0] = t[1] * t[2]
    y[0, 0] *= 5.0
    return np.sum(t**2) + np.sum(y)


@at((vec(0.8, -0.35, 0.6, 0.27),))
def reshaped_copy_of_what_was_written(x):
    m = (x * x).reshape(2, -1)
    m[0] *= m[1]
    t = m.T.reshape(-1)
    return np.sum(t * x)


@at((vec(0.8, -0.35, 0.6, 0.27),))
def reshaped_copy_is_written_too(x):
    m = (x * x).reshape(2, -1)
    m[0] *= m[1]
    t = m.T.reshape(-1)
    t[1:] *= t[:-1].copy()
    m[1] += t[:2] * x[0]
    return np.sum(t * x) * np.sum(m)


@at((vec(0.8, -0.35, 0.6, 0.27),), (vec(0.3, 0.9, -0.6, 0.8),))
def view_on_one_side_and_copy_on_the_other(x):
    m = np.outer(x, x)
    w = m.T if x[0] > 0.5 else m
    r = w.ravel()
    r[1] = x[2] * 3.0
    w[0] *= x
    r *= 0.5
    return np.sum(r**2) + np.sum(m * w)


@at((vec(0.8, -0.35, 0.6, 0.27),))
def copies_carried_by_a_loop(x):
    m = (x * x).reshape(2, -1)
    s = 0.0
    for i in range(3):
        m[i % 2] *= x[:2]
        m = m.T.reshape(-1).reshape(2, -1)
        m = m * 1.0 if i == 1 else m
        s = s + np.sum(m[0] * x[2:])
    return s * np.sum(m)


@at((smooth(4, 3),), (np.asfortranarray(smooth(6, 2, seed=1)),), (smooth(2, 2, seed=2)[:, ::-1],))
def reshaped_vectors_are_views(a):
    b = a * 1.5
    column = b[::-1, 1]
    pairs = column.reshape(-1, 2)
    pairs[:, 0] *= pairs[:, 1] + 0.3
    np.reshape(b[1], (1, -1))[0, 1:] += column[:-1].sum()
    flat = pairs[0].reshape(2, 1)
    flat += flat * flat
    return np.sum(b**3) + np.sum(np.sin(pairs) * flat[:, 0])


@at((np.asfortranarray([[1.0, 2.0], [-3.0, 4.0]]),), (np.array([[1.0, 2.0], [-3.0, 4.0]]),))
def written_through_the_transpose_of_a_choice(a):
    b = np.where(a > 0.0, a, 0.5)
    v = b.T.reshape(-1)
    v *= 0.5
    return np.sum(b**2)


@at((np.asfortranarray([[1.0, 2.5], [-3.0, 4.0]]),), (np.array([[1.0, 2.5], [-3.0, 4.0]]),))
def written_through_the_transpose_of_a_masked_product(a):
    b = (a > 2.0) * (a + 1.0) * a
    v = np.ravel(b.T)
    v += 0.5
    return np.sum(b**2 * a)


@at((np.asfortranarray(smooth(2, 3)),), (smooth(2, 3),))
def copies_that_lie_as_their_argument_does(a):
    copies = a.copy("K"), np.copy(a, order="A"), a.astype(float, order="K"), np.array(a, order="A"), np.asarray(a, order="K")
    weights = np.arange(6.0)
    return sum([np.sum(copy.ravel() * weights * copy.ravel("F")) for copy in copies])


@at((smooth(4),), (smooth(8)[::-2],))
def one_axis_in_any_order(x):
    weights = np.arange(4.0)
    return np.sum(x.ravel("K") * weights) * np.sum(np.reshape(x, (2, 2), "A") ** 2 @ x[:2]) + x.flatten(order="A")[1] ** 2


@at((np.asfortranarray(smooth(2, 3)), smooth(2, 3)))
def constants_as_they_lie_in_memory(a, b):
    table = np.asfortranarray(np.arange(6.0).reshape(2, 3))
    return np.sum(a.ravel("f") * table.ravel("K") * b.ravel(order=None) ** 2)


@at((vec(1.0, 2.0, 3.0),))
def view_of_its_dtype_updated_in_place(x):
    y = x.copy()
    v = y.view(np.float64)
    v *= 2.0
    return (y * y * x).sum()


@at((vec(0.7, 2.0, 3.1),))
def views_without_another_dtype(x):
    y = x * 1.0
    rest = y[1:].view()
    y[1] *= 3.0
    rest -= x[0]
    x.view()[0] = y[2]
    return y @ x + np.array(x[1]).view() ** 2
