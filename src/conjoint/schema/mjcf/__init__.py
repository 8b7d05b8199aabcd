"""The MJCF grammar: one row per element and attribute (XML Reference chapter)."""
