"""What the versions of Python parse, compile or spell differently, on its way through to the source."""

import numpy as np

EXAMPLE = (np.array([0.4, 1.7, 0.9]), 0.6)


class Well:
    """A well, of a depth.

    The lines of this text are indented, until Python 3.13 takes that away.
    """

    name: str = "it's \"deep\""

    def __init__(self, depth: "float") -> None:
        self.depth = depth

    def at(self, v, *, shift=0.25):
        """The height at a place."""
        return self.depth * (v - shift) ** 2 - 1e-16 * v


def spellings(x, k):
    """A function of everything.

    Indented as well.
    """
    wells = {f"{name!r:>4}": Well(k * i) for i, name in enumerate(("a", 'b"'), start=1)}
    label = f"{'nested'}{k if k is None else ''}{{}}"
    total = 0.0
    if (n := len(x)) > 9:
        raise ValueError(f"{n} are 'too' many, {label}")
    for key, well in wells.items():
        total += sum([well.at(v, shift=0.5) for v in x if v > -1.0]) if key else -0.0
    rows = [(u, *[u * w for w in (k, x[0])]) for u in (x[1], k)]
    scale = (lambda a, b=2.0, /, *c: a * b + c[0])(k, *rows[0])
    for i in range(n):
        while True:
            total += x[i] * scale ** 2 if i % 2 else np.sin(x[..., i])
            break
        if not 0.0 < x[i] < 1e16:
            raise ValueError(f"x[{i}] = {x[i]:.3f}, not \N{INFINITY}\t'")
    assert total < 1e300, f"{total=}"
    return total * {**{"k": k}}["k"] + 1_000.5e-3

# --- vjp
import numpy as np
from adxform import runtime


def spellings_vjp(x, k, result_ct):
    depth = k * 2  # spellings.py:29
    n = x.shape[0]  # spellings.py:32
    if n > 9:
        tmp = format(n)  # spellings.py:33
        tmp = str.join('', [tmp, " are 'too' many, ", 'nested{}'])
        tmp = ValueError(tmp)
        raise tmp
    items = np.empty(n)  # spellings.py:35
    list_item_tape = []
    list_item = 0
    for i in range(n):
        list_item_tape.append(list_item)
        v = x[i]
        if v > -1.0:
            items[list_item] = k * (v - 0.5) ** 2 - 1e-16 * v
            list_item += 1
    items_1 = items[:list_item]
    n_1 = items_1.shape[0]
    tmp = 0
    for i in range(n_1):
        item = items_1[i]
        tmp += item
    total = 0.0 + tmp
    items_1 = np.empty(n)
    list_item_tape_1 = []
    list_item_1 = 0
    for i in range(n):
        list_item_tape_1.append(list_item_1)
        v = x[i]
        if v > -1.0:
            items_1[list_item_1] = depth * (v - 0.5) ** 2 - 1e-16 * v
            list_item_1 += 1
    items_2 = items_1[:list_item_1]
    n_2 = items_2.shape[0]
    tmp = 0
    for i in range(n_2):
        item = items_2[i]
        tmp += item
    total += tmp
    b = x[1]  # spellings.py:36
    tmp = b * k
    scale = tmp + tmp  # spellings.py:37
    iterations_tape = []  # spellings.py:39
    for i in range(n):  # spellings.py:38
        tmp = i % 2  # spellings.py:40
        keep_going = True
        iterations = 0
        while keep_going:  # spellings.py:39
            total += x[i] * scale ** 2 if tmp else np.sin(x[..., i])  # spellings.py:40
            iterations += 1  # spellings.py:39
            keep_going = False
        iterations_tape.append(iterations)
        x_i = x[i]  # spellings.py:42
        if not (0.0 < x_i and x_i < 1e+16):
            tmp = format(i)  # spellings.py:43
            tmp_1 = format(x_i, '.3f')
            tmp = str.join('', ['x[', tmp, '] = ', tmp_1, ", not ∞\t'"])
            tmp = ValueError(tmp)
            raise tmp
    if not total < 1e+300:  # spellings.py:44
        tmp = repr(total)
        tmp = format(tmp)
        tmp = str.join('', ['total=', tmp])
        error = AssertionError(tmp)
        raise error
    result = total * k + 1.0005  # spellings.py:45
    # reverse sweep
    x_ct = np.zeros_like(x)
    items_ct = np.zeros_like(items)
    items_ct_1 = np.zeros_like(items_1)
    items_ct_2 = items_ct_1[:list_item_1]  # spellings.py:35
    items_ct_3 = items_ct[:list_item]
    total_ct = result_ct * k  # spellings.py:45
    last = n - 1  # spellings.py:38
    scale_ct = 0.0
    for i in range(last, -1, -1):
        tmp = i % 2  # spellings.py:40
        for _ in range(iterations_tape.pop()):  # spellings.py:39
            if tmp:  # spellings.py:40
                scale_ct += total_ct * x[i] * (2 * scale)
                x_ct[i] += total_ct * scale ** 2
            else:
                x_ct[..., i] += total_ct * np.cos(x[..., i])
    tmp_ct = scale_ct + scale_ct  # spellings.py:37
    k_ct = result_ct * total + runtime.masked_product(tmp_ct, b)  # spellings.py:36
    x_ct[1] += runtime.masked_product(tmp_ct, k)
    for i in range(n_2 - 1, -1, -1):  # spellings.py:35
        items_ct_2[i] += total_ct
    depth_ct = 0.0
    for i in range(last, -1, -1):
        list_item = list_item_tape_1.pop()
        v = x[i]
        if v > -1.0:
            ct = items_ct_1[list_item]
            items_ct_1[list_item] = 0.0
            tmp = v - 0.5  # spellings.py:21
            depth_ct += ct * tmp ** 2
            v_ct = -ct * 1e-16 + ct * depth * (2 * tmp)
        else:
            v_ct = 0.0
        x_ct[i] += v_ct  # spellings.py:35
    for i in range(n_1 - 1, -1, -1):
        items_ct_3[i] += total_ct
    for i in range(last, -1, -1):
        list_item = list_item_tape.pop()
        v = x[i]
        if v > -1.0:
            ct = items_ct[list_item]
            items_ct[list_item] = 0.0
            tmp = v - 0.5  # spellings.py:21
            k_ct += ct * tmp ** 2
            v_ct = -ct * 1e-16 + ct * k * (2 * tmp)
        else:
            v_ct = 0.0
        x_ct[i] += v_ct  # spellings.py:35
    k_ct += depth_ct * 2  # spellings.py:29
    return result, x_ct, k_ct
