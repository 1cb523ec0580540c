"""Writes inverse dynamics of Pinocchio for the robots of example-robot-data, for tests/all/inverse_peer.rs.

    pip install pin example-robot-data
    python inverse_with_pinocchio.py ROBOTS > pinocchio_inverse.txt
    GELENK_ROBOTS=ROBOTS cargo test -p gelenk-import --test all pinocchio

ROBOTS is the folder `robots` of the package. The base is fixed. Pinocchio's recursion knows neither damping nor dry
friction; the two are added from the file. A joint that mimics another is moved by it, and its effort counts there.
"""

import os
import re
import sys
import xml.etree.ElementTree as ET

import numpy as np
import pinocchio as pin


def clean(name):
    name = re.sub(r"[^A-Za-z0-9_]", "_", name)
    return f"joint_{name}" if name[:1].isdigit() else name


def number(element, key, default=0.0):
    return default if element is None else float(element.get(key, default))


def main(robots):
    print(f"# Made by inverse_with_pinocchio.py with Pinocchio {pin.__version__}.")
    files = []
    for folder, _, names in os.walk(robots):
        files += [os.path.join(folder, name) for name in names if name.endswith(".urdf")]
    for path in sorted(files):
        try:
            model = pin.buildModelFromUrdf(path)
        except Exception as error:
            print(f"{path}: {error}", file=sys.stderr)
            continue
        joints = {j.get("name"): j for j in ET.parse(path).getroot().findall("joint")}
        names = [name for name in model.names[1:]]
        mimics = {}
        for name in names:
            mimic = joints[name].find("mimic")
            if mimic is not None:
                mimics[name] = (mimic.get("joint"), number(mimic, "multiplier", 1.0), number(mimic, "offset"))
        free = sorted((clean(name), name) for name in names if name not in mimics)
        known = all(master in names for master, _, _ in mimics.values())
        if not known or any(model.joints[model.getJointId(name)].nv != 1 for name in names) or not free:
            print(f"{path}: joints with several freedoms or none, or that mimic fixed ones", file=sys.stderr)
            continue
        data = model.createData()
        print(f"model {os.path.relpath(path, robots)}")
        for k in range(2):
            values = {}
            for i, (_, name) in enumerate(free):
                n = i + 1 + 10 * k
                values[name] = [0.6 * np.sin(n), (-1) ** n * (2 + np.cos(3 * n)), 10 * np.cos(2 * n)]
            factors = {}

            def follow(name):
                """Displacement, rate and acceleration of a joint, and what it follows by which factor."""
                if name in values and name not in mimics:
                    return values[name], name, 1.0
                master, factor, offset = mimics[name]
                (q, v, a), root, inner = follow(master)
                return [factor * q + offset, factor * v, factor * a], root, factor * inner

            q, v, a = pin.neutral(model), np.zeros(model.nv), np.zeros(model.nv)
            loss = np.zeros(model.nv)
            for name in names:
                joint = model.joints[model.getJointId(name)]
                (x, v[joint.idx_v], a[joint.idx_v]), root, factor = follow(name)
                factors[name] = (root, factor)
                if joint.nq == 1:
                    q[joint.idx_q] = x
                else:
                    q[joint.idx_q : joint.idx_q + 2] = [np.cos(x), np.sin(x)]
                dynamics = joints[name].find("dynamics")
                rate = v[joint.idx_v]
                loss[joint.idx_v] = number(dynamics, "damping") * rate + number(dynamics, "friction") * np.sign(rate)
            effort = pin.rnea(model, data, q, v, a) + loss
            total = dict.fromkeys((name for _, name in free), 0.0)
            for name in names:
                root, factor = factors[name]
                total[root] += factor * effort[model.joints[model.getJointId(name)].idx_v]
            print(f"inverse {k}", " ".join(f"{total[name]:.15g}" for _, name in free))


main(sys.argv[1])
