"""Functions through which no derivative is followed: why, and what to do instead."""
