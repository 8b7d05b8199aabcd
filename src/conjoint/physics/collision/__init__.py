"""Collision detection: from the positions of the geoms to the list of contacts.

Pairs of geoms that can ever touch are listed once per model (`runtime.pairs`). Every step tests their bounds
(`broadphase`, `parts`, `sweep`, `static_tree`). Near pairs get their margins and colliders (`pairs`), the only place
where editions matter for geoms (`editions`). Colliders find their contacts (`finding`, `flex.contacts`). Contacts that
MuJoCo misses are dropped (`physics.official`); the others are listed in order, with their parameters (`listing`). There
is one file per family of geometry pairs. See the Computation chapter, section "Collision detection".
"""
