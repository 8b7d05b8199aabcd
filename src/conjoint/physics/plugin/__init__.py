"""Plugins: forces, actuators and sensors that models name in <extension> (XML Reference, extension/plugin)."""
