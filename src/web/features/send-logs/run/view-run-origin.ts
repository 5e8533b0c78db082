import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { Run } from '#contract/sending/runs.ts';
import { type AnswerOf, call } from '#web/lib/api/call.ts';
import { unwrap } from '#web/lib/api/query-client.ts';
import { SEND_LOG } from '#web/lib/api/query-keys.ts';

export type RunOrigin = AnswerOf<'viewRunOrigin'>;

/** Fetches who sent a run, to which list, and what was left out. The screen works without it. */
export const runOrigin = ({ id, cancelled }: Pick<Run, 'id' | 'cancelled'>) =>
  queryOptions({
    queryKey: [SEND_LOG, id, 'origin', cancelled],
    queryFn: async ({ signal }): Promise<RunOrigin> => {
      const params = { id: String(id) };
      return unwrap(await call('viewRunOrigin', { params }, { signal }));
    },
    placeholderData: keepPreviousData,
    meta: { quiet: true },
  });
