import { followOwnRun, followUndoableRun } from '#web/features/send-logs/followed/followed-runs-state.ts';
import { queryClient } from '#web/lib/api/query-client.ts';
import { sendLog } from '#web/lib/data/send-log.ts';

/** Shows an accepted run. If it can be undone, it first loads the counts, so that its line is complete at once. */
export async function followAccepted(id: number, startsAt?: string): Promise<void> {
  if (startsAt === undefined) return followOwnRun(id);
  await queryClient.prefetchQuery(sendLog(id));
  followUndoableRun(id);
}
