"""Motion of bodies: poses, quantities at centres of mass, and Jacobians (stages 2 and 3)."""
