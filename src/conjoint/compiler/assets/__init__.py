"""Assets: meshes, height fields, textures and skins, from files or from the model itself."""
