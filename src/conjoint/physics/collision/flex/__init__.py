"""Contacts of flexes: elements as shapes, pairs that collide, bodies on which a contact force acts, and the list."""
