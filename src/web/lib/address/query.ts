/** Reads a parameter; null: the address does not have it. What cannot be read counts as missing. */
export type Reader = (text: string | null) => string | number | undefined;
export type Params = Readonly<Record<string, Reader>>;
export type Values<P extends Params> = { readonly [Name in keyof P]: ReturnType<P[Name]> };
export type Changes<P extends Params> = { readonly [Name in keyof P]?: string | number | undefined };

/** Reads the parameters of a query. */
export function readQuery<P extends Params>(params: P, search: string): Values<P> {
  const query = new URLSearchParams(search);
  return Object.fromEntries(Object.entries(params).map(([name, read]) => [name, read(query.get(name))])) as Values<P>;
}

/** Returns a query with changed parameters, or ''. What would be read anyway (the first page) is left out. */
export function changedQuery<P extends Params>(params: P, search: string, changes: Changes<P>): string {
  const query = new URLSearchParams(search);
  for (const [name, value = ''] of Object.entries(changes)) {
    const text = String(value);
    if (params[name]?.(text) === params[name]?.(null)) query.delete(name);
    else query.set(name, text);
  }
  return query.size === 0 ? '' : `?${query}`;
}

/** Returns the address of a screen with parameters. */
export const addressWith = <P extends Params>(path: string, params: P, values: Changes<P>): string =>
  path + changedQuery(params, '', values);
