/** What the page is told of recordings; made by `gelenk report` and `gelenk view`. */

/** Name, unit and meaning of a column. */
export type Column = readonly [name: string, unit: string, meaning: string];

/** Time (s), element and what happened. */
export type RunEvent = readonly [t: number, element: string, what: string];

export type Vector = readonly [number, number, number];
/** Real part first. */
export type Quaternion = readonly [number, number, number, number];

interface Placed {
  readonly position: Vector;
  readonly quaternion: Quaternion;
}

/** Red, green, blue and opacity from 0 to 1, sRGB. */
export type Colour = readonly [number, number, number, number];

export type Shape = Placed & { readonly colour?: Colour } & (
    | { readonly kind: "box"; readonly size: Vector }
    | { readonly kind: "sphere"; readonly radius: number }
    | { readonly kind: "cylinder" | "capsule"; readonly radius: number; readonly length: number }
    | { readonly kind: "ellipsoid"; readonly radii: Vector }
    | { readonly kind: "mesh"; readonly mesh: number }
  );

export interface Body {
  readonly name: string;
  readonly mass: number;
  readonly centre: Vector;
  readonly shapes: readonly Shape[];
  /** Whether the shapes are what it looks like in reality. */
  readonly visual?: boolean;
}

export interface Joint extends Placed {
  readonly name: string;
  readonly type: "fixed" | "revolute" | "prismatic" | "general" | "ball" | "free";
  readonly parent: string;
  readonly child: string;
  readonly axis?: Vector;
}

export interface Frame extends Placed {
  readonly name: string;
  readonly body: string;
}

export interface Loop {
  readonly name: string;
  readonly type: string;
  readonly between: readonly [number, number];
  readonly radii?: Vector;
}

export interface Element {
  readonly name: string;
  readonly type: "spring" | "line" | "bushing" | "force" | "torque" | "effort" | "contact";
  readonly between?: readonly [number, number];
  readonly frame?: number;
  /** Of an effort: its column, the joint that it acts along or about, and its sign. */
  readonly column?: string;
  readonly joint?: string;
  readonly sign?: number;
}

/** Vertices (f32) and corners (u32) as base64. */
export interface Surface {
  readonly vertices: string;
  readonly triangles: string;
}

export interface Scene {
  readonly version: number;
  readonly up: Vector;
  readonly gravity: Vector;
  readonly bodies: readonly Body[];
  /** What stands on the ground, only to be seen. */
  readonly ground?: { readonly shapes: readonly Shape[] };
  readonly joints: readonly Joint[];
  readonly frames: readonly Frame[];
  readonly loops: readonly Loop[];
  readonly elements: readonly Element[];
  /** Surfaces of contacts: the frame that carries each, and its mesh. */
  readonly surfaces?: readonly { readonly frame: number; readonly mesh: number }[];
  readonly meshes: readonly Surface[];
}

export interface Account {
  readonly name: string;
  readonly work: number;
  readonly stored: number;
  readonly lost: number;
  readonly conservative: boolean;
}

export interface Energy {
  readonly kinetic: number;
  readonly accounts: readonly Account[];
}

/** Contact elements of a run: its pairs with the numbers of their surfaces in the scene, and how many there are. */
export interface ElementsInfo {
  readonly pairs: readonly { readonly name: string; readonly surfaces: readonly [number | null, number | null] }[];
  /** Largest pressure and largest traction (N/m^2). */
  readonly largest: readonly [number, number];
  readonly shown: number;
  readonly recorded: number;
}

/** Path, value (SI, or a word such as the name of a law), unit, and whether the value follows from others. */
export type Parameter = readonly [path: string, value: number | string | null, unit: string, derived?: boolean];

/** Name, value (SI) and unit of a result, such as the peak of friction on a rig. */
export type Metric = readonly [name: string, value: number | null, unit: string];

/** One of several runs that share a recording: its columns and events begin with `NAME.`. */
export interface Variant {
  readonly name: string;
  /** How it was computed. */
  readonly method?: string | null;
  readonly parameters: readonly Parameter[];
  readonly metrics: readonly Metric[];
}

/** Smallest and largest value of a column; null where they are not known. */
export type Range = readonly [low: number, high: number] | null;

export interface Run {
  readonly name: string;
  /** Rows that the page can have, and rows of the recording. */
  readonly rows: number;
  readonly recorded: number;
  /** Whether the run goes on, so that more rows come. */
  readonly growing?: boolean;
  readonly span: readonly [number, number] | null;
  readonly columns: readonly Column[];
  readonly events: readonly RunEvent[];
  readonly eventCount: number;
  readonly meta: Readonly<Record<string, string>>;
  readonly scene: Scene | null;
  readonly energy: Energy | null;
  readonly elements: ElementsInfo | null;
  /** Range of every column, in the order of `columns`. */
  readonly ranges: readonly Range[];
  readonly parameters: readonly Parameter[];
  readonly metrics: readonly Metric[];
  readonly variants: readonly Variant[];
}

export interface Index {
  readonly version: number;
  readonly generator: string;
  readonly runs: readonly Run[];
}
