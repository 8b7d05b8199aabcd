"""Assets: meshes, height fields, textures and skins, from files or from what the model says."""
