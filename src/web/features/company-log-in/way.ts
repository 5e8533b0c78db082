import { isLinkKey, linkKeyIn } from '#web/lib/address/company-log-in.ts';

/** What this tab keeps while the browser is at the company's provider. */
export interface Way {
  /** Known to this tab alone: it ends what it began. */
  readonly browser: string;
  /** The key of the account's log-in link; absent: the host has one account. */
  readonly key?: string;
  /** The log-in's search, with the address that it leads back to. */
  readonly search: string;
}

const WAY = 'kaitaku-company-log-in';
const KEY = 'kaitaku-company-key';

/** Returns the key of the log-in's link, else that of this browser's last log-in by a company; undefined: none. */
export function keyOfLink(login: { readonly search: string }): string | undefined {
  const given = linkKeyIn(login);
  if (given !== undefined) return given;
  try {
    const kept = localStorage.getItem(KEY);
    return isLinkKey(kept) ? kept : undefined;
  } catch {
    return undefined;
  }
}

/** Keeps the key for the next log-in of this browser. Without storage the link is needed again. */
export function keepKey(key: string | undefined): void {
  if (key === undefined) return;
  try {
    localStorage.setItem(KEY, key);
  } catch {
    // The browser has no storage, or it is full.
  }
}

/** Begins a way. @returns null where the browser stores nothing: the tab could not end it */
export function beginWay({ search }: { readonly search: string }, key: string | undefined): Way | null {
  const random = btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(32))));
  // As base64url.
  const browser = random.replace(/[+/=]/g, (letter) => ({ '+': '-', '=': '' })[letter] ?? '_');
  const way = { browser, search, ...(key !== undefined && { key }) };
  try {
    sessionStorage.setItem(WAY, JSON.stringify(way));
    return way;
  } catch {
    return null;
  }
}

/** Takes the way that this tab began, once. @returns null: it began none */
export function takeWay(): Way | null {
  try {
    const way = JSON.parse(sessionStorage.getItem(WAY) ?? 'null') as Way | null;
    sessionStorage.removeItem(WAY);
    return way;
  } catch {
    return null;
  }
}
