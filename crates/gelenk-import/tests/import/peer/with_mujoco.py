"""Writes what MuJoCo says about models, for tests/import_peer.rs.

    pip install mujoco && python with_mujoco.py SHARED > mujoco.txt

SHARED is the folder that holds data/ and bench/; the first four models stand beside this file, and two of these were
made by gelenk-multibody/tests/models/with_pinocchio.py. Meshes are not there, so everything that needs them is taken out
before MuJoCo compiles a model; bodies have their own <inertial>, so this does not change the mechanics.
"""

import os
import sys
import xml.etree.ElementTree as ET

import mujoco
import numpy as np

MODELS = [
    "forms.xml",
    "forms.urdf",
    "arm.urdf",
    "walker.xml",
    "data/mujoco_menagerie_models/dynamixel_2r/dynamixel_2r.xml",
    "data/mujoco_menagerie_models/robotis_op3/op3.xml",
    "data/mujoco_menagerie_models/berkeley_humanoid/berkeley_humanoid.xml",
    "data/mujoco_menagerie_models/unitree_g1/g1.xml",
    "data/mujoco_menagerie_models/ms_human_700/MS-Human-700.xml",
    "bench/models/arm7.mjcf.xml",
    "bench/models/humanoid.mjcf.xml",
]


def expand(element, main, here):
    """Replaces includes; paths start from the main file, or else from the including one."""
    for child in list(element):
        if child.tag != "include":
            expand(child, main, here)
            continue
        path = os.path.join(main, child.get("file"))
        if not os.path.isfile(path):
            path = os.path.join(here, child.get("file"))
        part = ET.parse(path).getroot()
        expand(part, main, os.path.dirname(path))
        place = list(element).index(child)
        element.remove(child)
        for offset, inner in enumerate(list(part)):
            element.insert(place + offset, inner)


def strip(root):
    for tag in ["asset", "actuator", "sensor", "tendon", "contact", "keyframe", "visual"]:
        for section in root.findall(tag):
            root.remove(section)
    for parent in root.iter():
        for child in list(parent):
            if child.tag in ("light", "camera") or (child.tag == "geom" and child.get("mesh")):
                parent.remove(child)
            elif parent.tag == "default" and child.tag not in ("joint", "geom", "default"):
                parent.remove(child)
            child.attrib.pop("material", None)


def anchor(model, data, body):
    """The origin of the converted body: the anchor of its last turning joint, in the world."""
    offset = np.zeros(3)
    first = model.body_jntadr[body]
    for joint in range(first, first + model.body_jntnum[body]):
        if mujoco.mjtJoint(model.jnt_type[joint]) in (mujoco.mjtJoint.mjJNT_BALL, mujoco.mjtJoint.mjJNT_HINGE):
            offset = model.jnt_pos[joint]
    return data.xpos[body] + data.xmat[body].reshape(3, 3) @ offset


def accelerations(model, data):
    """Accelerations without contacts, limits, dry friction and drives, at a state that the test repeats."""
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT | mujoco.mjtDisableBit.mjDSBL_ACTUATION
    data.qpos[:] = model.qpos0
    scalars, free, number = [], None, 0
    for joint in range(model.njnt):
        q, v = model.jnt_qposadr[joint], model.jnt_dofadr[joint]
        if model.jnt_type[joint] == mujoco.mjtJoint.mjJNT_FREE:
            data.qpos[q : q + 3] += [0.1, -0.2, 0.3]
            data.qpos[q + 3 : q + 7] = [0.8, 0.2, -0.4, 0.4]
            data.qvel[v : v + 6] = [0.3, -0.1, 0.2, 0.4, 0.5, -0.6]
            free = v
        else:
            data.qpos[q] += 0.3 * np.sin(number + 1)
            data.qvel[v] = 0.5 * np.cos(number + 2)
            number += 1
            scalars.append(v)
    mujoco.mj_forward(model, data)
    result = list(data.qacc[scalars])
    if free is not None:
        matrix = np.zeros(9)
        mujoco.mju_quat2Mat(matrix, np.array([0.8, 0.2, -0.4, 0.4]))
        turn = matrix.reshape(3, 3).T
        spin = data.qvel[free + 3 : free + 6]
        result += list(data.qacc[free + 3 : free + 6])
        result += list(turn @ data.qacc[free : free + 3] - np.cross(spin, turn @ data.qvel[free : free + 3]))
    return result


def main(shared):
    print(f"# Made by with_mujoco.py with MuJoCo {mujoco.__version__}.")
    for name in MODELS:
        path = os.path.join(shared if "/" in name else os.path.dirname(os.path.abspath(__file__)), name)
        root = ET.parse(path).getroot()
        expand(root, os.path.dirname(path), os.path.dirname(path))
        strip(root)
        model = mujoco.MjModel.from_xml_string(ET.tostring(root, encoding="unicode"))
        data = mujoco.MjData(model)
        # Equalities that couple joints hold in the converted model from the start.
        couplings = 0
        for i in range(model.neq):
            if model.eq_type[i] == mujoco.mjtEq.mjEQ_JOINT:
                joint = model.eq_obj1id[i]
                data.qpos[model.jnt_qposadr[joint]] += model.eq_data[i][0]
                couplings += 1
        mujoco.mj_forward(model, data)
        print(f"model {name}")
        print(f"mass {model.body_mass.sum()!r}".replace("np.float64(", "").replace(")", ""))
        print(f"velocities {model.nv}")
        print(f"couplings {couplings}")
        for body in range(1, model.nbody):
            x, y, z = (float(f"{p:.12g}") for p in anchor(model, data, body))
            print(f"body {model.body(body).name} {x!r} {y!r} {z!r}")
        if couplings == 0:
            print("accelerations", " ".join(f"{a:.14g}" for a in accelerations(model, data)))


if __name__ == "__main__":
    main(sys.argv[1])
