"""Methods that minimize the cost: gradient methods in the space of dofs, Newton in that of rows, and dual ones."""
