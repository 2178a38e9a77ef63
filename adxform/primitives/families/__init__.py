"""The records of Python's and NumPy's functions, a module for each family."""
