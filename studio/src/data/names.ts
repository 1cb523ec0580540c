/** Names of columns: groups are separated by dots. */

/** The group that columns share, with its dot: `energy.` for `energy.kinetic` and `energy.stored`. */
export function groupOf(columns: readonly string[]): string {
  const groups = columns.map((column) => column.split(".").slice(0, -1));
  const first = groups[0] ?? [];
  let shared = 0;
  while (shared < first.length && groups.every((group) => group[shared] === first[shared])) shared++;
  return first.slice(0, shared).map((part) => `${part}.`).join("");
}
