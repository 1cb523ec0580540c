/** Asks for a curve that is computed: a rate, a difference, a spectrum. */

import { button, el } from "../ui/dom.js";
import type { Board } from "./board.js";
import type { Panel } from "./panel.js";
import { type Quantity, refusal } from "./quantity.js";

/** What can be computed. */
const KINDS = {
  rate: "Rate of change of a column",
  columns: "Difference of two columns",
  runs: "Difference from another run",
  spectrum: "Spectrum (FFT) of this plot",
} as const;

type Kind = keyof typeof KINDS;

export class DeriveWindow {
  readonly element: HTMLDialogElement;
  private readonly kind: HTMLSelectElement;
  private readonly column: HTMLInputElement;
  private readonly minus: HTMLInputElement;
  private readonly reference: HTMLSelectElement;
  private readonly error = el("p", { class: "error", role: "alert" });
  private readonly rows: Readonly<Record<"column" | "minus" | "reference", HTMLElement>>;
  private panel: Panel | null = null;

  constructor(private readonly board: Board) {
    const { runs } = board.source.index;
    const kinds = (Object.keys(KINDS) as Kind[]).filter((kind) => kind !== "runs" || runs.length > 1);
    this.kind = el("select", { onchange: () => this.arrange() }, ...kinds.map((kind) => el("option", { value: kind }, KINDS[kind])));
    const field = () => el("input", { list: "gelenk-columns", required: true, autocomplete: "off", oninput: () => (this.error.textContent = "") });
    [this.column, this.minus] = [field(), field()];
    this.reference = el("select", {}, ...runs.map(({ name }, k) => el("option", { value: k }, name)));
    const row = (label: string, control: HTMLElement) => el("label", {}, el("span", {}, label), control);
    this.rows = { column: row("Column", this.column), minus: row("minus column", this.minus), reference: row("minus run", this.reference) };
    const form = el(
      "form",
      {
        method: "dialog",
        onsubmit: (event) => {
          event.preventDefault();
          const own = (event as SubmitEvent).submitter?.getAttribute("value") === "new";
          this.add(own);
        },
      },
      el("h2", {}, "Add a curve"),
      row("Show", this.kind),
      this.rows.column,
      this.rows.minus,
      this.rows.reference,
      this.error,
      el(
        "div",
        { class: "actions" },
        // The Enter key presses the first one.
        el("button", { value: "here", type: "submit", class: "main" }, "Add to this plot"),
        el("button", { value: "new", type: "submit" }, "New plot"),
        button("Cancel", "Cancel", () => this.element.close()),
      ),
    );
    this.element = el("dialog", { class: "window derive-window", "aria-label": "Add a curve", onclick: (event) => event.target === this.element && this.element.close() }, form);
  }

  open(panel: Panel): void {
    this.panel = panel;
    const [first, second] = panel.quantities.map(({ column }) => column);
    this.column.value = first ?? "";
    this.minus.value = second ?? "";
    this.error.textContent = "";
    this.arrange();
    this.element.showModal();
    this.kind.focus();
  }

  /** Shows the fields that the kind needs. */
  private arrange(): void {
    const kind = this.kind.value as Kind;
    this.rows.column.hidden = kind === "spectrum";
    this.rows.minus.hidden = kind !== "columns";
    this.rows.reference.hidden = kind !== "runs";
    this.column.disabled = this.rows.column.hidden;
    this.minus.disabled = this.rows.minus.hidden;
    this.error.textContent = "";
  }

  private add(asNew: boolean): void {
    const { board, panel } = this;
    const kind = this.kind.value as Kind;
    if (!panel) return;
    if (kind === "spectrum") {
      const target = asNew ? board.add(panel.quantities) : panel;
      target.setAxis({ kind: "frequency" });
      this.element.close();
      return;
    }
    const column = this.column.value.trim();
    const quantity: Quantity =
      kind === "rate" ? { column, rate: true } : kind === "columns" ? { column, minus: this.minus.value.trim() } : { column, reference: Number(this.reference.value) };
    const reason = refusal(quantity, board.source.index.runs);
    this.error.textContent = reason ?? "";
    if (reason) return;
    if (asNew) board.add([quantity]);
    else if (!panel.quantities.some((known) => JSON.stringify(known) === JSON.stringify(quantity))) board.toggle(quantity, panel);
    this.element.close();
  }
}
