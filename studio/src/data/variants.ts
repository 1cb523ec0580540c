/** Recordings that hold several runs side by side, such as the laws of a rig, as runs of their own. */

import type { Source, Wish } from "./source.js";
import type { Index, Run, Variant } from "./types.js";

/** Where a run has its numbers: in a recording of the source, under these columns. */
interface Place {
  readonly run: number;
  readonly columns: readonly number[];
}

/** The variant that a name such as `lugre.x` belongs to: the longest one that fits. */
function owner(name: string, variants: readonly Variant[]): Variant | null {
  let found: Variant | null = null;
  for (const variant of variants) {
    if (name.startsWith(`${variant.name}.`) && (!found || variant.name.length > found.name.length)) found = variant;
  }
  return found;
}

/** Variants of a recording: those that it names, or the motions of its bodies where there are several, as inverse kinematics
 * with several methods has them. */
function variantsOf(run: Run): readonly Variant[] {
  if (run.variants.length > 0) return run.variants;
  const body = run.scene?.bodies[0]?.name;
  const end = `.bodies.${body}.qz`;
  const names = run.columns.flatMap(([name]) => (body !== undefined && name.endsWith(end) ? [name.slice(0, -end.length)] : []));
  return names.length > 1 ? names.map((name) => ({ name, parameters: run.parameters, metrics: [] })) : [];
}

/** The runs of a recording, with the numbers of their columns in it. */
function parts(run: Run, several: boolean): { run: Run; columns: number[] }[] {
  const variants = variantsOf(run);
  if (variants.length === 0) return [{ run, columns: run.columns.map((_, k) => k) }];
  const owners = run.columns.map(([name]) => owner(name, variants));
  return variants.map((variant) => {
    const columns = run.columns.flatMap((_, k) => (k === 0 || owners[k] === variant || !owners[k] ? [k] : []));
    const own = (name: string) => (name.startsWith(`${variant.name}.`) ? name.slice(variant.name.length + 1) : name);
    const events = run.events.filter(([, element]) => owner(element, variants) === variant);
    const meta: Record<string, string> = { ...run.meta, ...(variant.method ? { method: variant.method } : {}) };
    return {
      columns,
      run: {
        ...run,
        name: several ? `${run.name} ${variant.name}` : variant.name,
        columns: columns.map((k) => {
          const [name, unit, meaning] = run.columns[k]!;
          return [own(name), unit, meaning] as const;
        }),
        ranges: columns.map((k) => run.ranges[k] ?? null),
        events: events.map(([t, element, what]) => [t, own(element), what] as const),
        eventCount: events.length,
        meta,
        parameters: variant.parameters,
        metrics: variant.metrics,
        variants: [],
      },
    };
  });
}

/** The runs of all recordings. */
function split({ runs }: Index): { run: Run; columns: number[]; place: number }[] {
  return runs.flatMap((run, place) => parts(run, runs.length > 1).map((part) => ({ ...part, place })));
}

/** A source whose recordings with several runs in them are taken apart. */
export class SplitSource implements Source {
  readonly index: Index;
  readonly update?: () => Promise<boolean>;
  private readonly places: readonly Place[];

  constructor(private readonly inner: Source) {
    const found = split(inner.index);
    this.index = { ...inner.index, runs: found.map(({ run }) => run) };
    this.places = found.map(({ place, columns }) => ({ run: place, columns }));
    if (inner.update) this.update = () => this.grow();
  }

  /** Takes over what the source says of its recordings now. Who holds a run sees it change. */
  private async grow(): Promise<boolean> {
    if (!(await this.inner.update?.())) return false;
    const fresh = split(this.inner.index);
    this.index.runs.forEach((run, k) => Object.assign(run, fresh[k]?.run));
    return true;
  }

  rows(run: number, columns: readonly number[], wish: Wish): Promise<Float64Array[]> {
    const place = this.places[run]!;
    return this.inner.rows(place.run, columns.map((column) => place.columns[column]!), wish);
  }

  elements(run: number): Promise<Float64Array[]> {
    return this.inner.elements(this.places[run]!.run);
  }
}
