"""Installs robots from PyPI and writes where Pinocchio puts their visuals and collision shapes, for tests/all/geometry_peer.rs.

    python3 robots_with_pinocchio.py FOLDER
    GELENK_ROBOT_BOXES=FOLDER cargo test -p gelenk-import --test all geometry -- --nocapture

FOLDER gets a virtual environment with the packages `pin` and `example-robot-data`; nothing of them belongs into the
repository. robots.txt has, for each robot, its file, positions of its joints by chance, and the boxes around all visuals
and collision shapes in the world. Meshes are read by the library that Pinocchio uses (Assimp by way of Coal), shapes by their sizes.
"""

import os
import subprocess
import sys

ROBOTS = [
    "panda_description/urdf/panda.urdf",
    "anymal_c_simple_description/urdf/anymal.urdf",
    "allegro_hand_description/urdf/allegro_left_hand.urdf",
    "g1_description/urdf/g1_29dof_rev_1_0.urdf",
    "ur_description/urdf/ur5_robot.urdf",
    "solo_description/robots/solo12.urdf",
    "go1_description/urdf/go1.urdf",
    "tiago_description/robots/tiago_no_hand.urdf",
    "kinova_description/robots/kinova.urdf",
    "z1_description/urdf/z1.urdf",
]


def box(np, shape, place):
    """Lowest and highest coordinates of a shape in the world."""
    kind = type(shape).__name__
    if "BVH" in kind or "Convex" in kind:
        points = (
            np.array([shape.vertices(k) for k in range(shape.num_vertices)])
            if callable(shape.vertices)
            else np.array(shape.vertices)
        )
        world = points @ place.rotation.T + place.translation
        return [*world.min(axis=0), *world.max(axis=0)]
    axis = np.abs(place.rotation[:, 2])
    if kind == "Box":
        half = np.abs(place.rotation) @ shape.halfSide
    elif kind == "Sphere":
        half = np.full(3, shape.radius)
    elif kind == "Capsule":
        half = axis * shape.halfLength + shape.radius
    elif kind == "Cylinder":
        half = axis * shape.halfLength + shape.radius * np.sqrt(np.maximum(0, 1 - axis**2))
    else:
        raise SystemExit(f"{kind} is not known here")
    return [*(place.translation - half), *(place.translation + half)]


def write(folder):
    import numpy as np
    import pinocchio as pin

    share = os.path.join(sys.prefix, "lib")
    for base, names, _ in os.walk(share):
        if "example-robot-data" in names and os.path.basename(base) == "share":
            break
    data = os.path.join(base, "example-robot-data")
    random = np.random.default_rng(1)
    with open(os.path.join(folder, "robots.txt"), "w") as out:
        for robot in ROBOTS:
            path = os.path.join(data, "robots", robot)
            if not os.path.isfile(path):
                print(f"{robot} is not there")
                continue
            model = pin.buildModelFromUrdf(path)
            q = pin.neutral(model)
            print("robot", os.path.relpath(path, folder), file=out)
            mimics = open(path).read().count("<mimic")
            for joint in range(1, model.njoints):
                if model.nqs[joint] == 1 and mimics == 0:
                    value = random.uniform(-0.6, 0.6)
                    q[model.idx_qs[joint]] = value
                    clean = "".join(c if c.isalnum() and c.isascii() or c == "_" else "_" for c in model.names[joint])
                    print("joint", clean, repr(float(value)), file=out)
            state = model.createData()
            pin.forwardKinematics(model, state, q)
            for word, kind in [("visual", pin.GeometryType.VISUAL), ("collision", pin.GeometryType.COLLISION)]:
                geometry = pin.buildGeomFromUrdf(model, path, kind, [base])
                places = geometry.createData()
                pin.updateGeometryPlacements(model, state, geometry, places)
                for item, place in zip(geometry.geometryObjects, places.oMg):
                    numbers = [repr(float(x)) for x in box(np, item.geometry, place)]
                    print(word, item.name.replace(" ", "_"), *numbers, file=out)



if __name__ == "__main__":
    folder = os.path.abspath(sys.argv[1])
    if len(sys.argv) > 2:
        write(folder)
    else:
        environment = os.path.join(folder, "venv")
        python = os.path.join(environment, "bin", "python")
        if not os.path.isfile(python):
            subprocess.run([sys.executable, "-m", "venv", environment], check=True)
            subprocess.run([python, "-m", "pip", "install", "-q", "pin", "example-robot-data"], check=True)
        subprocess.run([python, os.path.abspath(__file__), folder, "inside"], check=True)
