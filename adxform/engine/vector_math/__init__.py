"""Elementary functions that vectorise inside compiled loops: within two units in the last place, on every processor."""

from adxform.engine.vector_math.table import DIVIDED, VECTOR_FORMS, Form, has_vector_form, vector_form

__all__ = ["DIVIDED", "VECTOR_FORMS", "Form", "has_vector_form", "vector_form"]
