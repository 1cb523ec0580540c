"""OpenSim's elastic foundation on two bumpy spheres, as a peer of the bench (workload W3).

Started with the folder of the meshes; answers as contact_drake.py does. One spring on every triangle of both meshes.
"""
import pathlib
import sys
import time

import numpy as np
import opensim

opensim.Logger.setLevelString("Off")
FOLDER = pathlib.Path(sys.argv[1])
TABLE = np.loadtxt(FOLDER / "poses.txt")


def coordinates(row, factor):
    r = row[:9].reshape(3, 3)
    angles = (np.arctan2(-r[1, 2], r[2, 2]), np.arcsin(np.clip(r[0, 2], -1.0, 1.0)), np.arctan2(-r[0, 1], r[0, 0]))
    return opensim.Vector(np.array([*angles, *(factor * row[9:])]))


class Scene:
    def __init__(self, depth):
        self.model = opensim.Model()
        self.model.setGravity(opensim.Vec3(0))
        none = opensim.Vec3(0)
        body = opensim.Body("second", 1.0, none, opensim.Inertia(0.004))
        self.model.addBody(body)
        ground = self.model.getGround()
        self.model.addJoint(opensim.FreeJoint("free", ground, none, none, body, none, none))
        file = str(FOLDER / f"bumpy_{depth}.obj")
        self.model.addContactGeometry(opensim.ContactMesh(file, none, none, ground, "a"))
        self.model.addContactGeometry(opensim.ContactMesh(file, none, none, body, "b"))
        self.law = opensim.ElasticFoundationForce()
        self.law.setName("contact")
        self.law.addGeometry("a")
        self.law.addGeometry("b")
        self.law.setStiffness(1e7)
        self.law.setDissipation(0.0)
        self.law.setStaticFriction(0.0)
        self.law.setDynamicFriction(0.0)
        self.law.setViscousFriction(0.0)
        self.model.addForce(self.law)
        self.state = self.model.initSystem()

    def time(self, all_poses):
        start = time.process_time()
        for pose in all_poses:
            self.state.setQ(pose)
            self.model.realizeDynamics(self.state)
        return (time.process_time() - start) / len(all_poses)

    def force(self, pose):
        self.state.setQ(pose)
        self.model.realizeDynamics(self.state)
        values = self.law.getRecordValues(self.state)
        return np.linalg.norm([values.get(i) for i in range(3)])


NEAR, FAR = ([coordinates(row, factor) for row in TABLE] for factor in (1.0, 10.0))
scenes = {}
for line in sys.stdin:
    question, depth = line.split()
    if depth not in scenes:
        scenes.clear()
        scenes[depth] = Scene(depth)
    scene = scenes[depth]
    answer = {"near": lambda: scene.time(NEAR), "far": lambda: scene.time(FAR), "force": lambda: scene.force(NEAR[0])}
    print(answer[question](), flush=True)
