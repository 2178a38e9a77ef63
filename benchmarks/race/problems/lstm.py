"""A long short-term memory over a sequence, as ADBench defines it: every gate has a weight and a bias for each character.

Source: Šrajer, Kukelova and Fitzgibbon (2018), as extended in ADBench, https://github.com/microsoft/ADBench, objective `lstm`.
"""

from __future__ import annotations

from math import exp, tanh

import numpy as np

from benchmarks.race.problem import Problem


def sigmoid(x):
    """The logistic function."""
    return 1.0 / (1.0 + np.exp(-x))


def lstm(main, extra, state, sequence):
    """main: (2 layers, 4 b), extra: (3, b), state: (2 layers, b), sequence: (c, b)"""
    layers = main.shape[0] // 2
    c, b = sequence.shape
    s = state.copy()
    total = 0.0
    for t in range(c - 1):
        x = sequence[t] * extra[0]
        for layer in range(layers):
            w = main[2 * layer]
            bias = main[2 * layer + 1]
            hidden = s[2 * layer]
            forget = sigmoid(x * w[:b] + bias[:b])
            ingate = sigmoid(hidden * w[b : 2 * b] + bias[b : 2 * b])
            outgate = sigmoid(x * w[2 * b : 3 * b] + bias[2 * b : 3 * b])
            change = np.tanh(hidden * w[3 * b :] + bias[3 * b :])
            cell = s[2 * layer + 1] * forget + ingate * change
            x = outgate * np.tanh(cell)
            s[2 * layer] = x
            s[2 * layer + 1] = cell
        y = x * extra[1] + extra[2]
        y = y - np.log(2.0 + np.sum(np.exp(y)))
        total += np.sum(y * sequence[t + 1])
    return -total / ((c - 1) * b)


def make(size):
    """Layers, length of the sequence, characters."""
    layers, c, b = size
    chance = np.random.default_rng(1)
    sequence = np.eye(b)[chance.integers(b, size=c)]
    return chance.normal(size=(2 * layers, 4 * b)), chance.normal(size=(3, b)), chance.normal(size=(2 * layers, b)), sequence


def by_hand(main, extra, state, sequence):
    """Every gate and state is kept; the four gates of a layer share one vector."""
    layers = main.shape[0] // 2
    c, b = sequence.shape
    steps = c - 1
    gates = np.empty((steps, layers, 4 * b))
    inputs, hiddens, cells = np.empty((steps, layers, 2 * b)), np.empty((steps, layers, b)), np.empty((steps, layers, b))
    outs, ys_ct = np.empty((steps, b)), np.empty((steps, b))
    s = state.copy()
    scale = -1.0 / (steps * b)
    for t in range(steps):
        x = sequence[t] * extra[0]
        for layer in range(layers):
            h = s[2 * layer]
            inputs[t, layer, :b], inputs[t, layer, b:] = x, h
            hiddens[t, layer], cells[t, layer] = h, s[2 * layer + 1]
            g = gates[t, layer]
            g[:] = main[2 * layer] * np.concatenate([x, h, x, h]) + main[2 * layer + 1]
            g[: 3 * b] = 1.0 / (1.0 + np.exp(-g[: 3 * b]))
            g[3 * b :] = np.tanh(g[3 * b :])
            s[2 * layer + 1] = s[2 * layer + 1] * g[:b] + g[b : 2 * b] * g[3 * b :]
            x = g[2 * b : 3 * b] * np.tanh(s[2 * layer + 1])
            s[2 * layer] = x
        outs[t] = x
        e = np.exp(x * extra[1] + extra[2])
        ys_ct[t] = scale * (sequence[t + 1] - e / (2.0 + np.sum(e)) * np.sum(sequence[t + 1]))
    main_ct, extra_ct, s_ct = np.zeros_like(main), np.empty_like(extra), np.zeros_like(state)
    extra_ct[1], extra_ct[2] = np.sum(ys_ct * outs, axis=0), np.sum(ys_ct, axis=0)
    first = np.zeros(b)
    pre = np.empty(4 * b)
    for t in range(steps - 1, -1, -1):
        x_ct = ys_ct[t] * extra[1]
        for layer in range(layers - 1, -1, -1):
            f, i, o, g = gates[t, layer].reshape(4, b)
            old = cells[t, layer]
            th = np.tanh(old * f + i * g)
            h_ct = s_ct[2 * layer] + x_ct
            cell_ct = s_ct[2 * layer + 1] + h_ct * o * (1.0 - th * th)
            pre[:b] = cell_ct * old * f * (1.0 - f)
            pre[b : 2 * b] = cell_ct * g * i * (1.0 - i)
            pre[2 * b : 3 * b] = h_ct * th * o * (1.0 - o)
            pre[3 * b :] = cell_ct * i * (1.0 - g * g)
            x, h = inputs[t, layer, :b], inputs[t, layer, b:]
            main_ct[2 * layer] += pre * np.concatenate([x, h, x, h])
            main_ct[2 * layer + 1] += pre
            back = pre * main[2 * layer]
            x_ct = back[:b] + back[2 * b : 3 * b]
            s_ct[2 * layer] = back[b : 2 * b] + back[3 * b :]
            s_ct[2 * layer + 1] = cell_ct * f
        first += x_ct * sequence[t]
    extra_ct[0] = first
    return main_ct, extra_ct


