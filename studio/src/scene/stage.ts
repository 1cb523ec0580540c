/** The 3-D view: camera, light, ground, and the figures on it. */

import {
  AmbientLight,
  Box2,
  Box3,
  Color,
  DirectionalLight,
  HemisphereLight,
  type LineSegments,
  Mesh,
  PCFShadowMap,
  PerspectiveCamera,
  PlaneGeometry,
  Quaternion,
  Raycaster,
  Scene,
  ShadowMaterial,
  Vector2,
  Vector3,
  WebGLRenderer,
} from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { Figure, type Layer } from "./figure.js";
import { fadingGrid } from "./grid.js";
import type { Motion } from "./motion.js";
import type { Patches } from "./patches.js";
import { corners, vector } from "./shapes.js";

/** Directions from which the scene can be looked at. */
export type View = "home" | "front" | "side" | "top";

/** Surfaces on the ground that are larger than what moves by this factor do not count for what is seen. */
const WIDE = 1.6;

/** Room around what travels, and around what stays. */
const [ROOM_TO_TRAVEL, ROOM] = [1.8, 1.12];

export class Stage {
  readonly figures: Figure[] = [];
  /** Frames drawn so far. */
  frames = 0;
  /** Body that the camera keeps up with. */
  followed: string | null = null;
  grid = true;
  private readonly renderer: WebGLRenderer;
  private readonly scene = new Scene();
  private readonly camera = new PerspectiveCamera(32, 1, 0.001, 1000);
  private readonly controls: OrbitControls;
  private readonly light = new DirectionalLight("#fff", 2.2);
  private readonly up: Vector3;
  private ground: LineSegments | null = null;
  private readonly floor: Mesh;
  /** Size of the mechanism, and box around its whole motion. */
  private size = 1;
  private readonly box = new Box3();
  private spacing = 1;
  private lines = "#888";
  private level = 0;
  private dirty = true;
  private readonly last = new Vector3();
  /** The view that was asked for, until the camera is moved by hand. */
  private view: View | null = "home";

  constructor(
    private readonly host: HTMLElement,
    motions: readonly Motion[],
    /** Colour of a run. */
    private readonly colourOf: (run: number) => string,
  ) {
    this.renderer = new WebGLRenderer({ antialias: true, preserveDrawingBuffer: true });
    this.renderer.setPixelRatio(Math.min(2, window.devicePixelRatio));
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = PCFShadowMap;
    this.renderer.domElement.setAttribute("aria-label", "3-D view of the motion");
    this.renderer.domElement.tabIndex = 0;
    host.append(this.renderer.domElement);
    this.up = vector(motions[0]!.scene.up);
    this.camera.up.copy(this.up);
    this.controls = new OrbitControls(this.camera, this.renderer.domElement);
    this.controls.enableDamping = false;
    this.controls.addEventListener("change", () => this.invalidate());
    this.controls.addEventListener("start", () => (this.view = null));
    this.scene.add(new AmbientLight("#fff", 0.55));
    const sky = new HemisphereLight("#ffffff", "#8d99a6", 1.15);
    sky.position.copy(this.up);
    this.scene.add(sky, this.light, this.light.target);
    this.floor = new Mesh(new PlaneGeometry(1, 1), new ShadowMaterial({ opacity: 0.16 }));
    this.floor.receiveShadow = true;
    this.scene.add(this.floor);
    this.measure(motions);
    motions.forEach((motion, k) => {
      const figure = new Figure(motion, this.size, k, motions.length > 1 ? colourOf(motion.run) : null);
      this.figures.push(figure);
      this.scene.add(figure.root);
    });
    this.enclose();
    this.light.castShadow = true;
    this.light.shadow.mapSize.set(1024, 1024);
    this.light.shadow.bias = -0.0008;
    this.light.shadow.normalBias = 0.004 * this.size;
    this.choose();
    this.resize();
    this.look("home");
    new ResizeObserver(() => this.resize()).observe(host);
  }

  /** Asks for a new picture. */
  invalidate(): void {
    this.dirty = true;
  }

  /** Moves everything to a time (s). */
  at(t: number): void {
    for (const figure of this.figures) figure.at(t);
    this.keepUp();
    this.invalidate();
  }

