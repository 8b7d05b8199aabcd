"""Collision detection: from the positions of the geoms to the list of contacts.

The pairs of geoms that can ever touch are found once per model (`pairs`). Every step tests their bounds
(`broadphase`, in lanes), then the pairs that are left geom against geom (`narrowphase`, one world at a time). There is
one file per family of geometry pairs. See the Computation chapter, section "Collision detection".
"""
