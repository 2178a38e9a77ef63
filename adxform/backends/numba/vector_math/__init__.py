"""Elementary functions that vectorise inside compiled loops: within two units in the last place, on every processor."""

from adxform.backends.numba.vector_math.catalogue import DIVIDED, FormLocation, vector_form

__all__ = ["DIVIDED", "FormLocation", "vector_form"]