def limit(main, extra, state, sequence):
    """Loops over the characters, no views; the hyperbolic tangent of the cell is kept as well."""
    layers = main.shape[0] // 2
    c, b = sequence.shape
    steps = c - 1
    kept = np.empty((steps, layers, 8, b))
    outs, ys_ct = np.empty((steps, b)), np.empty((steps, b))
    s = state.copy()
    x = np.empty(b)
    scale = -1.0 / (steps * b)
    for t in range(steps):
        for j in range(b):
            x[j] = sequence[t, j] * extra[0, j]
        for layer in range(layers):
            w, v = 2 * layer, 2 * layer + 1
            for j in range(b):
                h, old = s[w, j], s[v, j]
                f = 1.0 / (1.0 + exp(-(x[j] * main[w, j] + main[v, j])))
                i = 1.0 / (1.0 + exp(-(h * main[w, b + j] + main[v, b + j])))
                o = 1.0 / (1.0 + exp(-(x[j] * main[w, 2 * b + j] + main[v, 2 * b + j])))
                g = tanh(h * main[w, 3 * b + j] + main[v, 3 * b + j])
                cell = old * f + i * g
                th = tanh(cell)
                kept[t, layer, 0, j] = f
                kept[t, layer, 1, j] = i
                kept[t, layer, 2, j] = o
                kept[t, layer, 3, j] = g
                kept[t, layer, 4, j] = th
                kept[t, layer, 5, j] = old
                kept[t, layer, 6, j] = x[j]
                kept[t, layer, 7, j] = h
                x[j] = o * th
                s[w, j] = x[j]
                s[v, j] = cell
        total, hot = 2.0, 0.0
        for j in range(b):
            e = exp(x[j] * extra[1, j] + extra[2, j])
            outs[t, j] = x[j]
            ys_ct[t, j] = e
            total += e
            hot += sequence[t + 1, j]
        part = hot / total
        for j in range(b):
            ys_ct[t, j] = scale * (sequence[t + 1, j] - ys_ct[t, j] * part)
    main_ct, extra_ct, s_ct = np.zeros((2 * layers, 4 * b)), np.zeros((3, b)), np.zeros((2 * layers, b))
    for t in range(steps - 1, -1, -1):
        for j in range(b):
            y_ct = ys_ct[t, j]
            extra_ct[1, j] += y_ct * outs[t, j]
            extra_ct[2, j] += y_ct
            x[j] = y_ct * extra[1, j]
        for layer in range(layers - 1, -1, -1):
            w, v = 2 * layer, 2 * layer + 1
            for j in range(b):
                f, i, o, g = kept[t, layer, 0, j], kept[t, layer, 1, j], kept[t, layer, 2, j], kept[t, layer, 3, j]
                th, old, into, h = kept[t, layer, 4, j], kept[t, layer, 5, j], kept[t, layer, 6, j], kept[t, layer, 7, j]
                h_ct = s_ct[w, j] + x[j]
                cell_ct = s_ct[v, j] + h_ct * o * (1.0 - th * th)
                f_ct = cell_ct * old * f * (1.0 - f)
                i_ct = cell_ct * g * i * (1.0 - i)
                o_ct = h_ct * th * o * (1.0 - o)
                g_ct = cell_ct * i * (1.0 - g * g)
                main_ct[w, j] += f_ct * into
                main_ct[w, b + j] += i_ct * h
                main_ct[w, 2 * b + j] += o_ct * into
                main_ct[w, 3 * b + j] += g_ct * h
                main_ct[v, j] += f_ct
                main_ct[v, b + j] += i_ct
                main_ct[v, 2 * b + j] += o_ct
                main_ct[v, 3 * b + j] += g_ct
                x[j] = f_ct * main[w, j] + o_ct * main[w, 2 * b + j]
                s_ct[w, j] = i_ct * main[w, b + j] + g_ct * main[w, 3 * b + j]
                s_ct[v, j] = cell_ct * f
        for j in range(b):
            extra_ct[0, j] += x[j] * sequence[t, j]
    return main_ct, extra_ct


