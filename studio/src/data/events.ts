/** Events in the words of an engineer. */

import type { RunEvent } from "./types.js";

/** What kind of thing happened; the label of the kind counts several of them. */
export const KINDS = {
  hit: "hits",
  contact: "contacts made",
  release: "lift-offs",
  rest: "comes to rest",
  stick: "sticks",
  slip: "slips",
  partial: "partial slips",
  reversal: "reversals",
  switch: "switches",
  solver: "solver",
  other: "other",
} as const;

export type Kind = keyof typeof KINDS;

export interface Happening {
  readonly t: number;
  readonly kind: Kind;
  /** Such as `knee hits its stop`. */
  readonly text: string;
}

/** First and last parts of an element's path that say what it is, not which one. */
const GROUPS = new Set(["joints", "coordinates", "friction", "contacts", "stops", "springs", "switches", "loops", "elements", "signals"]);
const ENDS = new Set(["coordinate", "friction", "stop", "limit"]);

/** Which one it is: `knee` of `joints.knee.stop`. */
function subject(element: string): string {
  const parts = element.split(".");
  while (parts.length > 1 && GROUPS.has(parts[0]!)) parts.shift();
  while (parts.length > 1 && ENDS.has(parts[parts.length - 1]!)) parts.pop();
  return parts.join(" ");
}

/** Kind and words for what a recording says; `stop` for a joint limit. */
function words(what: string, stop: boolean): readonly [Kind, string] {
  switch (what) {
    case "hits":
      return ["hit", stop ? "hits its stop" : "hits"];
    case "contact closes":
      return ["contact", stop ? "reaches its stop" : "makes contact"];
    case "contact opens":
      return ["release", stop ? "leaves its stop" : "lifts off"];
    case "comes to rest":
      return ["rest", stop ? "comes to rest on its stop" : "comes to rest"];
    case "rebound without force":
      return ["release", "rebounds without force"];
    case "force again":
      return ["contact", "carries force again"];
    case "sticks":
      return ["stick", "sticks"];
    case "slips forward":
    case "slips backward":
      return ["slip", what];
    case "leaves the band":
      return ["slip", "breaks away"];
    case "element slips":
      return ["partial", "partially slips"];
    case "element sticks":
      return ["partial", "partially sticks"];
    case "turns":
    case "reverses":
      return ["reversal", "reverses its direction"];
    case "play engages":
      return ["contact", "has taken up its play"];
    case "play opens":
      return ["release", "enters its play"];
    case "play turns":
    case "play reverses":
      return ["reversal", "reverses within its play"];
    case "turns on":
    case "turns off":
      return ["switch", what.replace("turns", "switches")];
    case "passes a singular position":
      return ["other", what];
    default:
      return ["other", what];
  }
}

/** An event of a recording in words. */
export function happening([t, element, what]: RunEvent): Happening {
  if (element === "step" && what === "cut") return { t, kind: "solver", text: "the solver shortens a step" };
  const [kind, text] = words(what, /(^|\.)(stop|limit|stops)(\.|$)/.test(element));
  return { t, kind, text: `${subject(element)} ${text}`.trim() };
}

/** Kinds with how often they happened, in the order of `KINDS`. */
export function counted(happenings: readonly Happening[]): [Kind, number][] {
  const counts = new Map<Kind, number>();
  for (const { kind } of happenings) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return (Object.keys(KINDS) as Kind[]).flatMap((kind) => (counts.has(kind) ? [[kind, counts.get(kind)!] as [Kind, number]] : []));
}
