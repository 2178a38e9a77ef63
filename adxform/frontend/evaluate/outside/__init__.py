"""What a function finds outside of its arguments and changes there: guards, and changes that the run makes where they stand."""
