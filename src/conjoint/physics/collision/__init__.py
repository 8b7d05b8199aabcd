"""Collision detection: from the positions of the geoms to the list of contacts.

The pairs of geoms that can ever touch are found once per model (`pairs`). Every step tests their bounds
(`broadphase`, `sweep`); colliders find the contacts of the pairs that are left (`finding`); pairs that touch are
selected, and their contacts listed (`listing`). There is one file per family of geometry pairs. See the Computation
chapter, section "Collision detection".
"""
