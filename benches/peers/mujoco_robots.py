"""MuJoCo as a peer of `gelenk-bench robots` (see ../src/peer.rs): a question is a step (s), a duration (s) and a height (m); the
answer says what became of the robot that was dropped from there, and the CPU time of a step.

The robot is the given URDF with a free base over a plane, without visuals, whose formats MuJoCo does not read. Collision
meshes are replaced by their convex hulls, as MuJoCo does. Everything else is as MuJoCo has it by default.
"""

import os
import re
import sys
import time
import xml.etree.ElementTree as tree

import mujoco
import numpy as np


def found(name, file):
    """The file of a mesh: in a folder above the robot that has the rest of the path."""
    rest = re.sub(r"^(package|file)://", "", name)
    folder = os.path.dirname(file)
    while folder != os.path.dirname(folder):
        for path in (rest, rest.split("/", 1)[-1]):
            if os.path.isfile(os.path.join(folder, path)):
                return os.path.join(folder, path)
        folder = os.path.dirname(folder)
    raise SystemExit(f"{name} is not found")


def bound(inertia):
    """MuJoCo refuses moments that are not positive, also of links that are fixed to others."""
    xx, yy, zz, xy, xz, yz = (float(inertia.get(name, 0)) for name in ("ixx", "iyy", "izz", "ixy", "ixz", "iyz"))
    values, axes = np.linalg.eigh([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    if values.min() <= 0:
        m = axes @ np.diag(np.maximum(values, 1e-9)) @ axes.T
        for name, value in zip(("ixx", "iyy", "izz", "ixy", "ixz", "iyz"), m[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]):
            inertia.set(name, repr(float(value)))


def model(file, step, height):
    root = tree.parse(file).getroot()
    children = {joint.find("child").get("link") for joint in root.iter("joint") if joint.find("child") is not None}
    base = next(link.get("name") for link in root.findall("link") if link.get("name") not in children)
    for link in root.findall("link"):
        for visual in link.findall("visual"):
            link.remove(visual)
    for inertia in root.iter("inertia"):
        bound(inertia)
    assets = {}
    for mesh in root.iter("mesh"):
        path = found(mesh.get("filename"), file)
        name = f"{len(assets)}_{os.path.basename(path)}"
        assets[name] = open(path, "rb").read()
        mesh.set("filename", name)
    tree.SubElement(root, "link", name="peer_ground")
    joint = tree.SubElement(root, "joint", name="peer_base", type="floating")
    tree.SubElement(joint, "parent", link="peer_ground")
    tree.SubElement(joint, "child", link=base)
    options = tree.SubElement(tree.SubElement(root, "mujoco"), "compiler")
    options.set("strippath", "false")
    options.set("balanceinertia", "true")
    spec = mujoco.MjSpec.from_string(tree.tostring(root, encoding="unicode"), assets=assets)
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[20, 20, 1])
    spec.option.timestep = step
    # Only the ground is touched, as in the other program.
    for geom in spec.geoms:
        geom.contype, geom.conaffinity = (1, 0) if geom.type != mujoco.mjtGeom.mjGEOM_PLANE else (0, 1)
    made = spec.compile()
    data = mujoco.MjData(made)
    mujoco.mj_forward(made, data)
    data.qpos[2] += height - lowest(made, data)
    mujoco.mj_forward(made, data)
    return made, data


def lowest(made, data):
    heights = []
    for g in range(made.ngeom):
        place, turn = data.geom_xpos[g], data.geom_xmat[g].reshape(3, 3)
        kind, size = made.geom_type[g], made.geom_size[g]
        if kind == mujoco.mjtGeom.mjGEOM_PLANE:
            continue
        if kind == mujoco.mjtGeom.mjGEOM_MESH:
            mesh = made.geom_dataid[g]
            first, count = made.mesh_vertadr[mesh], made.mesh_vertnum[mesh]
            heights.append((place + made.mesh_vert[first : first + count] @ turn.T)[:, 2].min())
        elif kind == mujoco.mjtGeom.mjGEOM_SPHERE:
            heights.append(place[2] - size[0])
        elif kind == mujoco.mjtGeom.mjGEOM_BOX:
            heights.append(place[2] - np.abs(turn[2]) @ size)
        else:  # capsule or cylinder
            across = 1.0 if kind == mujoco.mjtGeom.mjGEOM_CAPSULE else np.sqrt(max(0, 1 - turn[2, 2] ** 2))
            heights.append(place[2] - abs(turn[2, 2]) * size[1] - across * size[0])
    return min(heights)


for line in sys.stdin:
    step, until, height = map(float, line.split())
    made, data = model(sys.argv[1], step, height)
    deepest, spent, parts = np.inf, 0.0, 100
    steps = int(round(until / step / parts))
    for _ in range(parts):
        start = time.process_time()
        mujoco.mj_step(made, data, nstep=steps)
        spent += time.process_time() - start
        deepest = min(deepest, lowest(made, data))
    print(
        f"{1e3 * spent / (steps * parts):.3f} ms a step, {spent / until:.2f} s a second; lowest {1e3 * deepest:.2f} mm, at the "
        f"end {1e3 * lowest(made, data):.2f} mm and {np.abs(data.qvel).max():.4f} m/s",
        flush=True,
    )
