"""Definition of plugins, and built-in shape and elasticity plugins (XML Reference, extension/plugin)."""
