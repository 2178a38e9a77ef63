"""Random programs in the manner of scientists: of every statement, expression and container of the table of the language."""
