"""Random programs in the manner of scientists: helpers, containers, state on objects, integers that become floats."""
