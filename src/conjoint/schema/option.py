"""Options of the simulation (`m.opt`) and statistics of the model (`m.stat`)."""

from conjoint.lang.layout import Field

# fmt: off
OPTION_FIELDS: tuple[Field, ...] = (
    Field("opt.timestep", "real", (), 0.002),
    Field("opt.apirate", "real", (), 100.0),
    Field("opt.impratio", "real", (), 1.0),
    Field("opt.tolerance", "real", (), 1e-08),
    Field("opt.ls_tolerance", "real", (), 0.01),
    Field("opt.noslip_tolerance", "real", (), 1e-06),
    Field("opt.ccd_tolerance", "real", (), 1e-06),
    Field("opt.gravity", "vec3", (), (0.0, 0.0, -9.81)),
    Field("opt.wind", "vec3"),
    Field("opt.magnetic", "vec3", (), (0.0, -0.5, 0.0)),
    Field("opt.density", "real"),
    Field("opt.viscosity", "real"),
    Field("opt.o_margin", "real"),
    Field("opt.o_solref", "real", (2,), (0.02, 1.0)),
    Field("opt.o_solimp", "real", (5,), (0.9, 0.95, 0.001, 0.5, 2.0)),
    Field("opt.o_friction", "real", (5,), (1.0, 1.0, 0.005, 0.0001, 0.0001)),
    Field("opt.integrator", "int"),
    Field("opt.cone", "int"),
    Field("opt.jacobian", "int", (), 2),
    Field("opt.solver", "int", (), 2),
    Field("opt.iterations", "int", (), 100),
    Field("opt.ls_iterations", "int", (), 50),
    Field("opt.noslip_iterations", "int"),
    Field("opt.ccd_iterations", "int", (), 50),
    Field("opt.disableflags", "int"),
    Field("opt.enableflags", "int"),
    Field("opt.disableactuator", "int"),
    Field("opt.sdf_initpoints", "int", (), 40),
    Field("opt.sdf_iterations", "int", (), 10),
)

STATISTIC_FIELDS: tuple[Field, ...] = (
    Field("stat.meaninertia", "real", (), 1.0, "", "mj_setConst"),
    Field("stat.meanmass", "real", (), 1.0, "", "mj_setConst"),
    Field("stat.meansize", "real", (), 0.2, "", "mj_setConst"),
    Field("stat.extent", "real", (), 2.0, "", "mj_setConst"),
    Field("stat.center", "vec3", (), 0, "", "mj_setConst"),
)
# fmt: on
