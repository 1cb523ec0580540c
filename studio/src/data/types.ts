/** What the page is given of recordings by `gelenk report` and `gelenk view`. Generated from the types of
 *  `gelenk_record::format`: `GELENK_TYPES=write cargo test -p gelenk-record` renews this file. */

/** Three components. */
export type Vector = readonly [number, number, number];

/** Real part first. */
export type Quaternion = readonly [number, number, number, number];

/** Types of joints. */
export type JointWord = "fixed" | "revolute" | "prismatic" | "general" | "ball" | "free";

/** Types of loops that are between frames. */
export type LoopWord = "point" | "parallel" | "perpendicular" | "orientation" | "distance" | "plane" | "ellipsoid" | "rigid" | "revolute" | "cylindrical" | "prismatic" | "universal";

/** How an element is drawn. */
export type ElementWord = "spring" | "line" | "bushing" | "force" | "torque" | "effort" | "contact";

/** A place on what carries something. The quaternion has its real part first. */
export interface Placed {
  /** Origin (m). */
  readonly position: readonly [number, number, number];
  /** Orientation, real part first. */
  readonly quaternion: readonly [number, number, number, number];
}

/** Forms; round ones are along z, and all are centred. Lengths in m. */
export type Form =
  | { readonly kind: "box"; readonly size: readonly [number, number, number] }
  | { readonly kind: "sphere"; readonly radius: number }
  | { readonly kind: "cylinder"; readonly length: number; readonly radius: number }
  | { readonly kind: "capsule"; readonly length: number; readonly radius: number }
  | { readonly kind: "ellipsoid"; readonly radii: readonly [number, number, number] }
  | { readonly kind: "mesh"; readonly mesh: number };

/** A form at a place of a body. */
export type Shape = Placed & Form & {
  /** Red, green, blue and opacity, 0 to 1. */
  readonly colour?: readonly [number, number, number, number];
};

/** A body. */
export interface Body {
  /** Name in the model. */
  readonly name: string;
  /** Mass (kg). */
  readonly mass: number;
  /** Centre of mass in the axes of the body (m). */
  readonly centre: readonly [number, number, number];
  /** What it looks like; perhaps nothing. */
  readonly shapes: readonly Shape[];
  /** Whether the shapes are what it looks like in reality. */
  readonly visual?: boolean;
}

/** What is seen on the ground. */
export interface GroundShapes {
  /** Shapes. */
  readonly shapes: readonly Shape[];
}

/** A joint; its place is on the parent. */
export type Joint = Placed & {
  /** Name in the model. */
  readonly name: string;
  /** How it moves. */
  readonly type: JointWord;
  /** The body that carries it, or `ground`. */
  readonly parent: string;
  /** The body that it moves. */
  readonly child: string;
  /** Its axis in its frame, where it has one. */
  readonly axis?: readonly [number, number, number];
};

/** A frame on a body. */
export type Frame = Placed & {
  /** Name in the model. */
  readonly name: string;
  /** The body that carries it, or `ground`. */
  readonly body: string;
};

/** A loop. */
export interface Loop {
  /** Name in the model. */
  readonly name: string;
  /** What it demands. */
  readonly type: LoopWord;
  /** The frames, by their numbers. */
  readonly between: readonly [number, number];
  /** Half axes of an ellipsoid (m). */
  readonly radii?: readonly [number, number, number];
}

/** What acts between frames, on a frame or on the coordinate of a joint. */
export interface Element {
  /** Name in the model, which its columns begin with. */
  readonly name: string;
  /** How it is drawn. */
  readonly type: ElementWord;
  /** Frames that it acts between, by their numbers. */
  readonly between?: readonly [number, number];
  /** Frame that it acts on, by its number. */
  readonly frame?: number;
  /** Column of an effort. */
  readonly column?: string;
  /** The joint that an effort acts along or about. */
  readonly joint?: string;
  /** Sign of an effort. */
  readonly sign?: number;
}

/** Vertices (f32) and corners (u32) of triangles as base64, little endian. */
export interface Surface {
  /** Coordinates of the vertices (m). */
  readonly vertices: string;
  /** Numbers of the corners. */
  readonly triangles: string;
}

/** A surface of contacts. */
export interface SurfacePlace {
  /** The frame that carries it, by its number. */
  readonly frame: number;
  /** Its mesh, by its number. */
  readonly mesh: number;
}

