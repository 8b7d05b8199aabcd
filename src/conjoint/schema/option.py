"""Options of the simulation (`m.opt`) and statistics of the model (`m.stat`)."""

from conjoint.lang.memory.layout import Field
from conjoint.schema.rows import Constant, Input

# fmt: off
OPTION_FIELDS: tuple[Field, ...] = (
    Input("opt.timestep", "real", (), 0.002, "s", "length of a step"),
    Input("opt.apirate", "real", (), 100.0, "Hz", "rate at which clients may refresh what they show"),
    Input("opt.impratio", "real", (), 1.0, "", "ratio of frictional to normal impedance in elliptic contacts"),
    Input("opt.tolerance", "real", (), 1e-08, "", "scaled improvement at which the main solver stops"),
    Input("opt.ls_tolerance", "real", (), 0.01, "", "slope, relative to the start, at which the line search stops"),
    Input("opt.noslip_tolerance", "real", (), 1e-06, "", "scaled improvement at which the noslip solver stops"),
    Input("opt.ccd_tolerance", "real", (), 1e-06, "", "tolerance of collision detection between convex shapes"),
    Input("opt.sleep_tolerance", "real", (), 1e-3, "m/s", "speed below which trees may fall asleep"),
    Input("opt.gravity", "vec3", (), (0.0, 0.0, -9.81), "m/s^2", "gravitational acceleration, world frame"),
    Input("opt.wind", "vec3", (), 0, "m/s", "velocity of the medium, world frame"),
    Input("opt.magnetic", "vec3", (), (0.0, -0.5, 0.0), "T", "magnetic flux, world frame"),
    Input("opt.density", "real", (), 0, "kg/m^3", "density of the medium; 0: no lift and drag", derives="stages"),
    Input("opt.viscosity", "real", (), 0, "Pa s", "viscosity of the medium; 0: no viscous drag", derives="stages"),
    Input("opt.o_margin", "real", (), 0, "m", "contact margin of all contacts, if overridden"),
    Input("opt.o_solref", "solref", (), (0.02, 1.0), "", "contact solref of all contacts, if overridden"),
    Input("opt.o_solimp", "solimp", (), (0.9, 0.95, 0.001, 0.5, 2.0), "",
          "contact solimp of all contacts, if overridden"),
    Input("opt.o_friction", "friction", (), (1.0, 1.0, 0.005, 0.0001, 0.0001), "",
          "contact friction of all contacts, if overridden"),
    Input("opt.integrator", "int", (), 0, "", "integrator (mjtIntegrator)", derives="stages"),
    Input("opt.cone", "int", (), 0, "", "type of friction cone (mjtCone)", derives="stages"),
    Input("opt.jacobian", "int", (), 2, "", "storage of the constraint Jacobian (mjtJacobian)", derives="plan"),
    Input("opt.solver", "int", (), 2, "", "constraint solver (mjtSolver, mjtImpulse)", derives="plan stages"),
    Input("opt.iterations", "int", (), 100, "", "largest number of iterations of the main solver"),
    Input("opt.ls_iterations", "int", (), 50, "", "largest number of iterations of its line search"),
    Input("opt.noslip_iterations", "int", (), 0, "", "largest number of iterations of the noslip solver",
          derives="plan stages"),
    Input("opt.ccd_iterations", "int", (), 50, "", "largest number of iterations of convex collision detection"),
    Input("opt.disableflags", "int", (), 0, "", "what is disabled, a sum of mjtDisableBit", derives="plan stages"),
    Input("opt.enableflags", "int", (), 0, "", "what is enabled, a sum of mjtEnableBit", derives="plan stages"),
    Input("opt.disableactuator", "int", (), 0, "", "actuator groups that are disabled, one bit per group"),
    Input("opt.sdf_initpoints", "int", (), 40, "", "starting points of collisions between signed distance fields"),
    Input("opt.sdf_iterations", "int", (), 10, "", "largest number of iterations of such collisions"),
)

LENGTH_RANGE_FIELDS: tuple[Field, ...] = (
    Input("mode", "int", (), 0, "", "which actuators (mjtLRMode)"),
    Input("useexisting", "int", (), 0, "", "whether to keep ranges that are there"),
    Input("uselimit", "int", (), 0, "", "whether to take limits of joints and tendons"),
    Input("accel", "real", (), 0, "", "norm of the acceleration that the force would cause"),
    Input("maxforce", "real", (), 0, "", "largest norm of the force; 0: any"),
    Input("timeconst", "real", (), 0, "s", "time constant of the decay of velocities"),
    Input("timestep", "real", (), 0, "s", "length of a step; 0: that of the model"),
    Input("inttotal", "real", (), 0, "s", "duration of a simulation"),
    Input("interval", "real", (), 0, "s", "time at its end in which lengths count"),
    Input("tolrange", "real", (), 0, "", "largest change of the length in that time, relative to the range"),
)
"""How to find ranges of lengths, for `mj_setLengthRange`."""

STATISTIC_FIELDS: tuple[Field, ...] = (
    Constant("stat.meaninertia", "real", (), "kg m^2", "mean of the diagonal of the inertia matrix at qpos0", 1.0),
    Constant("stat.meanmass", "real", (), "kg", "mean mass of the moving bodies", 1.0),
    Constant("stat.meansize", "real", (), "m", "mean size of the moving bodies", 0.2),
    Constant("stat.extent", "real", (), "m", "half the size of the model in space", 2.0),
    Constant("stat.center", "vec3", (), "m", "centre of the model at qpos0"),
)
# fmt: on
