"""What one specialisation notes down, by what it is about: see `state`."""
