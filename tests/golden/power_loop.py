"""A carried product with a trip count known at run time."""

EXAMPLE = (1.1, 5)


def power_loop(x, n):
    y = 1.0
    for _ in range(n):
        y = y * x
    return y

# --- vjp