/** What pictures need to know of a model. */
export interface Scene {
  /** Version of the format: 1. */
  readonly version: number;
  /** Unit vector that points up in the picture. */
  readonly up: readonly [number, number, number];
  /** Gravity at the start (m/s^2). */
  readonly gravity: readonly [number, number, number];
  /** Bodies in the order of the model. */
  readonly bodies: readonly Body[];
  /** What is seen on the ground. */
  readonly ground?: GroundShapes;
  /** Joints. */
  readonly joints: readonly Joint[];
  /** Frames; others refer to them by their numbers. */
  readonly frames: readonly Frame[];
  /** Loops between frames. */
  readonly loops: readonly Loop[];
  /** What acts. */
  readonly elements: readonly Element[];
  /** Surfaces of contacts. */
  readonly surfaces?: readonly SurfacePlace[];
  /** Meshes of shapes and surfaces. */
  readonly meshes: readonly Surface[];
}

/** Smallest and largest value of a column; null where they are not known. */
export type Range = readonly [number, number] | null;

/** Name, unit and meaning of a column. */
export type Column = readonly [name: string, unit: string, meaning: string];

/** Time (s), element and what happened. */
export type RunEvent = readonly [t: number, element: string, what: string];

/** Path, value (SI, or a word such as the name of a law), unit, and whether the value follows from others. */
export type Parameter = readonly [path: string, value: number | string | null, unit: string, derived?: boolean];

/** Name, value (SI) and unit of a result, such as the peak of friction on a rig. */
export type Metric = readonly [name: string, value: number | null, unit: string];

/** Work of an element (J). */
export interface Account {
  /** Name of the element. */
  readonly name: string;
  /** Work that it has done. */
  readonly work: number;
  /** What of it is stored. */
  readonly stored: number;
  /** What of it is lost. */
  readonly lost: number;
  /** Whether nothing is lost by its nature. */
  readonly conservative: boolean;
}

/** The energy balance at the end of a run (J). */
export interface Energy {
  /** Kinetic energy. */
  readonly kinetic: number;
  /** Work of the elements. */
  readonly accounts: readonly Account[];
}

/** A pair of surfaces in contact. */
export interface PairInfo {
  /** Name of the contact. */
  readonly name: string;
  /** Numbers of the surfaces in the scene. */
  readonly surfaces: readonly [number | null, number | null];
}

/** Contact elements of a run. */
export interface ElementsInfo {
  /** The pairs. */
  readonly pairs: readonly PairInfo[];
  /** Largest pressure and largest traction (N/m^2). */
  readonly largest: readonly [number, number];
  /** How many are shown. */
  readonly shown: number;
  /** How many are recorded. */
  readonly recorded: number;
}

/** One of several runs that share a recording: its columns and events begin with `NAME.`. */
export interface Variant {
  /** Name. */
  readonly name: string;
  /** How it was computed. */
  readonly method?: string | null;
  /** Its parameters. */
  readonly parameters: readonly Parameter[];
  /** Its results. */
  readonly metrics: readonly Metric[];
}

/** A recording. */
export interface Run {
  /** Name. */
  readonly name: string;
  /** Rows that the page can have. */
  readonly rows: number;
  /** Rows of the recording. */
  readonly recorded: number;
  /** Whether the run continues, so that more rows come. */
  readonly growing?: boolean;
  /** First and last time (s). */
  readonly span: readonly [number, number] | null;
  /** Columns. */
  readonly columns: readonly Column[];
  /** Smallest and largest value of every column; null where they are not known. */
  readonly ranges: readonly (readonly [number, number] | null)[];
  /** Events. */
  readonly events: readonly RunEvent[];
  /** Number of all events. */
  readonly eventCount: number;
  /** Other metadata. */
  readonly meta: Readonly<Record<string, string>>;
  /** What pictures need. */
  readonly scene: Scene | null;
  /** The energy balance. */
  readonly energy: Energy | null;
  /** Contact elements. */
  readonly elements: ElementsInfo | null;
  /** Parameters of the model. */
  readonly parameters: readonly Parameter[];
  /** Results. */
  readonly metrics: readonly Metric[];
  /** Runs that share the recording. */
  readonly variants: readonly Variant[];
}

/** All recordings of a page. */
export interface Index {
  /** Version of the format: 1. */
  readonly version: number;
  /** The program that wrote it. */
  readonly generator: string;
  /** The recordings. */
  readonly runs: readonly Run[];
}
