import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { CallAnswer } from '#contract/call.ts';
import type { viewSendLogs } from '#contract/send-history.ts';
import { callApi } from '#web/lib/api-client.ts';
import { unwrap } from '#web/lib/query-client.ts';
import { SEND_LOG_LIST } from '#web/lib/query-keys.ts';
import { isLive } from '#web/lib/run-events.ts';

export type SendLogPage = CallAnswer<typeof viewSendLogs>;

const POLL_MS = 3000;
const POLL_WHILE_TOLD_MS = 30_000;

/** A page of runs, the newest first; asked for again while one of them goes on. */
export const sendLogList = (pagenate_num: number, pagenate_count: number) =>
  queryOptions({
    queryKey: [SEND_LOG_LIST, { pagenate_num, pagenate_count }],
    queryFn: async ({ signal }): Promise<SendLogPage> => {
      const query = { pagenate_num, pagenate_count };
      return unwrap(await callApi<typeof viewSendLogs>('GET', '/send_log/view', { query }, { signal }));
    },
    placeholderData: keepPreviousData,
    staleTime: 0,
    refetchInterval: ({ state }) => {
      if (!state.data?.rows.some(({ finished }) => !finished)) return false;
      return isLive() ? POLL_WHILE_TOLD_MS : POLL_MS;
    },
  });
