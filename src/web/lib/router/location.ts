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

type Address = Omit<Location, 'key'>;

/** Reads an address: `/path?query#hash`. An empty query is none. */
export function addressOf(to: string): Address {
  const [, pathname = '', search = '', hash = ''] = /^([^?#]*)(\?[^#]*)?(#.*)?$/s.exec(to) ?? [];
  return { pathname, search: search === '?' ? '' : search, hash };
}

/** Returns an address as text. */
export const hrefOf = ({ pathname, search, hash }: Address): string => pathname + search + hash;
