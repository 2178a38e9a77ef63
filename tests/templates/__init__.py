"""Functions whose statements are the pieces of random programs."""
