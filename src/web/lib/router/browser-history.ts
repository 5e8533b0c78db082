import { hrefOf, type Location } from './location.ts';

/** The entries that the back button walks through. */
export interface History {
  readonly location: Location;
  push(location: Location): void;
  replace(location: Location): void;
  /** Moves by so many entries. Listeners hear of it later. */
  go(delta: number): void;
  /** Calls `onMove` after each move; delta: by so many entries, null: not known. Returns the end of it. */
  listen(onMove: (delta: number | null) => void): () => void;
}

/** What we store with an entry: its key, and its place among those of this tab. */
interface Stored {
  readonly key: string;
  readonly idx: number;
}

const storedNow = (): Partial<Stored> => (window.history.state as Stored | null) ?? {};

/** Returns the history of the browser's tab. */
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
        // A link to a place within the page makes an entry that is not ours.
        const delta = idx === undefined ? null : idx - place;
        place = idx ?? place;
        onMove(delta);
      };
      window.addEventListener('popstate', onPop);
      return () => window.removeEventListener('popstate', onPop);
    },
  };
}
