"""A loop whose trip count nobody knows: its values are pushed and popped."""

EXAMPLE = (2.0, 1e-10)


def newton_while(a, tolerance):
    x = a
    while abs(x * x - a) > tolerance:
        x = 0.5 * (x + a / x)
    return x

# --- vjp
