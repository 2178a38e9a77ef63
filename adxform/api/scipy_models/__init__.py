"""Functions of SciPy's that are given functions of the program: solvers, integrals, paths of differential equations.

They are definitions over `jvp` and `jacobian`, as those of second order are, and join the table when a program meets their
package (`primitives.scipy_rules`). A folder holds what they model: optimization, integration, interpolation, statistics, signals,
images, space, dense and sparse matrices; beside these is what all are written with.
"""
