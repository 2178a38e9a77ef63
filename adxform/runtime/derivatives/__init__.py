"""Derivatives as generated code calls them: products, sums and slopes where a plain formula would not do."""
