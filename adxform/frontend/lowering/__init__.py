"""AST to untyped SSA: names (`binding`), the state of one block (`scope`), expressions, statements, loops, closures."""
