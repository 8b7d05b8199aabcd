"""Contacts of flexes: elements as shapes, which of them touch what, which bodies a contact pushes, and the list."""
