"""The lists of passes that a function goes through, and what runs them."""
