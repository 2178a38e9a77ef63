"""The rules: one record per primitive, in one table."""
