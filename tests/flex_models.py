"""Small models with flexes on fixed and free bodies, with all types of vertices and of forces in edges, elements and shells."""

GRID, ROPE, BLOCK = 'dim="2" count="3 3 1"', 'dim="1" count="4 1 1"', 'dim="3" count="3 2 3"'
BOX = 'dim="3" count="3 3 3" dof="trilinear"'
EQUALITY, DAMPED = '<edge equality="true"/>', '<edge damping="1" equality="true"/>'
SHELL = '<elasticity young="100" poisson=".2" thickness=".01" damping="{}" elastic2d="{}"/>'
SOLID = '<elasticity young="100" poisson=".2" damping=".05"/>'
PIN = '<pin id="0 1"/>'


def model(flex: str, inside: str = "", option: str = "", held: bool = False, contact: str = "", world: str = "") -> str:
    """Return the XML of a model with one flexcomp; with `held`, the flexcomp is on a free body."""
    contact = contact or 'internal="false" selfcollide="none" contype="0" conaffinity="0"'
    comp = f'<flexcomp name="f" type="grid" spacing=".1 .1 .1" radius=".005" mass="1" {flex}><contact {contact}/>{inside}</flexcomp>'
    if held:
        geom = '<freejoint/><geom size=".1" contype="0" conaffinity="0"/>'
        comp = f'<body name="b" pos=".1 .2 .3" euler="10 20 30">{geom}{comp}</body>'
    return f"<mujoco><option {option}/><worldbody>{world}{comp}</worldbody></mujoco>"


SPARSE = 'jacobian="sparse"'
FLEXES = {
    "edges kept": model(GRID, EQUALITY),
    "edges kept, compressed": model(GRID, EQUALITY, SPARSE),
    "nothing between vertices": model(GRID),
    "springs and dampers": model(ROPE, '<edge stiffness="3" damping=".1"/>', 'integrator="implicit"'),
    "damped edges, compressed": model(GRID, '<edge damping="1"/>', SPARSE + ' integrator="implicitfast"'),
    "stretching": model(GRID, SHELL.format(0.1, "stretch")),
    "bending": model(GRID, SHELL.format(0.1, "bend")),
    "stretching and bending": model(GRID, SHELL.format(0.03, "both"), 'integrator="RK4"'),
    "pinned": model(GRID, EQUALITY + PIN),
    "pinned, damped, compressed": model(GRID, DAMPED + PIN, SPARSE + ' integrator="implicit"'),
    "pinned to a free body": model(GRID, DAMPED + PIN, SPARSE + ' integrator="implicit"', held=True),
    "on a free body": model(GRID, DAMPED, "", held=True),
    "shell on a free body": model(GRID, SHELL.format(0.03, "both"), 'integrator="implicitfast"', held=True),
    "solid": model(BLOCK, SOLID),
    "solid pinned to a free body": model(BLOCK, SOLID + '<pin id="0 1 2 3"/>', held=True),
    "radial": model('dim="3" count="2 2 2" dof="radial"', '<elasticity young="100" poisson=".2"/>'),
    "trilinear": model(BOX, SOLID, 'integrator="implicitfast"'),
    "trilinear, pinned": model(BOX, SOLID + PIN),
    "trilinear on a free body": model(BOX, SOLID, held=True),
    "trilinear, pinned to a free body": model(BOX, SOLID + PIN, held=True),
    "rigid": model(GRID + ' rigid="true"', held=True),
}
