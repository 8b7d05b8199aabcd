"""Triangle meshes: file formats, simple shapes, normals."""
