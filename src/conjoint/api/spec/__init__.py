"""`MjSpec`, a model that can be edited and compiled, and the handles of its elements (`mjs_*`)."""
