import { useSession } from './session-store.ts';

/** What a browser keeps for a member past the end of the session. None of it names a person. */
type Kept = 'attack-settings' | 'columns' | 'first-steps' | 'template-when-used';

/** The keys of localStorage: the member's, and the older ones of the whole account and of the browser. */
function keysOf(name: Kept): readonly [string, ...string[]] {
  const { id = 0, member } = useSession.getState().current_user ?? {};
  const older = [`kaitaku-${name}-${id}`, `kaitaku-${name}`] as const;
  return member === undefined ? older : [`${older[0]}-${member.id}`, ...older];
}

/** Returns what the browser keeps for the member who is logged in; null: nothing, or it has no storage. */
export function readKept(name: Kept): string | null {
  try {
    const [key, ...older] = keysOf(name);
    const kept = localStorage.getItem(key);
    const old = kept === null ? older.find((olderKey) => localStorage.getItem(olderKey) !== null) : undefined;
    if (old === undefined) return kept;
    // The first member who comes takes it over: colleagues on one browser share nothing.
    const value = localStorage.getItem(old) ?? '';
    localStorage.setItem(key, value);
    localStorage.removeItem(old);
    return value;
  } catch {
    return null;
  }
}

/** Keeps a value; without storage it lasts until the page is closed. */
export function keep(name: Kept, value: string): void {
  try {
    localStorage.setItem(keysOf(name)[0], value);
  } catch {
    // The browser has no storage, or none left.
  }
}
