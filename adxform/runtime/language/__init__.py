"""What statements and values of Python mean where generated code executes them: loops, tries, context managers, what is set."""
