"""Small programs as people write them, each with points at which its derivatives are checked."""
