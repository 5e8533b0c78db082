import type { ProspectQuery } from '#web/features/prospects/view-prospects.ts';
import { senderGroupPath } from '#web/features/senders/list-sender-groups.ts';
import { pathOf } from '#web/lib/call.ts';
import { rememberListCalls } from '#web/lib/calls-ahead.ts';
import { useSession } from '#web/lib/session-store.ts';

/** Remembers the calls of the list that is shown, for the next load of its address. */
export function rememberCalls(search: string, query: ProspectQuery): void {
  const { current_user } = useSession.getState();
  if (current_user === null) return;
  rememberListCalls(search, [
    pathOf('getFirstSteps', {}),
    senderGroupPath(current_user.id),
    pathOf('viewProspects', { query }),
  ]);
}
