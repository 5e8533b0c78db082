import { useEffect, useState } from 'react';

const DELAY_MS = 300;

/** The value once it has rested for a moment. */
export function useDebounced<T extends string | number>(value: T): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), DELAY_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
