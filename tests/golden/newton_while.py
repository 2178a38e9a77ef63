"""A loop whose trip count nobody knows: its values are pushed and popped."""

EXAMPLE = (2.0,)


def newton_while(a):
    x = a
    while abs(x * x - a) > 1e-10:
        x = 0.5 * (x + a / x)
    return x

# --- vjp
def newton_while_vjp(a, x_ct):
    x_tape = []
    x = a
    iterations = 0
    while abs(x * x - a) > 1e-10:  # newton_while.py:8
        x_tape.append(x)
        x = 0.5 * (x + a / x)  # newton_while.py:9
        iterations += 1  # newton_while.py:8
    # reverse sweep
    a_ct = 0.0
    for _ in range(iterations):
        x_1 = x_tape.pop()
        tmp_ct = x_ct * 0.5  # newton_while.py:9
        a_ct += tmp_ct / x_1
        x_ct = tmp_ct + tmp_ct * (-(a / x_1) / x_1)
    a_ct += x_ct  # newton_while.py:8
    return x, a_ct
