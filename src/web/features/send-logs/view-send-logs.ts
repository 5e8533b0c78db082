import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { RunState } from '#domain/sending/delivery-state.ts';
import { type AnswerOf, call, type InputOf } from '#web/lib/api/call.ts';
import { SHOWN_IN_PLACE, unwrap } from '#web/lib/api/query-client.ts';
import { SEND_LOG_LIST } from '#web/lib/api/query-keys.ts';
import { isLive } from '#web/lib/api/run-events.ts';

export type SendLogPage = AnswerOf<'viewSendLogs'>;

const POLL_MS = 3000;
const POLL_WHILE_LIVE_MS = 30_000;

type PageQuery = InputOf<'viewSendLogs'>['query'];
/** The filter of the history. */
export interface RunFilter {
  readonly from?: string;
  readonly to?: string;
  readonly state?: RunState;
  readonly search?: string;
  readonly sender_group_id?: number;
  readonly template_id?: number;
  readonly test_send_mode?: 0 | 1;
}

const fetchPage = async (query: PageQuery, signal: AbortSignal): Promise<SendLogPage> =>
  unwrap(await call('viewSendLogs', { query }, { signal }));

/** Fetches one page of runs, newest first. It polls while one of them is open. */
export const sendLogList = (query: PageQuery) =>
  queryOptions({
    queryKey: [SEND_LOG_LIST, query],
    meta: SHOWN_IN_PLACE,
    queryFn: ({ signal }) => fetchPage(query, signal),
    placeholderData: keepPreviousData,
    staleTime: 0,
    refetchInterval: ({ state }) => {
      if (!state.data?.rows.some(({ finished }) => !finished)) return false;
      return isLive() ? POLL_WHILE_LIVE_MS : POLL_MS;
    },
  });

/** Fetches the newest runs, which include the open ones. Failures are not reported: the user did not ask. */
export const latestRuns = queryOptions({
  queryKey: [SEND_LOG_LIST, 'latest'],
  queryFn: ({ signal }) => fetchPage({ pagenate_num: 1, pagenate_count: 20 }, signal),
  staleTime: 0,
  meta: { quiet: true },
});
