"""Constants of a model that follow from its other fields: what the initial configuration tells (mj_setConst)."""
