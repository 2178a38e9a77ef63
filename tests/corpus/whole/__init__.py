"""Whole programs in the manner of real code, each some 20 to 80 lines: solvers, filters, models, networks, simulations."""
