import { useBeforeUnload, useBlocker } from 'react-router';
import { useSession } from './session-store.ts';

/**
 * Holds a change of the screen back while `mustAsk`, and lets the browser ask when the page closes.
 * The end of a session changes the screen without asking: the next login restores the draft.
 *
 * @param mustAsk gets whether the path changes, and not the query alone
 * @returns the router's blocker: while its state is `blocked`, a dialog asks
 */
export function useLeaveBlocker(mustAsk: (isOtherPath: boolean) => boolean) {
  useBeforeUnload((event) => {
    if (mustAsk(true)) event.preventDefault();
  });
  return useBlocker(
    ({ currentLocation, nextLocation }) =>
      mustAsk(currentLocation.pathname !== nextLocation.pathname) && useSession.getState().token !== null,
  );
}
