"""What rules of SciPy's functions call, a module for each package of SciPy's: imported when a rule of that package is met."""
