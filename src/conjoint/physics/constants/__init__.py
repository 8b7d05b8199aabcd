"""Model constants that are computed from other fields in the initial configuration (mj_setConst)."""
