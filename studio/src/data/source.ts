/** Where numbers come from: out of the page itself, or from the server of `gelenk view`. */

import { lowerBound, pick, thinRows, upperBound } from "./thin.js";
import type { Index } from "./types.js";
import { unpack } from "./unpack.js";

/** Lists that contact elements are made of: instants, where each begins, five columns. */
const LISTS = 7;

/** Most answers of the server that are kept, and the most numbers of one of them. */
const [MOST_ANSWERS, MOST_KEPT] = [64, 100_000];

/** Which rows are wanted. */
export interface Wish {
  /** Times (s); everything where they are missing. */
  readonly from?: number;
  readonly to?: number;
  /** Runs of neighbours that are thinned to their extremes. */
  readonly runs?: number;
  /** About this many rows at equal distances instead. */
  readonly every?: number;
}

/** Recordings to look at. */
export interface Source {
  readonly index: Index;
  /** Columns of a recording by their numbers, all with the same rows. */
  rows(run: number, columns: readonly number[], wish: Wish): Promise<Float64Array[]>;
  /** Contact elements of a recording that has them, as `Elements` takes them. */
  elements(run: number): Promise<Float64Array[]>;
  /** Looks for more rows of runs that go on, and returns whether there are any; missing where none can come. */
  update?(): Promise<boolean>;
}

/** A recording whose columns stand in the page. */
export class EmbeddedSource implements Source {
  private readonly columns = new Map<string, Promise<Float64Array>>();

  constructor(
    readonly index: Index,
    private readonly text: (run: number, column: number | string) => string | null,
  ) {}

  async rows(run: number, columns: readonly number[], wish: Wish): Promise<Float64Array[]> {
    const values = await Promise.all(columns.map((column) => this.column(run, column)));
    const time = await this.column(run, 0);
    const start = wish.from === undefined ? 0 : Math.max(0, lowerBound(time, wish.from) - 1);
    const end = wish.to === undefined ? time.length : Math.min(time.length, upperBound(time, wish.to) + 1);
    if (wish.every !== undefined) {
      const stride = Math.max(1, Math.ceil((end - start) / Math.max(1, wish.every)));
      if (stride === 1 && start === 0 && end === time.length) return values;
      const rows: number[] = [];
      for (let row = start; row < end; row += stride) rows.push(row);
      if (end > start && rows[rows.length - 1] !== end - 1) rows.push(end - 1);
      const chosen = Uint32Array.from(rows);
      return values.map((column) => pick(column, chosen));
    }
    const rows = thinRows(values, start, end, wish.runs ?? 1000);
    return values.map((column) => pick(column, rows));
  }

  elements(run: number): Promise<Float64Array[]> {
    return Promise.all(Array.from({ length: LISTS }, (_, k) => this.column(run, `elements-${k}`)));
  }

  private column(run: number, column: number | string): Promise<Float64Array> {
    const key = `${run}-${column}`;
    let found = this.columns.get(key);
    if (!found) {
      const text = this.text(run, column);
      found = text === null ? Promise.reject(new Error(`column ${key} is missing`)) : unpack(text);
      this.columns.set(key, found);
    }
    return found;
  }
}

/** Recordings behind the server of `gelenk view`. */
export class RemoteSource implements Source {
  /** The latest answers with rows, oldest first: going back to where one was costs nothing. */
  private readonly answers = new Map<string, Promise<Float64Array[]>>();

  constructor(
    readonly index: Index,
    private readonly ask: (address: string) => Promise<Response> = (address) => fetch(address),
  ) {}

  static async open(): Promise<RemoteSource> {
    const answer = await fetch("api/runs");
    if (!answer.ok) throw new Error(await answer.text());
    return new RemoteSource((await answer.json()) as Index);
  }

  async rows(run: number, columns: readonly number[], wish: Wish): Promise<Float64Array[]> {
    const query = new URLSearchParams({ columns: columns.join(",") });
    for (const key of ["from", "to", "runs", "every"] as const) {
      const value = wish[key];
      if (value !== undefined && Number.isFinite(value)) query.set(key, String(value));
    }
    const address = `api/runs/${run}/rows?${query}`.replaceAll("%2C", ",");
    const known = this.answers.get(address);
    this.answers.delete(address);
    const answer = known ?? this.fetch(address);
    this.answers.set(address, answer);
    for (const oldest of this.answers.keys()) {
      if (this.answers.size <= MOST_ANSWERS) break;
      this.answers.delete(oldest);
    }
    return answer;
  }

  /** Takes over what the server says of the recordings now. Who holds one of them sees it change. */
  async update(): Promise<boolean> {
    const answer = await this.ask("api/runs");
    if (!answer.ok) throw new Error(await answer.text());
    const fresh = (await answer.json()) as Index;
    let changed = false;
    this.index.runs.forEach((run, k) => {
      const now = fresh.runs[k];
      if (!now || (now.recorded === run.recorded && now.growing === run.growing)) return;
      Object.assign(run, now);
      changed = true;
    });
    if (changed) this.answers.clear();
    return changed;
  }

  private async fetch(address: string): Promise<Float64Array[]> {
    const answer = await this.ask(address);
    if (answer.ok) {
      const columns = decodeRows(await answer.arrayBuffer());
      if ((columns[0]?.length ?? 0) * columns.length > MOST_KEPT) this.answers.delete(address);
      return columns;
    }
    // What failed may succeed the next time.
    this.answers.delete(address);
    throw new Error(await answer.text());
  }

  async elements(run: number): Promise<Float64Array[]> {
    const answer = await this.ask(`api/runs/${run}/elements`);
    if (!answer.ok) throw new Error(await answer.text());
    return decodeLists(await answer.arrayBuffer());
  }
}

/** Lists out of an answer: their number and lengths as u32, then the numbers. */
export function decodeLists(buffer: ArrayBuffer): Float64Array[] {
  const sizes = new Uint32Array(buffer, 0, 1 + LISTS);
  // A number of lists that is odd makes a head that is even, as f64 demand.
  let start = sizes.byteLength;
  return Array.from(sizes.subarray(1), (size) => {
    const list = new Float64Array(buffer, start, size);
    start += list.byteLength;
    return list;
  });
}

/** Columns out of an answer: rows and columns as u32, then the numbers. */
export function decodeRows(buffer: ArrayBuffer): Float64Array[] {
  const [rows, columns] = new Uint32Array(buffer, 0, 2) as unknown as [number, number];
  return Array.from({ length: columns }, (_, k) => new Float64Array(buffer, 8 + 8 * rows * k, rows));
}

/** The source of this page. */
export async function openSource(): Promise<Source> {
  const index = document.getElementById("gelenk-index");
  if (!index) return RemoteSource.open();
  const text = (run: number, column: number | string) =>
    document.getElementById(`gelenk-${run}-${column}`)?.textContent ?? null;
  return new EmbeddedSource(JSON.parse(index.textContent ?? "") as Index, text);
}
