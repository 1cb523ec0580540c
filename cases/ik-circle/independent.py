"""Numbers of this case without Gelenk: pip install numpy scipy, then python independent.py.

near-start ends where the distance from the start posture is stationary on the postures that meet the target: the nearest
posture, found here by a minimiser with constraints. least-step follows the pseudo-inverse along the circle, in the limit of
small steps dq/dt = J^+ dx/dt, integrated here from the posture that the steps of Gauss and Newton reach first.
"""

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import minimize

LENGTH, START = 0.2, np.full(6, 0.2)


def hand(q):
    angles = np.cumsum(q)
    return LENGTH * np.array([np.cos(angles).sum(), np.sin(angles).sum()])


def jacobian(q):
    angles = np.cumsum(q)
    return LENGTH * np.array([[-np.sin(angles[k:]).sum() for k in range(6)], [np.cos(angles[k:]).sum() for k in range(6)]])


def target(t):
    return np.array([0.5 + 0.2 * np.cos(np.pi * t), 0.5 + 0.2 * np.sin(np.pi * t)])


constraint = {"type": "eq", "fun": lambda q: hand(q) - target(0.0), "jac": jacobian}
nearest = minimize(lambda q: ((q - START) ** 2).sum(), START, jac=lambda q: 2 * (q - START), constraints=[constraint],
                   method="SLSQP", options={"ftol": 1e-16, "maxiter": 500})
q = nearest.x
print("near-start", q, "residual", np.abs(hand(q) - target(0.0)).max(), "distance", np.linalg.norm(q - START))

q = START.copy()
for _ in range(100):
    q = q - np.linalg.pinv(jacobian(q)) @ (hand(q) - target(0.0))
speed = lambda t: 0.2 * np.pi * np.array([-np.sin(np.pi * t), np.cos(np.pi * t)])
way = solve_ivp(lambda t, q: np.linalg.pinv(jacobian(q)) @ speed(t), (0, 2), q, rtol=1e-11, atol=1e-12)
print("least-step begins", q)
print("least-step ends  ", way.y[:, -1])
