import { useEffect, useState } from 'react';

const DELAY_MS = 300;

/** Returns the value once it has not changed for `delay` ms. */
export function useDebounced<T extends string | number>(value: T, delay: number = DELAY_MS): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), delay);
    return () => clearTimeout(timer);
  }, [value, delay]);
  return settled;
}
