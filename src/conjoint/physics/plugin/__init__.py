"""What plugins are, and the shapes among them (XML Reference, extension/plugin)."""
