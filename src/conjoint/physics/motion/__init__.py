"""Body poses, quantities at centers of mass, and Jacobians (stages 2 and 3)."""
