import { useEffect, useState } from 'react';
import { serverNow } from '#web/lib/server-clock.ts';

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;

const thisMinute = (): number => Math.floor(serverNow() / MINUTE_MS) * MINUTE_MS;

/** The minute it is at the server, epoch milliseconds: what a picker offers and a default proposes goes on while the page stays open. */
export function useNow(): number {
  const [now, setNow] = useState(thisMinute);
  useEffect(() => {
    const timer = setInterval(() => setNow(thisMinute()), SECOND_MS);
    return () => clearInterval(timer);
  }, []);
  return now;
}
