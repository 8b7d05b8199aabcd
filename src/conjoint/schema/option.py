"""Options of the simulation (`m.opt`) and statistics of the model (`m.stat`)."""

from conjoint.lang.layout import Field

# fmt: off
OPTION_FIELDS: tuple[Field, ...] = (
    Field("opt.timestep", "real", (), 0.002, "s", "", "length of a step"),
    Field("opt.apirate", "real", (), 100.0, "Hz", "", "rate at which clients may refresh what they show"),
    Field("opt.impratio", "real", (), 1.0, "", "", "ratio of frictional to normal impedance in elliptic contacts"),
    Field("opt.tolerance", "real", (), 1e-08, "", "", "scaled improvement at which the main solver stops"),
    Field("opt.ls_tolerance", "real", (), 0.01, "", "", "slope, relative to the start, at which the line search stops"),
    Field("opt.noslip_tolerance", "real", (), 1e-06, "", "", "scaled improvement at which the noslip solver stops"),
    Field("opt.ccd_tolerance", "real", (), 1e-06, "", "", "tolerance of collision detection between convex shapes"),
    Field("opt.gravity", "vec3", (), (0.0, 0.0, -9.81), "m/s^2", "", "gravitational acceleration, world frame"),
    Field("opt.wind", "vec3", (), 0, "m/s", "", "velocity of the medium, world frame"),
    Field("opt.magnetic", "vec3", (), (0.0, -0.5, 0.0), "", "", "magnetic flux, world frame"),
    Field("opt.density", "real", (), 0, "kg/m^3", "", "density of the medium; 0: no lift and drag"),
    Field("opt.viscosity", "real", (), 0, "Pa s", "", "viscosity of the medium; 0: no viscous drag"),
    Field("opt.o_margin", "real", (), 0, "m", "", "contact margin of all contacts, if overridden"),
    Field("opt.o_solref", "real", (2,), (0.02, 1.0), "", "", "contact solref of all contacts, if overridden"),
    Field("opt.o_solimp", "real", (5,), (0.9, 0.95, 0.001, 0.5, 2.0), "", "",
          "contact solimp of all contacts, if overridden"),
    Field("opt.o_friction", "real", (5,), (1.0, 1.0, 0.005, 0.0001, 0.0001), "", "",
          "contact friction of all contacts, if overridden"),
    Field("opt.integrator", "int", (), 0, "", "", "integrator (mjtIntegrator)"),
    Field("opt.cone", "int", (), 0, "", "", "type of friction cone (mjtCone)"),
    Field("opt.jacobian", "int", (), 2, "", "", "storage of the constraint Jacobian (mjtJacobian)"),
    Field("opt.solver", "int", (), 2, "", "", "constraint solver (mjtSolver)"),
    Field("opt.iterations", "int", (), 100, "", "", "largest number of iterations of the main solver"),
    Field("opt.ls_iterations", "int", (), 50, "", "", "largest number of iterations of its line search"),
    Field("opt.noslip_iterations", "int", (), 0, "", "", "largest number of iterations of the noslip solver"),
    Field("opt.ccd_iterations", "int", (), 50, "", "", "largest number of iterations of convex collision detection"),
    Field("opt.disableflags", "int", (), 0, "", "", "what is disabled, a sum of mjtDisableBit"),
    Field("opt.enableflags", "int", (), 0, "", "", "what is enabled, a sum of mjtEnableBit"),
    Field("opt.disableactuator", "int", (), 0, "", "", "actuator groups that are disabled, one bit per group"),
    Field("opt.sdf_initpoints", "int", (), 40, "", "", "starting points of collisions between signed distance fields"),
    Field("opt.sdf_iterations", "int", (), 10, "", "", "largest number of iterations of such collisions"),
)

LENGTH_RANGE_FIELDS: tuple[Field, ...] = (
    Field("mode", "int", (), 0, "", "", "which actuators (mjtLRMode)"),
    Field("useexisting", "int", (), 0, "", "", "whether to keep ranges that are there"),
    Field("uselimit", "int", (), 0, "", "", "whether to take limits of joints and tendons"),
    Field("accel", "real", (), 0, "", "", "norm of the acceleration that the force would cause"),
    Field("maxforce", "real", (), 0, "", "", "largest norm of the force; 0: any"),
    Field("timeconst", "real", (), 0, "s", "", "time constant of the decay of velocities"),
    Field("timestep", "real", (), 0, "s", "", "length of a step; 0: that of the model"),
    Field("inttotal", "real", (), 0, "s", "", "duration of a simulation"),
    Field("interval", "real", (), 0, "s", "", "time at its end in which lengths count"),
    Field("tolrange", "real", (), 0, "", "", "largest change of the length in that time, relative to the range"),
)
"""How to find ranges of lengths, for `mj_setLengthRange`."""

STATISTIC_FIELDS: tuple[Field, ...] = (
    Field("stat.meaninertia", "real", (), 1.0, "", "mj_setConst",
          "mean of the diagonal of the inertia matrix at qpos0"),
    Field("stat.meanmass", "real", (), 1.0, "kg", "mj_setConst", "mean mass of the moving bodies"),
    Field("stat.meansize", "real", (), 0.2, "m", "mj_setConst", "mean size of the moving bodies"),
    Field("stat.extent", "real", (), 2.0, "m", "mj_setConst", "size of the model in space"),
    Field("stat.center", "vec3", (), 0, "m", "mj_setConst", "centre of the model at qpos0"),
)
# fmt: on
