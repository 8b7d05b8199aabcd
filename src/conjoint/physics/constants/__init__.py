"""Constants of a model that follow from its other fields in the initial configuration (mj_setConst)."""
