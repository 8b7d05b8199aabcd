"""Methods that minimize the cost: descent in the space of dofs, Newton's method in the space of rows, dual methods."""
