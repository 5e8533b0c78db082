import { useEffect, useState } from 'react';
import { MINUTE_MS } from '#domain/time-units.ts';
import { serverNow } from '#web/lib/server-clock.ts';

const SECOND_MS = 1000;

const thisMinute = (): number => Math.floor(serverNow() / MINUTE_MS) * MINUTE_MS;

/**
 * Returns the server's present minute in epoch milliseconds.
 * It advances while the page is open, and the choices of pickers and their defaults with it.
 */
export function useNow(): number {
  const [now, setNow] = useState(thisMinute);
  useEffect(() => {
    const timer = setInterval(() => setNow(thisMinute()), SECOND_MS);
    return () => clearInterval(timer);
  }, []);
  return now;
}
