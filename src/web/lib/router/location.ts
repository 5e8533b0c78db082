/** An address of the client. */
export interface Location {
  readonly pathname: string;
  /** With its question mark, or empty. */
  readonly search: string;
  /** With its number sign, or empty. */
  readonly hash: string;
  /** Identifies the entry of the history: the same address may have several. */
  readonly key: string;
}

/** An address to go to: `/path?query`, `?query`, or the query of the present path. */
export type To = string | { readonly search: string };

type Address = Omit<Location, 'key'>;

/** Reads an address. Without a path it belongs to the present one. */
export function addressOf(to: To, pathname: string): Address {
  if (typeof to === 'object') return { pathname, search: asSearch(to.search), hash: '' };
  const [, path, search = '', hash = ''] = /^([^?#]*)(\?[^#]*)?(#.*)?$/s.exec(to) ?? [];
  return { pathname: path || pathname, search: asSearch(search), hash };
}

const asSearch = (text: string): string => {
  const query = text.replace(/^\?/, '');
  return query === '' ? '' : `?${query}`;
};

/** Returns an address as text. */
export const hrefOf = ({ pathname, search, hash }: Address): string => pathname + search + hash;
