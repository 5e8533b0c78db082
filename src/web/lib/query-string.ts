/** A value in a query of the contract. */
export type QueryValue =
  | string
  | number
  | boolean
  | null
  | undefined
  | readonly QueryValue[]
  | { [key: string]: QueryValue };

function* pairs(name: string, value: QueryValue): Generator<[string, string]> {
  if (value === undefined || value === null) return;
  if (Array.isArray(value)) {
    for (const item of value) yield* pairs(`${name}[]`, item);
  } else if (typeof value === 'object') {
    for (const [key, item] of Object.entries(value)) yield* pairs(`${name}[${key}]`, item);
  } else {
    yield [name, String(value)];
  }
}

/** Returns `?where_info[id]=1&columns[]=id` (percent-encoded), or '' for an empty query. */
export function queryString(query: Readonly<Record<string, QueryValue>>): string {
  const written = Object.entries(query).flatMap(([name, value]) => [...pairs(name, value)]);
  return written.length === 0 ? '' : `?${new URLSearchParams(written)}`;
}
