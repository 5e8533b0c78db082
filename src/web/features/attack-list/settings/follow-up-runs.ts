import { queryOptions } from '@tanstack/react-query';
import { type AnswerOf, call, type InputOf } from '#web/lib/api/call.ts';
import { unwrap } from '#web/lib/api/query-client.ts';
import { ATTACK_LIST } from '#web/lib/api/query-keys.ts';

export type FollowUpRun = AnswerOf<'listFollowUpRuns'>['rows'][number];

/** Fetches runs that can be followed up. The screens work without them, so a failure is not reported. */
const runsBy = (query: InputOf<'listFollowUpRuns'>['query'], isEnabled: boolean) =>
  queryOptions({
    queryKey: [ATTACK_LIST, 'follow_up_runs', query] as const,
    queryFn: async ({ signal }): Promise<readonly FollowUpRun[]> => {
      const answer = call('listFollowUpRuns', { query }, { signal });
      return unwrap(await answer).rows;
    },
    enabled: isEnabled,
    meta: { quiet: true },
  });

/** Fetches the runs of a sender group that can be followed up after this many days. */
export const followUpRuns = (sender_group_id: number, days_from_lastday: number) =>
  queryOptions({
    ...runsBy({ sender_group_id, days_from_lastday }, sender_group_id > 0),
    // Keeps the field in place while the interval is typed.
    placeholderData: (runs, before) => (before?.queryKey[2].sender_group_id === sender_group_id ? runs : undefined),
  });

/** Fetches one run if it can be followed up, regardless of its age. @param isPossible false: send no request */
export const followUpRun = (send_log_id: number, isPossible: boolean) =>
  runsBy({ send_log_id, days_from_lastday: 0 }, isPossible);
