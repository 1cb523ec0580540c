"""Makes two small robots by a seed, and writes what Pinocchio says about them, for tests/reference.rs.

    pip install pin && python with_pinocchio.py

    arm     seven turning joints and a slide, one after the other, on the ground
    walker  a free base with two legs of four joints and an arm of two, one of its joints a slide

The files stand beside this one. NAME.mbm has one line a joint, in SI:

    joint NUMBER PARENT free|rev|pri AXIS(3) R(9, by rows) P(3) MASS CENTRE(3) Ixx Ixy Ixz Iyy Iyz Izz

where R and P are the pose of the joint frame in that of the parent's joint, and the inertia is about the centre of mass in
the axes of the joint frame. NAME.states.txt has q v a tau in a line, and NAME.ref.txt the answers to it: rnea(q, v, a),
aba(q, v, tau) and the lower triangle of the mass matrix. A free joint has the position and the quaternion x y z w, and
velocities in body axes with the linear ones first. Gravity is (0, 0, -9.81).

The same robots are written for the importers as ../../../gelenk-import/tests/import/peer/arm.urdf and walker.xml; what
MuJoCo says about them is made by with_mujoco.py there.
"""

import pathlib

import numpy as np
import pinocchio as pin

HERE = pathlib.Path(__file__).parent
PEER = HERE.parents[1].parent / "gelenk-model" / "tests" / "import" / "peer"
STATES = 16


def rotation(rng):
    """A rotation by Cardan angles of three digits, so that all files say the same pose."""
    x, y, z = np.round(rng.uniform(-1.5, 1.5, 3), 3)
    return (x, y, z), pin.rpy.rpyToMatrix(x, y, z)


def inertia(rng, mass):
    """Moments of a box with a mass, turned, to eight digits."""
    a, b, c = rng.uniform(0.05, 0.3, 3) ** 2
    own = mass / 12 * np.diag([b + c, a + c, a + b])
    _, turn = rotation(rng)
    return np.round(turn @ own @ turn.T, 8)


def robot(seed, parents, slides, free):
    """Joints as (parent, kind, axis, angles, rotation, position, mass, centre, inertia)."""
    rng = np.random.default_rng(seed)
    joints = []
    for number, parent in enumerate(parents):
        kind = "free" if free and number == 0 else "pri" if number in slides else "rev"
        angles, turn = rotation(rng)
        position = np.round(rng.uniform(-0.3, 0.3, 3), 3)
        if kind == "free":
            angles, turn, position = (0, 0, 0), np.eye(3), np.zeros(3)
        axis = np.zeros(3) if kind == "free" else np.eye(3)[rng.integers(3)]
        mass = round(rng.uniform(0.5, 4.0), 3)
        centre = np.round(rng.uniform(-0.1, 0.1, 3), 3)
        joints.append((parent, kind, axis, angles, turn, position, mass, centre, inertia(rng, mass)))
    return joints


def pinocchio_model(joints):
    model = pin.Model()
    kinds = {"rev": [pin.JointModelRX, pin.JointModelRY, pin.JointModelRZ],
             "pri": [pin.JointModelPX, pin.JointModelPY, pin.JointModelPZ]}
    for number, (parent, kind, axis, _, turn, position, mass, centre, moments) in enumerate(joints):
        joint = pin.JointModelFreeFlyer() if kind == "free" else kinds[kind][int(np.argmax(axis))]()
        index = model.addJoint(parent + 1, joint, pin.SE3(turn, position), f"j{number}")
        model.appendBodyToJoint(index, pin.Inertia(mass, centre, moments), pin.SE3.Identity())
    return model


