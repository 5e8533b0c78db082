import { useEffect, useEffectEvent, useState } from 'react';
import type { Location } from './location.ts';
import { useLocation, useRouter } from './use-router.ts';

/** A navigation that is held back. */
export interface HeldNavigation {
  /** Does it after all. */
  readonly proceed: () => void;
  /** Drops it. */
  readonly reset: () => void;
}

/** Holds navigations back while `mustHold` says so. Returns the one that is held back, or null. */
export function useBlocker(mustHold: (now: Location, next: Location) => boolean): HeldNavigation | null {
  const router = useRouter();
  const now = useLocation();
  const [held, setHeld] = useState<{ readonly at: Location; readonly proceed: () => void } | null>(null);
  const hold = useEffectEvent((next: Location, proceed: () => void) => {
    if (!mustHold(router.state.location, next)) return false;
    setHeld({ at: router.state.location, proceed });
    return true;
  });
  useEffect(() => router.block((next, proceed) => hold(next, proceed)), [router]);
  // Another navigation, as the end of a session makes it, has overtaken the held one.
  if (held === null || held.at !== now) return null;
  return {
    proceed() {
      setHeld(null);
      held.proceed();
    },
    reset: () => setHeld(null),
  };
}
