"""Writes what MuJoCo says about meshes.xml, for tests/all/geometry_peer.rs.

    pip install mujoco && python with_mujoco.py > meshes.txt

For every body: mass, centre of mass in its frame, inertia about it in its axes (xx, yy, zz, xy, xz, yz). Then the
accelerations at joint positions 0.3 sin(i + 1) and velocities 0.5 cos(i + 2), i from 0. Then, for every geom at these
positions, the box around it in the world: mesh geoms by their vertices.
"""

import os

import mujoco
import numpy as np

model = mujoco.MjModel.from_xml_path(os.path.join(os.path.dirname(os.path.abspath(__file__)), "meshes.xml"))
data = mujoco.MjData(model)
print(f"# MuJoCo {mujoco.__version__}")


def numbers(values):
    return " ".join(repr(float(x)) for x in values)


for i in range(1, model.nbody):
    turn = np.zeros(9)
    mujoco.mju_quat2Mat(turn, model.body_iquat[i])
    turn = turn.reshape(3, 3)
    tensor = turn @ np.diag(model.body_inertia[i]) @ turn.T
    six = [tensor[0, 0], tensor[1, 1], tensor[2, 2], tensor[0, 1], tensor[0, 2], tensor[1, 2]]
    print("body", model.body(i).name, numbers([model.body_mass[i], *model.body_ipos[i], *six]))
index = np.arange(model.nv)
data.qpos[:] = 0.3 * np.sin(index + 1.0)
data.qvel[:] = 0.5 * np.cos(index + 2.0)
model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT
mujoco.mj_forward(model, data)
print("accelerations", numbers(data.qacc))
for i in range(model.ngeom):
    if model.geom_type[i] != mujoco.mjtGeom.mjGEOM_MESH:
        continue
    mesh = model.geom_dataid[i]
    first = model.mesh_vertadr[mesh]
    vertices = model.mesh_vert[first : first + model.mesh_vertnum[mesh]].astype(float)
    world = vertices @ data.geom_xmat[i].reshape(3, 3).T + data.geom_xpos[i]
    body = model.body(model.geom_bodyid[i]).name
    print("box", body, numbers([*world.min(axis=0), *world.max(axis=0)]))