def write(name, joints):
    model = pinocchio_model(joints)
    data = model.createData()
    six = [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)]
    with open(HERE / f"{name}.mbm", "w") as file:
        file.write(f"njoints {len(joints)}\n")
        for number, (parent, kind, axis, _, turn, position, mass, centre, moments) in enumerate(joints):
            numbers = [*axis, *turn.reshape(-1), *position, mass, *centre, *(moments[i, k] for i, k in six)]
            file.write(f"joint {number} {parent} {kind} " + " ".join(f"{x:.17g}" for x in numbers) + "\n")
    rng = np.random.default_rng(1)
    states, answers = [], []
    for _ in range(STATES):
        q = rng.uniform(-1, 1, model.nq)
        if model.nq != model.nv:
            q[3:7] /= np.linalg.norm(q[3:7])
        v, a, tau = rng.uniform(-2, 2, (3, model.nv))
        states.append(np.concatenate([q, v, a, tau]))
        torques = pin.rnea(model, data, q, v, a).copy()
        rates = pin.aba(model, data, q, v, tau).copy()
        mass = np.triu(pin.crba(model, data, q))
        mass = mass + np.triu(mass, 1).T
        answers.append(np.concatenate([torques, rates, mass[np.tril_indices(model.nv)]]))
    np.savetxt(HERE / f"{name}.states.txt", states, fmt="%.17g")
    np.savetxt(HERE / f"{name}.ref.txt", answers, fmt="%.13g")


def text(numbers):
    return " ".join(f"{x:.10g}" for x in numbers)


def urdf(name, joints):
    lines = ['<?xml version="1.0"?>', f'<robot name="{name}">', '  <link name="base"/>']
    for number, (parent, kind, axis, angles, _, position, mass, centre, m) in enumerate(joints):
        above = "base" if parent < 0 else f"b{parent}"
        moments = f'ixx="{m[0, 0]:.10g}" ixy="{m[0, 1]:.10g}" ixz="{m[0, 2]:.10g}" ' \
                  f'iyy="{m[1, 1]:.10g}" iyz="{m[1, 2]:.10g}" izz="{m[2, 2]:.10g}"'
        word = "continuous" if kind == "rev" else "prismatic"
        limit = "" if kind == "rev" else '\n    <limit lower="-1" upper="1" effort="0" velocity="0"/>'
        lines += [f'  <link name="b{number}">', "    <inertial>",
                  f'      <origin xyz="{text(centre)}"/>', f'      <mass value="{mass:.10g}"/>',
                  f"      <inertia {moments}/>", "    </inertial>", "  </link>",
                  f'  <joint name="j{number}" type="{word}">', f'    <parent link="{above}"/>',
                  f'    <child link="b{number}"/>', f'    <origin xyz="{text(position)}" rpy="{text(angles)}"/>',
                  f'    <axis xyz="{text(axis)}"/>{limit}', "  </joint>"]
    (PEER / f"{name}.urdf").write_text("\n".join(lines + ["</robot>"]) + "\n")


def mjcf(name, joints):
    lines = [f'<mujoco model="{name}">', '  <compiler angle="radian" eulerseq="XYZ"/>', "  <worldbody>"]

    def body(number, depth):
        _, kind, axis, angles, _, position, mass, centre, m = joints[number]
        space = "  " * depth
        # Angles about fixed axes.
        lines.append(f'{space}<body name="b{number}" pos="{text(position)}" euler="{text(angles)}">')
        if kind == "free":
            lines.append(f'{space}  <freejoint name="j{number}"/>')
        else:
            word = "hinge" if kind == "rev" else "slide"
            lines.append(f'{space}  <joint name="j{number}" type="{word}" axis="{text(axis)}"/>')
        six = [m[0, 0], m[1, 1], m[2, 2], m[0, 1], m[0, 2], m[1, 2]]
        lines.append(f'{space}  <inertial pos="{text(centre)}" mass="{mass:.10g}" fullinertia="{text(six)}"/>')
        for child in range(len(joints)):
            if joints[child][0] == number:
                body(child, depth + 1)
        lines.append(f"{space}</body>")

    for number in range(len(joints)):
        if joints[number][0] < 0:
            body(number, 2)
    (PEER / f"{name}.xml").write_text("\n".join(lines + ["  </worldbody>", "</mujoco>"]) + "\n")


arm = robot(3, range(-1, 7), {4}, False)
walker = robot(5, [-1, 0, 1, 2, 3, 0, 5, 6, 7, 0, 9], {10}, True)
write("arm", arm)
write("walker", walker)
urdf("arm", arm)
mjcf("walker", walker)
