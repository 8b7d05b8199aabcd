"""Definition of plugins, and plugins of shapes (XML Reference, extension/plugin)."""
