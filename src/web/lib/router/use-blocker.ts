import { useEffect, useEffectEvent, useState } from 'react';
import type { Location } from './location.ts';
import { useLocation, useRouter } from './use-router.ts';

/** A blocked navigation. */
export interface HeldNavigation {
  /** Navigates after all. */
  readonly proceed: () => void;
  /** Cancels the navigation. */
  readonly reset: () => void;
}

/** Blocks navigations while `mustHold` returns true. Returns the blocked one, or null. */
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
  // Another navigation, such as at the end of a session, has superseded the blocked one.
  if (held === null || held.at !== now) return null;
  return {
    proceed() {
      setHeld(null);
      held.proceed();
    },
    reset: () => setHeld(null),
  };
}
