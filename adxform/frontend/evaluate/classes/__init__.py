"""Classes of the program: what they hold, what instances find in them, and the special methods behind operators."""
