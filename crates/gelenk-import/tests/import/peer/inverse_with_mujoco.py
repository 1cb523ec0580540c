"""Writes inverse dynamics and actuator forces of MuJoCo, for tests/all/inverse_peer.rs.

    pip install mujoco && python inverse_with_mujoco.py SHARED > mujoco_inverse.txt

SHARED is the folder that holds data/; the models without a slash stand beside this file. Meshes are not there, so
everything that needs them is taken out; bodies have their own <inertial>. Armature, damping, springs, dry friction and
gravity compensation are on, limits, contacts and equalities are off. MuJoCo's dry friction is a soft constraint that
reaches its level at high rates: the script checks that it does.
"""

import os
import sys
import xml.etree.ElementTree as ET

import mujoco
import numpy as np

from with_mujoco import expand

MODELS = [
    "actuated.xml",
    "data/mujoco_menagerie_models/dynamixel_2r/dynamixel_2r.xml",
    "data/mujoco_menagerie_models/robotis_op3/op3.xml",
    "data/mujoco_menagerie_models/berkeley_humanoid/berkeley_humanoid.xml",
    "data/mujoco_menagerie_models/unitree_g1/g1.xml",
    "data/mujoco_menagerie_models/unitree_g1/g1_with_hands.xml",
]
FREE = mujoco.mjtJoint.mjJNT_FREE


def strip(root):
    for tag in ["asset", "sensor", "contact", "keyframe", "visual"]:
        for section in root.findall(tag):
            root.remove(section)
    for parent in root.iter():
        for child in list(parent):
            if child.tag in ("light", "camera") or (child.tag == "geom" and child.get("mesh")):
                parent.remove(child)
            elif parent.tag == "default" and child.tag in ("mesh", "material", "camera", "light"):
                parent.remove(child)
            child.attrib.pop("material", None)


def state(model, data, k):
    """The state that the test repeats: positions, rates and accelerations by the number of a joint."""
    data.qpos[:] = model.qpos0
    data.qvel[:] = 0
    data.qacc[:] = 0
    number, scalars, free = 0, [], None
    for joint in range(model.njnt):
        q, v = model.jnt_qposadr[joint], model.jnt_dofadr[joint]
        if model.jnt_type[joint] == FREE:
            data.qpos[q : q + 3] += [0.1, -0.2, 0.3]
            data.qpos[q + 3 : q + 7] = [0.8, 0.2, -0.4, 0.4]
            data.qvel[v : v + 6] = [0.3, -0.1, 0.2, 0.4, 0.5, -0.6]
            data.qacc[v : v + 6] = [1.0, -2.0, 0.5, 3.0, -1.5, 2.5]
            free = v
        else:
            n = number + 1 + 10 * k
            data.qpos[q] += 0.6 * np.sin(n)
            data.qvel[v] = (-1) ** n * (2 + np.cos(3 * n))
            data.qacc[v] = 10 * np.cos(2 * n)
            scalars.append(v)
            number += 1
    return scalars, free


def main(shared):
    print(f"# Made by inverse_with_mujoco.py with MuJoCo {mujoco.__version__}.")
    for name in MODELS:
        path = os.path.join(shared if "/" in name else os.path.dirname(os.path.abspath(__file__)), name)
        root = ET.parse(path).getroot()
        expand(root, os.path.dirname(path), os.path.dirname(path))
        strip(root)
        model = mujoco.MjModel.from_xml_string(ET.tostring(root, encoding="unicode"))
        data = mujoco.MjData(model)
        bits = mujoco.mjtDisableBit
        model.opt.disableflags |= bits.mjDSBL_LIMIT | bits.mjDSBL_CONTACT | bits.mjDSBL_EQUALITY
        # A soft constraint reaches the level of friction if it is hard enough.
        model.dof_solref[:] = [1e-3, 1]
        model.dof_solimp[:, :2] = 0.9999
        model.opt.disableflags |= bits.mjDSBL_REFSAFE
        print(f"model {name}")
        for k in range(3):
            scalars, free = state(model, data, k)
            mujoco.mj_inverse(model, data)
            friction = -np.sign(data.qvel) * model.dof_frictionloss
            for v in scalars:
                assert abs(data.qfrc_constraint[v] - friction[v]) < 1e-12, (name, v, data.qfrc_constraint[v], friction[v])
            power = data.qfrc_inverse @ data.qvel
            print(f"inverse {k}", " ".join(f"{x:.15g}" for x in [*data.qfrc_inverse[scalars], power]))
            # Commands that reach both ends of their ranges.
            for i in range(model.nu):
                data.ctrl[i] = 3 * np.sin(2 * i + 1 + k)
            mujoco.mj_forward(model, data)
            print(f"actuators {k}", " ".join(f"{x:.15g}" for x in data.qfrc_actuator[scalars]))


main(sys.argv[1])
