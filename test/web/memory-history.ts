import type { History } from '#web/lib/router/browser-history.ts';
import { addressOf, type Location } from '#web/lib/router/location.ts';

/** Returns a history that starts at an address, and reports its moves later, as a browser does. */
export function memoryHistory(address: string): History {
  const entries: Location[] = [{ ...addressOf(address), key: 'default' }];
  const listeners = new Set<(delta: number | null) => void>();
  let place = 0;
  return {
    get location() {
      return entries[place] as Location;
    },
    push(location) {
      place += 1;
      entries.splice(place, entries.length, location);
    },
    replace(location) {
      entries[place] = location;
    },
    go(delta) {
      queueMicrotask(() => {
        // Beyond its ends it opens the last entry again, like a user who returns to the client.
        place = Math.min(Math.max(place + delta, 0), entries.length - 1);
        for (const onMove of listeners) onMove(delta);
      });
    },
    listen(onMove) {
      listeners.add(onMove);
      return () => void listeners.delete(onMove);
    },
  };
}