  /** Draws where something has changed. */
  draw(force = false): void {
    if (!this.dirty && !force) return;
    this.dirty = false;
    this.placeGround();
    this.renderer.render(this.scene, this.camera);
    this.frames += 1;
  }

  /** Triangles of the last picture. */
  triangles(): number {
    return this.renderer.info.render.triangles;
  }

  /** Contact elements of the figures that have them. */
  patches(): Patches[] {
    return this.figures.flatMap(({ patches }) => (patches ? [patches] : []));
  }

  show(layer: Layer, visible: boolean): void {
    for (const figure of this.figures) figure.show(layer, visible);
    this.invalidate();
  }

  showGrid(visible: boolean): void {
    this.grid = visible;
    this.invalidate();
  }

  /** Distance of the lines on the ground (m). */
  gridSpacing(): number {
    return this.spacing;
  }

  follow(body: string | null): void {
    this.followed = body;
    const centre = body ? this.figures[0]?.centre(body) : null;
    if (centre) this.last.copy(centre);
    this.keepUp();
    this.invalidate();
  }

  /** Body under a point of the page, if there is one. */
  pick(x: number, y: number): string | null {
    const area = this.renderer.domElement.getBoundingClientRect();
    const point = new Vector2(((x - area.left) / area.width) * 2 - 1, 1 - ((y - area.top) / area.height) * 2);
    const ray = new Raycaster();
    ray.setFromCamera(point, this.camera);
    const hits = ray.intersectObjects(this.figures.map((figure) => figure.root));
    const hit = hits.find(({ object }) => typeof object.userData["body"] === "string");
    return (hit?.object.userData["body"] as string | undefined) ?? null;
  }

  look(view: View): void {
    this.view = view;
    const [forward, side] = this.horizontal();
    const direction = new Vector3();
    if (view === "front") direction.copy(side);
    else if (view === "side") direction.copy(forward);
    else if (view === "top") direction.copy(this.up).addScaledVector(side, 0.001);
    else direction.copy(this.favourite());
    const travels = this.travels();
    const box = travels ? this.figures[0]!.bounds() : this.box;
    const centre = box.getCenter(new Vector3());
    const distance = this.distance(box, direction.normalize()) * (travels ? ROOM_TO_TRAVEL : ROOM);
    this.controls.target.copy(centre);
    this.camera.position.copy(centre).addScaledVector(direction, distance);
    this.camera.near = distance / 200;
    this.camera.far = distance * 60;
    this.camera.updateProjectionMatrix();
    this.controls.update();
    this.invalidate();
  }

  /** Share of the width and of the height of the view that the figures take now. */
  covered(): [width: number, height: number] {
    const box = new Box3();
    for (const figure of this.figures) box.union(figure.bounds());
    const seen = new Box2();
    this.camera.updateMatrixWorld();
    for (let k = 0; k < 8; k++) {
      const corner = new Vector3(k & 1 ? box.max.x : box.min.x, k & 2 ? box.max.y : box.min.y, k & 4 ? box.max.z : box.min.z);
      corner.project(this.camera);
      seen.expandByPoint(new Vector2(corner.x, corner.y));
    }
    return [(seen.max.x - seen.min.x) / 2, (seen.max.y - seen.min.y) / 2];
  }

  /** How far away the camera must be, in this direction, to see every corner of a box. */
  private distance(box: Box3, direction: Vector3): number {
    const right = this.up.clone().cross(direction).normalize();
    const above = direction.clone().cross(right);
    const high = Math.tan((this.camera.fov * Math.PI) / 360);
    const wide = high * this.camera.aspect;
    const half = box.getSize(new Vector3()).multiplyScalar(0.5);
    let distance = 0.6 * this.size;
    for (let k = 0; k < 8; k++) {
      const corner = half.clone().multiply(new Vector3(k & 1 ? 1 : -1, k & 2 ? 1 : -1, k & 4 ? 1 : -1));
      const across = Math.max(Math.abs(corner.dot(right)) / wide, Math.abs(corner.dot(above)) / high);
      distance = Math.max(distance, across + corner.dot(direction));
    }
    return distance;
  }

  /** Colours of the page. */
  theme(background: string, line: string): void {
    const colour = new Color(background);
    this.scene.background = colour;
    this.lines = line;
    this.ground?.removeFromParent();
    this.ground = null;
    for (const figure of this.figures) figure.paint(this.colourOf(figure.motion.run));
    this.invalidate();
  }

