/** Light and dark. */

export type Theme = "auto" | "light" | "dark";

const KEY = "gelenk-theme";
const NEXT: Record<Theme, Theme> = { auto: "light", light: "dark", dark: "auto" };
/** Kept, so that its listener is. */
const prefersDark = window.matchMedia("(prefers-color-scheme: dark)");

export class ThemeChoice {
  private theme: Theme;

  /** `apply` receives whether the page is dark now. */
  constructor(private readonly apply: (dark: boolean) => void) {
    this.theme = stored() ?? "auto";
    prefersDark.addEventListener("change", () => this.set(this.theme));
  }

  get dark(): boolean {
    return this.theme === "dark" || (this.theme === "auto" && prefersDark.matches);
  }

  next(): void {
    // Skip the step that would change nothing.
    const next = NEXT[this.theme];
    this.set(this.theme === "auto" && !this.dark ? "dark" : this.theme === "dark" && !prefersDark.matches ? "light" : next);
  }

  set(theme: Theme): void {
    this.theme = theme;
    document.documentElement.dataset["theme"] = this.dark ? "dark" : "light";
    try {
      localStorage.setItem(KEY, theme);
    } catch {
      // Pages from disk may not remember; then the choice holds until they are closed.
    }
    this.apply(this.dark);
  }

  start(): void {
    this.set(this.theme);
  }
}

function stored(): Theme | null {
  try {
    const theme = localStorage.getItem(KEY);
    return theme === "light" || theme === "dark" || theme === "auto" ? theme : null;
  } catch {
    return null;
  }
}

/** A colour of the page's style. */
export function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}
