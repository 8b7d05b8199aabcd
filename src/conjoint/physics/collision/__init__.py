"""Collision detection: from the positions of the geoms to the list of contacts.

The pairs of geoms that can ever touch are found once per model (`runtime.pairs`). Every step tests their bounds
(`broadphase`, `parts`, `sweep`, `static_tree`). Near pairs get their margins and colliders (`pairs`), the only place
where editions matter for geoms (`editions`). Colliders find their contacts (`finding`, `flex.contacts`); those that the
official engine misses leave (`physics.official`); the others are listed in order, with their parameters (`listing`).
There is one file per family of geometry pairs. See the Computation chapter, section "Collision detection".
"""
