"""Drake's hydroelastic contact on two bumpy spheres, as a peer of the bench (workload W3).

Started with the folder of the meshes. Answers lines "near K", "far K" (CPU time of a pose in s, mean over 64 poses; the
far bodies do not touch, so that time is what asking costs) and "force K" (N at the first pose), one line each. The first
body is rigid, the second compliant with a modulus that is the layer stiffness over the radius.
"""
import pathlib
import sys
import tempfile
import time

import numpy as np
from pydrake.all import (
    AddCompliantHydroelasticProperties,
    AddContactMaterial,
    AddMultibodyPlantSceneGraph,
    AddRigidHydroelasticProperties,
    CoulombFriction,
    DiagramBuilder,
    HydroelasticContactRepresentation,
    Mesh,
    ProximityProperties,
    RigidTransform,
    RotationMatrix,
    SpatialInertia,
    UnitInertia,
)

FOLDER = pathlib.Path(sys.argv[1])
TABLE = np.loadtxt(FOLDER / "poses.txt")
WORK = tempfile.TemporaryDirectory()
POLYGONS = HydroelasticContactRepresentation.kPolygon


def poses(factor):
    return [RigidTransform(RotationMatrix(row[:9].reshape(3, 3)), factor * row[9:]) for row in TABLE]


def filled(surface, depth):
    """A body of tetrahedra: every triangle of a surface joined to the origin."""
    rows = [line.split() for line in surface.read_text().splitlines()]
    vertices = [row[1:4] for row in rows if row[:1] == ["v"]]
    triangles = [[int(word.split("/")[0]) - 1 for word in row[1:4]] for row in rows if row[:1] == ["f"]]
    lines = ["# vtk DataFile Version 3.0", "star", "ASCII", "DATASET UNSTRUCTURED_GRID"]
    lines += [f"POINTS {len(vertices) + 1} double", *map(" ".join, vertices), "0 0 0"]
    lines += [f"CELLS {len(triangles)} {5 * len(triangles)}"]
    lines += [f"4 {len(vertices)} {a} {b} {c}" for a, b, c in triangles]
    lines += [f"CELL_TYPES {len(triangles)}", *["10"] * len(triangles)]
    file = pathlib.Path(WORK.name) / f"filled_{depth}.vtk"
    file.write_text("\n".join(lines) + "\n")
    return file


class Scene:
    def __init__(self, depth):
        builder = DiagramBuilder()
        self.plant, _ = AddMultibodyPlantSceneGraph(builder, 1e-3)
        inertia = SpatialInertia(1.0, np.zeros(3), UnitInertia.SolidSphere(0.1))
        self.body = self.plant.AddRigidBody("second", inertia)
        for body, name, rigid in ((self.plant.world_body(), "a", True), (self.body, "b", False)):
            properties = ProximityProperties()
            AddContactMaterial(None, None, CoulombFriction(0.5, 0.5), properties)
            if rigid:
                AddRigidHydroelasticProperties(1.0, properties)
            else:
                AddCompliantHydroelasticProperties(1.0, 1e6, properties)
            file = FOLDER / f"bumpy_{depth}.obj"
            if not rigid:
                file = filled(file, depth)
            self.plant.RegisterCollisionGeometry(body, RigidTransform(), Mesh(str(file), 1.0), name, properties)
        self.plant.Finalize()
        self.diagram = builder.Build()
        self.root = self.diagram.CreateDefaultContext()
        self.context = self.plant.GetMyMutableContextFromRoot(self.root)
        self.port = self.plant.get_geometry_query_input_port()

    def surfaces(self, pose):
        self.plant.SetFreeBodyPose(self.context, self.body, pose)
        return self.port.Eval(self.context).ComputeContactSurfaces(POLYGONS)

    def time(self, all_poses):
        start = time.process_time()
        for pose in all_poses:
            self.surfaces(pose)
        return (time.process_time() - start) / len(all_poses)

    def force(self, pose):
        total = np.zeros(3)
        for surface in self.surfaces(pose):
            mesh, field = surface.poly_mesh_W(), surface.poly_e_MN()
            for i in range(mesh.num_faces()):
                pressure = field.EvaluateCartesian(i, mesh.element_centroid(i))
                total += pressure * mesh.area(i) * mesh.face_normal(i)
        return np.linalg.norm(total)


NEAR, FAR = poses(1.0), poses(10.0)
scenes = {}
for line in sys.stdin:
    question, depth = line.split()
    if depth not in scenes:
        scenes.clear()
        scenes[depth] = Scene(depth)
    scene = scenes[depth]
    answer = {"near": lambda: scene.time(NEAR), "far": lambda: scene.time(FAR), "force": lambda: scene.force(NEAR[0])}
    print(answer[question](), flush=True)
