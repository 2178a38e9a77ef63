"""The compiled engine: what Numba can take of a function becomes kernels, the rest stays Python around them."""
