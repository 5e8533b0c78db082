import { queryOptions } from '@tanstack/react-query';
import type { getSendLog, Run } from '#contract/sending.ts';
import { callApi } from './api-client.ts';
import { unwrap } from './query-client.ts';
import { SEND_LOG } from './query-keys.ts';
import { isLive } from './run-events.ts';

const POLL_MS = 1000;
const SLOW_POLL_MS = 10_000;

/** A tab out of sight polls seldom: all tabs of an account share its requests a minute. */
const pollsSlowly = (): boolean => isLive() || document.visibilityState === 'hidden';

/** How far a run is: polled every second until its end, seldom where the server tells by itself (run-events.ts). */
export const sendLog = (id: number) =>
  queryOptions({
    queryKey: [SEND_LOG, id],
    queryFn: async ({ signal }): Promise<Run> =>
      unwrap(await callApi<typeof getSendLog>('GET', '/send_log/:id', { params: { id: String(id) } }, { signal })),
    refetchInterval: ({ state }) => (state.data?.finished ? false : pollsSlowly() ? SLOW_POLL_MS : POLL_MS),
    refetchIntervalInBackground: true,
    staleTime: 0,
    // The work goes on without us: a lost connection is no news, only a run that is not there.
    retry: false,
    meta: { quiet: true },
  });