  /** Shows the figures of those runs that are shown. */
  showRuns(isShown: (run: number) => boolean): void {
    for (const figure of this.figures) figure.root.visible = isShown(figure.motion.run);
    this.invalidate();
  }

  /** The picture as a PNG. */
  async picture(): Promise<Blob | null> {
    this.draw(true);
    return new Promise((resolve) => this.renderer.domElement.toBlob(resolve, "image/png"));
  }

  private resize(): void {
    const { clientWidth: width, clientHeight: height } = this.host;
    if (width === 0 || height === 0) return;
    this.renderer.setSize(width, height);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    // The space may have become narrower than what it shows.
    if (this.view) this.look(this.view);
    this.invalidate();
  }

  /** Size of the mechanism out of where its bodies are; shapes are not made yet. */
  private measure(motions: readonly Motion[]): void {
    const [position, rotation] = [new Vector3(), new Quaternion()];
    let size = 0;
    for (const motion of motions) {
      const { scene } = motion;
      const surfaces = (scene.surfaces ?? []).flatMap(({ frame, mesh }) => {
        const place = scene.frames[frame];
        return place ? [{ body: place.body, points: corners({ ...place, kind: "mesh", mesh }, scene) }] : [];
      });
      const outlines = scene.bodies.map((body) => [
        ...body.shapes.flatMap((shape) => corners(shape, scene)),
        ...surfaces.filter((surface) => surface.body === body.name).flatMap(({ points }) => points),
      ]);
      for (const t of this.instants(motion)) {
        motion.at(t);
        const now = new Box3();
        scene.bodies.forEach((body, k) => {
          if (!motion.pose(body.name, position, rotation)) return;
          const outline = outlines[k]!;
          const points = outline.length > 0 ? outline : [new Vector3(), vector(body.centre).multiplyScalar(1.5)];
          for (const point of points) now.expandByPoint(point.clone().applyQuaternion(rotation).add(position));
        });
        for (const joint of scene.joints) {
          if (joint.parent === "ground" && joint.type !== "free" && joint.type !== "prismatic") {
            now.expandByPoint(vector(joint.position));
          }
        }
        if (!now.isEmpty()) size = Math.max(size, now.getSize(new Vector3()).length());
      }
    }
    this.size = size > 0 && Number.isFinite(size) ? size : 1;
  }

  /** Box around the figures over the whole motion. */
  private enclose(): void {
    for (const figure of this.figures) {
      for (const t of this.instants(figure.motion)) {
        figure.at(t);
        this.box.union(figure.bounds());
      }
      figure.at(figure.motion.times[0] ?? 0);
      // A ground that is much larger than what moves on it need not be seen whole.
      const { standing } = figure;
      if (!standing.isEmpty() && standing.getSize(new Vector3()).length() < WIDE * this.size) this.box.union(standing);
    }
    if (this.box.isEmpty()) this.box.setFromCenterAndSize(new Vector3(), new Vector3(1, 1, 1));
    const low = this.along(this.box.min, this.box.max, -1);
    const high = this.along(this.box.min, this.box.max, 1);
    // The ground is the plane through the origin where that fits, else just below everything.
    const near = low > -0.02 * (high - low) && low < 0.35 * this.size;
    this.level = near ? Math.min(0, low) : low - 0.02 * this.size;
    const rough = 10 ** Math.floor(Math.log10(this.size / 4));
    this.spacing = [1, 2, 5, 10].map((factor) => factor * rough).find((width) => width >= this.size / 8) ?? rough;
    this.floor.quaternion.setFromUnitVectors(new Vector3(0, 0, 1), this.up);
    this.floor.scale.setScalar(14 * this.size);
  }

  private along(min: Vector3, max: Vector3, sign: number): number {
    const parts = (["x", "y", "z"] as const).map((axis) =>
      Math.max(sign * this.up[axis] * min[axis], sign * this.up[axis] * max[axis]),
    );
    return sign * parts.reduce((sum, part) => sum + part, 0);
  }

  private *instants(motion: Motion): Generator<number> {
    const count = Math.min(60, motion.times.length);
    for (let k = 0; k < count; k++) {
      yield motion.times[Math.round((k * (motion.times.length - 1)) / Math.max(1, count - 1))]!;
    }
  }

