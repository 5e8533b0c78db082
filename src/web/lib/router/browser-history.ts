import { hrefOf, type Location } from './location.ts';

/** The history entries for the back button. */
export interface History {
  readonly location: Location;
  push(location: Location): void;
  replace(location: Location): void;
  /** Moves by this number of entries. Listeners are called later. */
  go(delta: number): void;
  /** Calls `onMove` after each move. delta: the number of entries; null: unknown. @returns a function that ends it */
  listen(onMove: (delta: number | null) => void): () => void;
}

/** The state stored in a history entry: its key, and its index in this tab. */
interface Stored {
  readonly key: string;
  readonly idx: number;
}

const storedNow = (): Partial<Stored> => (window.history.state as Stored | null) ?? {};

/** Returns the history of the browser tab. */
export function browserHistory(): History {
  const { history } = window;
  if (storedNow().idx === undefined) history.replaceState({ ...storedNow(), idx: 0 }, '');
  let place = storedNow().idx ?? 0;
  const stored = (key: string): Stored => ({ key, idx: place });
  return {
    get location() {
      const { pathname, search, hash } = window.location;
      return { pathname, search, hash, key: storedNow().key ?? 'default' };
    },
    push(location) {
      place += 1;
      history.pushState(stored(location.key), '', hrefOf(location));
    },
    replace: (location) => history.replaceState(stored(location.key), '', hrefOf(location)),
    go: (delta) => history.go(delta),
    listen(onMove) {
      const onPop = () => {
        const { idx } = storedNow();
        // A link to a fragment of the page adds an entry without this state.
        const delta = idx === undefined ? null : idx - place;
        place = idx ?? place;
        onMove(delta);
      };
      window.addEventListener('popstate', onPop);
      return () => window.removeEventListener('popstate', onPop);
    },
  };
}
