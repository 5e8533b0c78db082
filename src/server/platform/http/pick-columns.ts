/** The columns a list was asked for, or all of them. */
export function pickColumns<Row extends object, Name extends keyof Row>(
  row: Row,
  columns: readonly Name[] | undefined,
): Partial<Row> {
  if (!columns) return row;
  return Object.fromEntries(columns.map((name) => [name, row[name]])) as unknown as Partial<Row>;
}
