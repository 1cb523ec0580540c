/** The columns of the recordings as a tree that can be searched. */

import type { Column } from "../data/types.js";
import type { Board } from "../plots/board.js";
import { el } from "./dom.js";
import { pretty } from "./units.js";

interface Branch {
  readonly parts: Map<string, Branch>;
  column: Column | null;
}

/** Columns of all recordings, each once. */
export function allColumns(runs: readonly { readonly columns: readonly Column[] }[]): Column[] {
  const found = new Map<string, Column>();
  for (const run of runs) for (const column of run.columns) if (!found.has(column[0])) found.set(column[0], column);
  found.delete("t");
  return [...found.values()];
}

function grow(columns: readonly Column[]): Branch {
  const root: Branch = { parts: new Map(), column: null };
  for (const column of columns) {
    let at = root;
    for (const part of column[0].split(".")) {
      let next = at.parts.get(part);
      if (!next) {
        next = { parts: new Map(), column: null };
        at.parts.set(part, next);
      }
      at = next;
    }
    at.column = column;
  }
  return root;
}

/** Whether every word of a search stands in name, unit or meaning. */
export function matches(column: Column, search: string): boolean {
  const text = column.join(" ").toLowerCase();
  return search.toLowerCase().split(/\s+/).every((word) => text.includes(word));
}

export class ColumnTree {
  readonly element: HTMLElement;
  readonly search: HTMLInputElement;
  private readonly list = el("div", { class: "tree-list", role: "tree" });
  private readonly columns: Column[];
  private readonly leaves = new Map<string, HTMLElement>();

  constructor(private readonly board: Board) {
    this.columns = allColumns(board.source.index.runs);
    this.search = el("input", {
      type: "search",
      placeholder: "Search columns",
      "aria-label": "Search columns",
      title: "Search columns (/)",
      oninput: () => this.write(),
    });
    this.element = el("nav", { class: "tree" }, this.search, this.list);
    this.write();
    board.onChange(() => this.mark());
  }

  private write(): void {
    const search = this.search.value.trim();
    const found = search ? this.columns.filter((column) => matches(column, search)) : this.columns;
    this.leaves.clear();
    this.list.replaceChildren(...this.branches(grow(found), search !== "" && found.length < 200, 0));
    if (found.length === 0) this.list.append(el("p", { class: "hint" }, "No column matches."));
    this.mark();
  }

  private branches(branch: Branch, open: boolean, depth: number): HTMLElement[] {
    const out: HTMLElement[] = [];
    for (const [part, below] of branch.parts) {
      if (below.column && below.parts.size === 0) out.push(this.leaf(part, below.column, depth));
      else {
        const inner = el("div", { role: "group" });
        const fill = () => {
          if (inner.childElementCount > 0) return;
          if (below.column) inner.append(this.leaf(part, below.column, depth + 1));
          inner.append(...this.branches(below, open, depth + 1));
          this.mark();
        };
        const group = el("details", { ontoggle: fill }, el("summary", { style: `--depth: ${depth}` }, part), inner);
        // Branches with one more than the coordinate itself, such as its rate, are short enough to be open.
        group.open = open || (below.column !== null && depth === 0 && branch.parts.size <= 12);
        if (group.open) fill();
        out.push(group);
      }
    }
    return out;
  }

  private leaf(part: string, [name, unit, meaning]: Column, depth: number): HTMLElement {
    const leaf = el(
      "button",
      {
        type: "button",
        class: "leaf",
        role: "treeitem",
        style: `--depth: ${depth}`,
        title: meaning ? `${name}: ${meaning}` : name,
        "data-column": name,
        onclick: (event) => {
          if ((event as MouseEvent).shiftKey) this.board.add([{ column: name }]);
          else this.board.toggle({ column: name });
        },
      },
      el("span", { class: "name" }, part),
      el("span", { class: "unit" }, unit === "1" ? "" : pretty(unit)),
    );
    this.leaves.set(name, leaf);
    return leaf;
  }

  private mark(): void {
    for (const [name, leaf] of this.leaves) {
      leaf.setAttribute("aria-selected", String(this.board.active?.has(name) ?? false));
    }
  }
}
