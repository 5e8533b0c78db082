import type { History } from './browser-history.ts';
import { addressOf, type Location } from './location.ts';
import { type Match, matchRoute, type Route, type Screen, type Surround } from './routes.ts';

/** What is on screen. */
export interface RouterState extends Match {
  readonly location: Location;
  /** null: the first screen is loading, or could not be loaded. */
  readonly screen: Screen | null;
  readonly surround: Surround | null;
  /** Why the screen could not be loaded. */
  readonly error?: unknown;
}

/** Blocks a navigation if it returns true. `proceed` then navigates without asking again. */
export type Blocker = (next: Location, proceed: () => void) => boolean;

export interface Router {
  readonly state: RouterState;
  /** Navigates to an address. Resolves once it is shown, blocked, or superseded by another navigation. */
  navigate(to: string, options?: { readonly replace?: boolean | undefined }): Promise<void>;
  /** Goes back to the entry before, as the browser's back button does. */
  back(): void;
  /** Calls `onChange` now and after each navigation. @returns a function that ends it */
  subscribe(onChange: (state: RouterState) => void): () => void;
  /** Adds a blocker. The last blocker that blocks a navigation wins. @returns a function that removes it */
  block(blocker: Blocker): () => void;
  /** Stops listening to the history. */
  stop(): void;
}

/** How to change the history; null: the browser has moved already. */
type Write = 'push' | 'replace' | null;

/** Returns the key of a new entry of the history. It need not be unguessable. */
const newKey = (): string => Math.random().toString(36).slice(2, 10);

/**
 * Returns a router that shows the history's address and loads its screen.
 * The previous screen and address stay until the next screen has loaded; only the back button moves the address at
 * once. A navigation within a route loads nothing, and is complete when `navigate` returns.
 */
export function createRouter(routes: readonly Route[], history: History): Router {
  const listeners = new Set<(state: RouterState) => void>();
  const blockers = new Set<Blocker>();
  const partsOf = partLoader();
  /** History moves by this router that the browser has not reported yet. */
  const ownMoves: ('undo' | 'allowed')[] = [];
  let opened = 0;
  let state = waitingAt(history.location, routes);

  async function open(location: Location, write: Write): Promise<void> {
    opened += 1;
    const mine = opened;
    const match = matchRoute(routes, location.pathname);
    const instead = insteadOf(match.route, location);
    if (instead !== null) return open(instead, 'replace');
    if (match.route === state.route && state.screen !== null) return show({ ...state, ...match, location }, write);
    if (state.screen === null && write === 'replace') {
      // Nothing is shown yet, so there is no previous address to keep.
      history.replace(location);
      state = waitingAt(location, routes);
    }
    const parts = await partsOf(match.route);
    if (mine !== opened) return;
    // The session may have ended while the screen loaded.
    const late = insteadOf(match.route, location);
    if (late !== null) return open(late, 'replace');
    parts.screen?.onOpen?.(location);
    show({ ...match, ...parts, location }, write);
  }

  function show(next: RouterState, write: Write): void {
    if (write !== null) history[write](next.location);
    state = next;
    for (const onChange of listeners) onChange(state);
  }

  /** Follows a history move, or undoes it. delta: the number of entries; null: unknown. */
  function follow(delta: number | null): void {
    const move = ownMoves.shift();
    if (move === 'undo') return;
    if (move === undefined && delta !== null && delta !== 0) {
      const repeat = () => {
        ownMoves.push('allowed');
        history.go(delta);
      };
      if (isHeld(blockers, history.location, repeat)) {
        ownMoves.push('undo');
        history.go(-delta);
        return;
      }
    }
    void open(history.location, null);
  }

  const stop = history.listen(follow);
  void open(state.location, null);

  return {
    get state() {
      return state;
    },
    async navigate(to, { replace = false } = {}) {
      const next = entryOf(to);
      const proceed = () => open(next, replace ? 'replace' : 'push');
      if (!isHeld(blockers, next, () => void proceed())) await proceed();
    },
    back: () => history.go(-1),
    subscribe(onChange) {
      listeners.add(onChange);
      onChange(state);
      return () => void listeners.delete(onChange);
    },
    block(blocker) {
      blockers.add(blocker);
      return () => void blockers.delete(blocker);
    },
    stop,
  };
}

/** Whether a blocker blocks a navigation. */
const isHeld = (blockers: ReadonlySet<Blocker>, next: Location, proceed: () => void): boolean =>
  [...blockers].toReversed().some((blocker) => blocker(next, proceed));

/** Returns a new entry of the history. */
const entryOf = (to: string): Location => ({ ...addressOf(to), key: newKey() });

/** Returns what a route's guard shows instead of an address, or null. */
function insteadOf({ guard }: Route, location: Location): Location | null {
  const to = guard?.(location) ?? null;
  return to === null ? null : entryOf(to);
}

const waitingAt = (location: Location, routes: readonly Route[]): RouterState => ({
  ...matchRoute(routes, location.pathname),
  location,
  screen: null,
  surround: null,
});

type Parts = Pick<RouterState, 'screen' | 'surround' | 'error'>;

/** Returns a function that loads the files of a route, and retries failed ones the next time. */
function partLoader(): (route: Route) => Promise<Parts> {
  const loaded = new Map<unknown, Screen | Surround>();

  async function load<T extends Screen | Surround>(part: () => Promise<T>): Promise<T> {
    const known = loaded.get(part) ?? (await part());
    loaded.set(part, known);
    return known as T;
  }

  return async ({ screen, surround }) => {
    try {
      const parts = await Promise.all([load(screen), surround ? load(surround) : null]);
      return { screen: parts[0], surround: parts[1] };
    } catch (error) {
      return { screen: null, surround: null, error };
    }
  };
}
