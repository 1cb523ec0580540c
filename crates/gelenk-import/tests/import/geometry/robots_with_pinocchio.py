"""Installs robots from PyPI and writes where Pinocchio puts their visuals and collision shapes, for tests/all/geometry_peer.rs.

    python3 robots_with_pinocchio.py FOLDER
    GELENK_ROBOT_BOXES=FOLDER cargo test -p gelenk-import --test all geometry -- --nocapture

FOLDER gets a virtual environment with the packages `pin` and `example-robot-data`; nothing of them belongs into the
repository. robots.txt has, for each URDF of the package, its file, positions of its joints by chance, and the boxes around all
visuals and collision shapes in the world. Meshes are read by the library that Pinocchio uses (Assimp by way of Coal), shapes by
their sizes. Joints that move no mass stay where they are, and joints with a mimic follow.
"""

import math
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET


def clean(name):
    name = re.sub(r"[^A-Za-z0-9_]", "_", name)
    return f"joint_{name}" if name[:1].isdigit() else name


def box(np, shape, place):
    """Lowest and highest coordinates of a shape in the world."""
    kind = type(shape).__name__
    if "BVH" in kind or "Convex" in kind:
        points = np.asarray(shape.points() if hasattr(shape, "points") else shape.vertices())
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


def number(element, key, default=0.0):
    return float(element.get(key, default))


def pose(pin, random, model, path):
    """Positions by chance, and those of the joints that follow no other."""
    joints = {j.get("name"): j for j in ET.parse(path).getroot().findall("joint")}
    names = list(model.names[1:])
    q = pin.neutral(model)
    data = model.createData()
    pin.computeSubtreeMasses(model, data)
    values, moved = {}, {}

    def value(name):
        """Of a joint, or of what it follows."""
        mimic = joints[name].find("mimic")
        if mimic is None:
            if name not in values:
                heavy = data.mass[model.getJointId(name)] > 0
                values[name] = float(random.uniform(-0.6, 0.6)) if heavy else 0.0
                if heavy:
                    moved[name] = values[name]
            return values[name]
        other = mimic.get("joint")
        # A joint that follows one that is fixed, or is not there, stays.
        x = value(other) if other in names else 0.0
        return number(mimic, "multiplier", 1.0) * x + number(mimic, "offset") if other in names else x

    for name in names:
        joint = model.joints[model.getJointId(name)]
        if joint.nv != 1:
            continue
        x = value(name)
        q[joint.idx_q : joint.idx_q + joint.nq] = x if joint.nq == 1 else [math.cos(x), math.sin(x)]
    return q, moved


def write(folder):
    import numpy as np
    import pinocchio as pin

    share = os.path.join(sys.prefix, "lib")
    for base, names, _ in os.walk(share):
        if "example-robot-data" in names and os.path.basename(base) == "share":
            break
    robots = os.path.join(base, "example-robot-data", "robots")
    files = []
    for place, _, names in os.walk(robots):
        files += [os.path.join(place, name) for name in names if name.endswith(".urdf")]
    random = np.random.default_rng(1)
    with open(os.path.join(folder, "robots.txt.new"), "w") as out:
        for path in sorted(files):
            # An element of Pinocchio's own that makes capsules of cylinders.
            if "<collision_checking>" in open(path).read():
                continue
            try:
                model = pin.buildModelFromUrdf(path)
                kinds = [("visual", pin.GeometryType.VISUAL), ("collision", pin.GeometryType.COLLISION)]
                shapes = [(word, pin.buildGeomFromUrdf(model, path, kind, package_dirs=[base])) for word, kind in kinds]
            except Exception as error:
                print(f"{path}: {error}", file=sys.stderr)
                continue
            q, moved = pose(pin, random, model, path)
            print("robot", os.path.relpath(path, folder), file=out)
            for name, value in moved.items():
                print("joint", clean(name), repr(value), file=out)
            state = model.createData()
            pin.forwardKinematics(model, state, q)
            for word, geometry in shapes:
                places = geometry.createData()
                pin.updateGeometryPlacements(model, state, geometry, places)
                for item, place in zip(geometry.geometryObjects, places.oMg):
                    numbers = [repr(float(x)) for x in box(np, item.geometry, place)]
                    print(word, item.name.replace(" ", "_"), *numbers, file=out)
    os.replace(os.path.join(folder, "robots.txt.new"), os.path.join(folder, "robots.txt"))


if __name__ == "__main__":
    folder = os.path.abspath(sys.argv[1])
    if len(sys.argv) > 2:
        write(folder)
    else:
        environment = os.path.join(folder, "venv")
        python = os.path.join(environment, "bin", "python")
        if not os.path.isfile(python):
            subprocess.run([sys.executable, "-m", "venv", environment], check=True)
            subprocess.run([python, "-m", "pip", "install", "-q", "pin==4.1.0", "example-robot-data==6.0.0"], check=True)
        subprocess.run([python, os.path.abspath(__file__), folder, "inside"], check=True)
