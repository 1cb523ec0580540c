"""The double pendulum in natural coordinates (24 coordinates, 22 constraints), index-1 equations by DOP853 of SciPy.

Independent of Gelenk. Prints the angles of both hinges at 0.5 s and 1 s, and how far the constraints have drifted.
"""
import numpy as np
from scipy.integrate import solve_ivp

FIRST, SECOND, REACH = np.array([0, 1.0, 0]), np.array([0.6, 0, 0.8]), np.array([0.1, 0.2, -0.5])
GRAVITY = np.array([0.3, -1.0, -9.81])
BODIES = [
    (np.column_stack([REACH, FIRST, [1.0, 0, 0]]), 1.2, np.array([0.1, 0.05, -0.3]), np.diag([0.03, 0.04, 0.02])),
    (np.column_stack([[0, 0.3, -0.4], SECOND, [0, 1.0, 0]]), 0.7, np.array([0, 0.1, -0.2]), np.diag([0.02, 0.015, 0.02])),
]


def turn(axis, angle):
    k = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    return np.eye(3) + np.sin(angle) * k + (1 - np.cos(angle)) * k @ k


def natural(q1, q2):
    r1 = turn(FIRST, q1)
    r2 = r1 @ turn(SECOND, q2)
    out = []
    for rotation, origin, body in [(r1, np.zeros(3), BODIES[0]), (r2, r1 @ REACH, BODIES[1])]:
        d, u, w = (rotation @ body[0]).T
        out += [origin, origin + d, u, w]
    return np.concatenate(out)


def constraints(x, start):
    p, q, u, w, p2, q2, u2, w2 = x.reshape(8, 3)
    d, e = q - p, q2 - p2
    rows = [d @ d, u @ u, w @ w, d @ u, d @ w, u @ w, e @ e, u2 @ u2, w2 @ w2, e @ u2, e @ w2, u2 @ w2]
    rows += [d @ u2, u @ u2, *p, *(p2 - q), u[0], u[2]]
    rows = np.array(rows)
    return rows if start is None else rows - start


def jacobian(x):
    # Quadratic rows: central differences are exact but for rounding.
    h = 0.5
    return np.column_stack([(constraints(x + h * e, None) - constraints(x - h * e, None)) / (2 * h) for e in np.eye(24)])


mass, load = np.zeros((24, 24)), np.zeros(24)
for b, (basis, m, centre, inertia) in enumerate(BODIES):
    inverse = np.linalg.inv(basis)
    s = inverse @ centre * m
    second = np.eye(3) * inertia.trace() / 2 - inertia + m * np.outer(centre, centre)
    ss = inverse @ second @ inverse.T
    block = np.block([[np.array([[m - 2 * s[0] + ss[0, 0]]]), (s - ss[0])[None]], [(s - ss[0])[:, None], ss]])
    mass[12 * b : 12 * b + 12, 12 * b : 12 * b + 12] = np.kron(block, np.eye(3))
    load[12 * b : 12 * b + 12] = np.concatenate([w * GRAVITY for w in [m - s[0], s[0], s[1], s[2]]])

x0 = natural(0.5, -0.8)
h = 1e-4
v0 = (8 * (natural(0.5 + 1.3 * h, -0.8 - 2.1 * h) - natural(0.5 - 1.3 * h, -0.8 + 2.1 * h))
      - (natural(0.5 + 2.6 * h, -0.8 - 4.2 * h) - natural(0.5 - 2.6 * h, -0.8 + 4.2 * h))) / (12 * h)
target = constraints(x0, None)
homogeneous = jacobian(np.zeros(24))


def rates(_, y):
    x, v = y[:24], y[24:]
    c = jacobian(x)
    gamma = -(jacobian(v) - homogeneous) @ v
    a = np.linalg.solve(np.block([[mass, c.T], [c, np.zeros((22, 22))]]), np.concatenate([load, gamma]))[:24]
    return np.concatenate([v, a])


def angles(x):
    p, q, u, w, _, _, u2, w2 = x.reshape(8, 3)
    r1 = np.column_stack([q - p, u, w]) @ np.linalg.inv(BODIES[0][0])
    r2 = np.column_stack([x.reshape(8, 3)[5] - x.reshape(8, 3)[4], u2, w2]) @ np.linalg.inv(BODIES[1][0])
    rel = r1.T @ r2
    vee = lambda r: 0.5 * np.array([r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1]])
    return [np.arctan2(vee(r) @ a, (r.trace() - 1) / 2) for r, a in [(r1, FIRST), (rel, SECOND)]]


for rtol in [1e-11, 1e-12]:
    run = solve_ivp(rates, [0, 1], np.concatenate([x0, v0]), method="DOP853", rtol=rtol, atol=1e-13, t_eval=[0.5, 1])
    for t, y in zip(run.t, run.y.T):
        print(rtol, t, *(repr(float(a)) for a in angles(y[:24])), abs(constraints(y[:24], target)).max())
