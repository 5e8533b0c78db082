import { useEffect, useEffectEvent, useRef } from 'react';
import type { Location } from '#web/lib/router/location.ts';

const tabs = () => import('#web/lib/session/tab-sessions.ts');

/**
 * Takes over the session of another tab while the visitor has typed nothing.
 *
 * @param location that of the log-in, which asks whenever it comes into sight, or never (`askToReturn`)
 * @returns a function to call when the visitor types
 */
export function useTabSession(location: Location, onTaken: () => void): () => void {
  const isTouched = useRef(false);
  const taken = useEffectEvent(onTaken);
  useEffect(() => {
    let isOpen = true;
    let stop = (): void => undefined;
    const isFree = () => isOpen && !isTouched.current;
    async function start(): Promise<void> {
      const { askToReturn, followOffers, stopAsking } = await tabs();
      if (!isOpen) return;
      const stopFollowing = followOffers((offer) => {
        // A refused session would lead back here.
        if (offer === null || !isFree()) return;
        void offer.isAlive().then((isAlive) => isAlive && isFree() && offer.take() && taken());
      });
      const ask = () => {
        if (isFree() && document.visibilityState === 'visible') askToReturn(location);
      };
      ask();
      document.addEventListener('visibilitychange', ask);
      stop = () => {
        stopFollowing();
        stopAsking();
        document.removeEventListener('visibilitychange', ask);
      };
    }
    // Without that part this tab has its own log-in.
    start().catch(() => undefined);
    return () => {
      isOpen = false;
      stop();
    };
  }, [location]);
  return () => {
    isTouched.current = true;
  };
}
