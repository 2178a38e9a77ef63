"""Sparsity: which elements of a derivative can be different from zero, and how few products give all of them."""
