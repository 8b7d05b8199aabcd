"""Methods that minimize the cost: gradient methods in the space of dofs, Newton's in that of rows, and dual methods."""
