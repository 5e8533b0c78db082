/** An address of the client. */
export interface Location {
  readonly pathname: string;
  /** With its question mark, or ''. */
  readonly search: string;
  /** With its number sign, or ''. */
  readonly hash: string;
  /** Identifies the history entry: several can have the same address. */
  readonly key: string;
}

type Address = Omit<Location, 'key'>;

/** Parses an address: `/path?query#hash`. A lone `?` becomes ''. */
export function addressOf(to: string): Address {
  const [, pathname = '', search = '', hash = ''] = /^([^?#]*)(\?[^#]*)?(#.*)?$/s.exec(to) ?? [];
  return { pathname, search: search === '?' ? '' : search, hash };
}

/** Returns an address as text. */
export const hrefOf = ({ pathname, search, hash }: Address): string => pathname + search + hash;
