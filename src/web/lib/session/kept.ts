import { useSession } from './session-store.ts';

/** What a browser stores for a member after the end of the session. None of it names a person. */
type Kept = 'attack-settings' | 'columns' | 'first-steps' | 'send-to' | 'template-when-used';

/** Returns the keys of localStorage: the member's, then the older ones of the account and of the browser. */
function keysOf(name: Kept): readonly [string, ...string[]] {
  const { id = 0, member } = useSession.getState().current_user ?? {};
  const older = [`kaitaku-${name}-${id}`, `kaitaku-${name}`] as const;
  return member === undefined ? older : [`${older[0]}-${member.id}`, ...older];
}

/** Returns the value that the browser stores for the logged-in member; null: none, or no storage. */
export function readKept(name: Kept): string | null {
  try {
    const [key, ...older] = keysOf(name);
    const kept = localStorage.getItem(key);
    const old = kept === null ? older.find((olderKey) => localStorage.getItem(olderKey) !== null) : undefined;
    if (old === undefined) return kept;
    // Colleagues on one browser share nothing: the first member to log in takes over the old value.
    const value = localStorage.getItem(old) ?? '';
    localStorage.setItem(key, value);
    localStorage.removeItem(old);
    return value;
  } catch {
    return null;
  }
}

/** Stores a value. Without storage it lasts until the page closes. */
export function keep(name: Kept, value: string): void {
  try {
    localStorage.setItem(keysOf(name)[0], value);
  } catch {
    // The browser has no storage, or it is full.
  }
}
