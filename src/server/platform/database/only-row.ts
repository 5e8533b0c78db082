/** Returns the row of a query that returns exactly one: an aggregate, a SELECT without a table, a one-row INSERT. */
export function onlyRow<Row>(rows: readonly Row[]): Row {
  const [row] = rows;
  if (row === undefined || rows.length > 1) throw new Error(`one row expected, ${rows.length} returned`);
  return row;
}
