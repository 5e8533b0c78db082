import { useEffect } from 'react';
import { showError } from '../api/query-client.ts';

/** Tells by a toast why a query with `SHOWN_IN_PLACE` has no data, on a screen that goes on without them. */
export function useToldError({ data, error }: { readonly data: unknown; readonly error: Error | null }): void {
  const untold = data === undefined ? error : null;
  useEffect(() => {
    if (untold !== null) showError(untold, false);
  }, [untold]);
}
