import { queryOptions } from '@tanstack/react-query';
import type { Run } from '#contract/sending/runs.ts';
import { call } from '../api/call.ts';
import { unwrap } from '../api/query-client.ts';
import { SEND_LOG } from '../api/query-keys.ts';
import { isLive } from '../api/run-events.ts';

const POLL_MS = 1000;
const SLOW_POLL_MS = 10_000;

/** Whether to poll seldom: with the stream, or in a hidden tab, as tabs share the account's request limit. */
const pollsSlowly = (): boolean => isLive() || document.visibilityState === 'hidden';

/**
 * Fetches a run every second until its end.
 * Polls seldom while the server streams changes (run-events.ts).
 */
export const sendLog = (id: number) =>
  queryOptions({
    queryKey: [SEND_LOG, id],
    queryFn: async ({ signal }): Promise<Run> =>
      unwrap(await call('getSendLog', { params: { id: String(id) } }, { signal })),
    refetchInterval: ({ state }) => (state.data?.finished ? false : pollsSlowly() ? SLOW_POLL_MS : POLL_MS),
    refetchIntervalInBackground: true,
    staleTime: 0,
    // The run continues without the client, so a lost connection is not reported.
    retry: false,
    meta: { quiet: true },
  });
