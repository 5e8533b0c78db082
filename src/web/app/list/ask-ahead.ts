import { firstSteps } from '#web/features/first-steps/first-steps-query.ts';
import { withOwnColumns } from '#web/features/prospects/column-layout.ts';
import { prospectList } from '#web/features/prospects/view-prospects.ts';
import { senderGroupList } from '#web/features/senders/list-sender-groups.ts';
import { useSenders } from '#web/features/senders/senders-state.ts';
import { chosenOf } from '#web/features/senders/use-current-sender.ts';
import { readList } from '#web/lib/address/params.ts';
import { dropAnswersAhead } from '#web/lib/api/calls-ahead.ts';
import { queryClient } from '#web/lib/api/query-client.ts';
import { usePaging } from '#web/lib/screen/paging-state.ts';
import { useSession } from '#web/lib/session/session-store.ts';
import { prospectsQuery } from './use-list-queries.ts';

/**
 * Loads the first steps; the screen stays hidden until the first answer. The screen shows a failure. Always sends a
 * request, because another screen may have completed a step since the last answer.
 */
export const askForFirstSteps = (): Promise<void> => queryClient.prefetchQuery({ ...firstSteps, staleTime: 0 });

/**
 * Requests the list of an address while the screen is still rendered for the first time.
 * The screen then finds the answer, or waits for the same request.
 */
export async function askForList(search: string): Promise<void> {
  const { current_user } = useSession.getState();
  const params = readList(search);
  if (current_user === null || params.tab !== 'prospects') return dropAnswersAhead();
  try {
    const groups = await queryClient.fetchQuery(senderGroupList(current_user.id));
    const group = chosenOf(groups, useSenders.getState().current_sender_group);
    if (group === undefined) return;
    const { pagenate_count } = usePaging.getState();
    await queryClient.fetchQuery(
      prospectList(withOwnColumns({ ...prospectsQuery(params, group.id, pagenate_count), pagenate_num: params.page })),
    );
  } catch {
    // The screen runs the same query, and shows its failure.
  } finally {
    dropAnswersAhead();
  }
}
