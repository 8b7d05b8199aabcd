"""Extensions of the pipeline by user programs: callbacks, kernels, replaced stages, colliders, and plugins."""
