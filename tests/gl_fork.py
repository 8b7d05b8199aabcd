"""Program that renders, forks, and tries to render in the child; prints the child's errors and the parent's success."""

import os

import numpy as np

import conjoint

model = conjoint.MjModel.from_xml_string(
    '<mujoco><worldbody><light pos="0 0 3"/><geom size=".3"/></worldbody></mujoco>'
)
data = conjoint.MjData(model)
conjoint.mj_forward(model, data)
renderer = conjoint.Renderer(model, 8, 8)
renderer.update_scene(data)
before = renderer.render()
child = os.fork()
if child == 0:
    for draw in (renderer.render, lambda: conjoint.Renderer(model, 8, 8)):
        try:
            draw()
            print("drawn", flush=True)
        except conjoint.FatalError as error:
            print(error, flush=True)
    renderer.close()
    os._exit(0)
print("child ended with", os.waitpid(child, 0)[1])
print("same picture:", np.array_equal(renderer.render(), before))
