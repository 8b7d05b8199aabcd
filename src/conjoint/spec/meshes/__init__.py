"""Triangle meshes: formats of files, simple shapes, normals."""
