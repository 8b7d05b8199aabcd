"""Contacts of flexes: elements as shapes, pairs that collide, bodies that a contact pushes, and the list."""
