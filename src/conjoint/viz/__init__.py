"""The abstract visualizer: the scene of a world, cameras, perturbation and selection by the mouse."""
