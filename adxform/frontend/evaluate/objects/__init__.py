"""What the program's objects hold, where each is one of several, and what values and objects are made of."""
