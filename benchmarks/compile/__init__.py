"""First calls: what systems take until there is a first gradient, and on what they spend it."""
