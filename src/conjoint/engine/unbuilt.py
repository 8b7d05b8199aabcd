"""Options that the schema knows but no stage computes yet: refused, so that no result is wrong in silence."""

from __future__ import annotations

import numpy as np

from conjoint.lang.layout import Buffer
from conjoint.schema.enums import mjtCone, mjtDisableBit


def unbuilt_options(model: Buffer) -> list[str]:
    """One line for each option of the model that asks for something that is not built yet."""
    lines = []
    dims = np.concatenate([model.view("geom_condim"), model.view("pair_dim")])
    contacts = not int(model.view("opt.disableflags")) & mjtDisableBit.mjDSBL_CONTACT and dims.size and dims.max() > 1
    if contacts and int(model.view("opt.cone")) == mjtCone.mjCONE_ELLIPTIC:
        lines.append("elliptic friction cones are not built yet: set option cone to pyramidal")
    if int(model.view("opt.noslip_iterations")) > 0:
        lines.append("the noslip solver is not built yet: set option noslip_iterations to 0")
    if float(model.view("opt.density")) > 0 or float(model.view("opt.viscosity")) > 0:
        lines.append("fluid forces are not built yet: set options density and viscosity to 0")
    return lines
