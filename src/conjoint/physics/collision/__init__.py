"""Collision detection: from the positions of the geoms to the list of contacts.

Pairs of geoms that can ever touch are listed once per model (`runtime.pairs`). Every step tests their bounds
(`broadphase`, `parts`, `sweep`, `static_tree`). A pair whose bounds are close enough is called near; `pairs` determines
its margin and its collider. For geoms, only `pairs` and the colliders depend on the edition (`editions`). Colliders
find the contacts of near pairs (`finding`, `flex.contacts`). Contacts that MuJoCo misses are dropped
(`physics.official`); the others are listed in order, with their parameters (`listing`). There is one file per family of
geometry pairs. See the Computation chapter, section "Collision detection".
"""
