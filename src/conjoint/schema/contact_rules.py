"""Rules of newer official versions about contacts; `schema.semantics` lists them with the others."""

# fmt: off
CONTACT_RULES = (
    ("margins", "3.5",
     "The margins of two geoms are added, and so are their gaps; before, the larger counted."),
    ("coplanar", "3.6",
     "Triangles of a mesh's hull that share edges are one side where inclination and azimuth of their normals are the "
     "same to 0.01 rad; before, where normals were the same to 0.09 degrees."),
    ("multiccd", "3.8",
     "Capsules, cylinders, boxes and meshes touch in up to four points, where faces, or an edge and a face, are "
     "parallel within 5 degrees, unless the flag `multiccd` is disabled."),
    ("gap", "3.9",
     "Contacts are listed below margin + gap and act below the margin; before, they were listed below the margin and "
     "acted below margin - gap."),
    ("boxbox", "3.12",
     "Two boxes touch at the corners of the face that is turned against the other box's, or where two edges meet, also "
     "where a box is thin or far inside of the other."),
    ("planemesh", "3.13",
     "A mesh touches a plane at its lowest vertex and at three more corners of the face there that is turned to it."),
    ("capsules", "3.16",
     "Capsules that are parallel within 1e-4 touch at both ends of what they have side by side."),
    ("polygons", "3.17",
     "The normal of a side of a mesh's hull is that of its whole outline; before, that of its first corners."),
    ("fields", "4.0",
     "The normal of a contact with a height field is the direction of least overlap; before, that of round bodies was "
     "their surface's."),
    ("gjk", "4.0",
     "Whether convex bodies overlap is found as their distance is, by the nearest point of a simplex; before, by a "
     "tetrahedron of which one corner after the other is replaced."),
    ("ccd", "4.0",
     "The default of `ccd_iterations` is 35 instead of 50."),
)
# fmt: on
"""Names, the first version that has the rule, and what it says."""