def with_jax():
    """`scan` over the sequence."""
    import jax
    from jax import lax
    from jax import numpy as jnp

    def f(main, extra, state, sequence):
        layers = main.shape[0] // 2
        c, b = sequence.shape

        def step(s, now_and_next):
            now, following = now_and_next
            x = now * extra[0]
            new = []
            for layer in range(layers):
                w, bias = main[2 * layer].reshape(4, b), main[2 * layer + 1].reshape(4, b)
                hidden, cell = s[2 * layer], s[2 * layer + 1]
                forget = jax.nn.sigmoid(x * w[0] + bias[0])
                ingate = jax.nn.sigmoid(hidden * w[1] + bias[1])
                outgate = jax.nn.sigmoid(x * w[2] + bias[2])
                cell = cell * forget + ingate * jnp.tanh(hidden * w[3] + bias[3])
                x = outgate * jnp.tanh(cell)
                new += [x, cell]
            y = x * extra[1] + extra[2]
            y = y - jnp.log(2.0 + jnp.sum(jnp.exp(y)))
            return jnp.stack(new), jnp.sum(y * following)

        _, totals = lax.scan(step, state, (sequence[:-1], sequence[1:]))
        return -jnp.sum(totals) / ((c - 1) * b)

    return f


def with_torch():
    """A Python loop over the sequence, the states in a list."""
    import torch

    def f(main, extra, state, sequence):
        layers = main.shape[0] // 2
        c, b = sequence.shape
        weights, s = [row.reshape(4, b) for row in main], list(state)
        total = 0.0
        for t in range(c - 1):
            x = sequence[t] * extra[0]
            for layer in range(layers):
                w, bias = weights[2 * layer], weights[2 * layer + 1]
                hidden = s[2 * layer]
                forget = torch.sigmoid(x * w[0] + bias[0])
                ingate = torch.sigmoid(hidden * w[1] + bias[1])
                outgate = torch.sigmoid(x * w[2] + bias[2])
                cell = s[2 * layer + 1] * forget + ingate * torch.tanh(hidden * w[3] + bias[3])
                x = outgate * torch.tanh(cell)
                s[2 * layer], s[2 * layer + 1] = x, cell
            y = x * extra[1] + extra[2]
            y = y - torch.log(2.0 + torch.sum(torch.exp(y)))
            total = total + torch.sum(y * sequence[t + 1])
        return -total / ((c - 1) * b)

    return f


def with_autograd():
    """The same: the states in a list, for there are no assignments to arrays."""
    from autograd import numpy as anp

    def gate(x):
        return 1.0 / (1.0 + anp.exp(-x))

    def f(main, extra, state, sequence):
        layers = main.shape[0] // 2
        c, b = sequence.shape
        s = [state[k] for k in range(2 * layers)]
        total = 0.0
        for t in range(c - 1):
            x = sequence[t] * extra[0]
            for layer in range(layers):
                w, bias = anp.reshape(main[2 * layer], (4, b)), anp.reshape(main[2 * layer + 1], (4, b))
                hidden = s[2 * layer]
                forget, ingate = gate(x * w[0] + bias[0]), gate(hidden * w[1] + bias[1])
                outgate = gate(x * w[2] + bias[2])
                cell = s[2 * layer + 1] * forget + ingate * anp.tanh(hidden * w[3] + bias[3])
                x = outgate * anp.tanh(cell)
                s[2 * layer], s[2 * layer + 1] = x, cell
            y = x * extra[1] + extra[2]
            y = y - anp.log(2.0 + anp.sum(anp.exp(y)))
            total = total + anp.sum(y * sequence[t + 1])
        return -total / ((c - 1) * b)

    return f


def with_casadi():
    """The loop unrolled into a graph of scalars."""
    import casadi

    def gate(x):
        return 1.0 / (1.0 + casadi.exp(-x))

    def f(main, extra, state, sequence):
        layers = main.shape[0] // 2
        c, b = sequence.shape
        s = [state[k, :] for k in range(2 * layers)]
        total = 0.0
        for t in range(c - 1):
            x = sequence[t, :] * extra[0, :]
            for layer in range(layers):
                w, bias, hidden = main[2 * layer, :], main[2 * layer + 1, :], s[2 * layer]
                forget = gate(x * w[:, :b] + bias[:, :b])
                ingate = gate(hidden * w[:, b : 2 * b] + bias[:, b : 2 * b])
                outgate = gate(x * w[:, 2 * b : 3 * b] + bias[:, 2 * b : 3 * b])
                cell = s[2 * layer + 1] * forget + ingate * casadi.tanh(hidden * w[:, 3 * b :] + bias[:, 3 * b :])
                x = outgate * casadi.tanh(cell)
                s[2 * layer], s[2 * layer + 1] = x, cell
            y = x * extra[1, :] + extra[2, :]
            y = y - casadi.log(2.0 + casadi.sum2(casadi.exp(y)))
            total += casadi.sum2(y * sequence[t + 1, :])
        return -total / ((c - 1) * b)

    return f


RACE = Problem(
    "lstm",
    "LSTM (layers, steps, characters)",
    lstm,
    make,
    (2, 4, 3),
    ((2, 128, 14), (2, 1024, 14)),
    by_hand,
    limit,
    {"jax": with_jax, "torch": with_torch, "autograd": with_autograd, "casadi": with_casadi},
    wrt=(0, 1),
)
