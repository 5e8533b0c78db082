import { useEffect, useEffectEvent } from 'react';
import { type HeldNavigation, useBlocker } from '../router/use-blocker.ts';
import { useSession } from '../session/session-store.ts';

/**
 * Blocks a change of the screen while `mustAsk`, and lets the browser ask when the page closes.
 * The end of a session changes the screen without asking: the next login restores the draft.
 *
 * @param mustAsk gets whether the path changes, and not only the query
 * @returns the navigation to ask about in a dialog, or null
 */
export function useLeaveBlocker(mustAsk: (isOtherPath: boolean) => boolean): HeldNavigation | null {
  const askAtUnload = useEffectEvent((event: BeforeUnloadEvent) => {
    if (mustAsk(true)) event.preventDefault();
  });
  useEffect(() => {
    const ask = (event: BeforeUnloadEvent) => askAtUnload(event);
    window.addEventListener('beforeunload', ask);
    return () => window.removeEventListener('beforeunload', ask);
  }, []);
  return useBlocker((now, next) => mustAsk(now.pathname !== next.pathname) && useSession.getState().token !== null);
}