  /** Whether the mechanism goes much farther than it is large. */
  private travels(): boolean {
    // A robot as it looks in reality should fill the picture; sticks and balls may show their whole way.
    const dressed = this.figures.some(({ motion }) => motion.scene.bodies.some((body) => body.visual === true));
    return this.box.getSize(new Vector3()).length() > (dressed ? 1.6 : 4) * this.size;
  }

  /** Follows what travels. */
  private choose(): void {
    if (!this.travels()) return;
    const bodies = [...this.figures[0]!.motion.scene.bodies].sort((a, b) => b.mass - a.mass);
    this.follow(bodies[0]?.name ?? null);
  }

  private keepUp(): void {
    const centre = this.followed ? this.figures[0]?.centre(this.followed) : null;
    if (!centre) return;
    const way = centre.clone().sub(this.last);
    this.last.copy(centre);
    this.controls.target.add(way);
    this.camera.position.add(way);
    this.camera.lookAt(this.controls.target);
  }

  /** Forward, and to the side that is seen from the front, both level. */
  private horizontal(): [Vector3, Vector3] {
    const forward = new Vector3(1, 0, 0);
    // Seen from there, forward is to the right.
    return [forward, forward.clone().cross(this.up)];
  }

  /** A good direction: across the plane of a plane mechanism, else from an edge. */
  private favourite(): Vector3 {
    const [forward, side] = this.horizontal();
    const normal = this.normal();
    if (!normal) return side.multiplyScalar(1.15).addScaledVector(forward, 0.85).addScaledVector(this.up, 0.7);
    if (Math.abs(normal.dot(this.up)) > 0.9) {
      return this.up.clone().multiplyScalar(1.25).addScaledVector(side, 0.75).addScaledVector(forward, 0.12);
    }
    const right = this.up.clone().cross(normal);
    if (right.x + right.y + right.z < 0) normal.negate();
    const across = this.up.clone().cross(normal).normalize();
    return normal.clone().addScaledVector(this.up, 0.28).addScaledVector(across, 0.34);
  }

  /** The common axis of all hinges, where they are parallel. */
  private normal(): Vector3 | null {
    const { motion } = this.figures[0]!;
    const [position, rotation] = [new Vector3(), new Quaternion()];
    let common: Vector3 | null = null;
    motion.at(motion.times[0] ?? 0);
    for (const joint of motion.scene.joints) {
      if (joint.type === "fixed" || joint.type === "prismatic") continue;
      if (joint.type !== "revolute" || !joint.axis) return null;
      if (!motion.pose(joint.child, position, rotation)) return null;
      const axis = vector(joint.axis).normalize().applyQuaternion(rotation);
      if (common && Math.abs(common.dot(axis)) < 0.999) return null;
      common ??= axis;
    }
    return common;
  }

  /** Ground, light and mist around what is looked at. */
  private placeGround(): void {
    const { target } = this.controls;
    if (!this.ground) {
      this.ground = fadingGrid(this.spacing, Math.ceil((3.2 * this.size) / this.spacing), this.lines);
      this.ground.quaternion.setFromUnitVectors(new Vector3(0, 0, 1), this.up);
      this.scene.add(this.ground);
    }
    const flat = target.clone().addScaledVector(this.up, -target.dot(this.up));
    const snapped = flat.clone().divideScalar(this.spacing).round().multiplyScalar(this.spacing);
    this.ground.visible = this.floor.visible = this.grid;
    this.ground.position.copy(snapped).addScaledVector(this.up, this.level);
    this.floor.position.copy(flat).addScaledVector(this.up, this.level - 0.0005 * this.size);
    const [forward, side] = this.horizontal();
    const wide = 1.2 * this.size;
    this.light.position.copy(target).addScaledVector(this.up, 2.2 * this.size);
    this.light.position.addScaledVector(side, 0.9 * this.size).addScaledVector(forward, -0.7 * this.size);
    this.light.target.position.copy(target);
    const shadow = this.light.shadow.camera;
    [shadow.left, shadow.right, shadow.top, shadow.bottom] = [-wide, wide, wide, -wide];
    [shadow.near, shadow.far] = [0.1 * this.size, 8 * this.size];
    shadow.updateProjectionMatrix();
  }
}
