/** Checks whether the client asked for this column, so that an expensive one is read only when needed. */
export const wantsColumn = <Name extends string>(columns: readonly Name[] | undefined, name: Name): boolean =>
  columns === undefined || columns.includes(name);

/** Returns the columns that the client asked for, or all of them. */
export function pickColumns<Row extends object, Name extends keyof Row>(
  row: Row,
  columns: readonly Name[] | undefined,
): Partial<Row> {
  if (!columns) return row;
  return Object.fromEntries(columns.map((name) => [name, row[name]])) as unknown as Partial<Row>;
}
