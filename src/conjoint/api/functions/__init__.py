"""The documented functions of models and worlds (`mj_*`, `mjd_*`)."""
