import { queryOptions } from '@tanstack/react-query';
import { type AnswerOf, call, type InputOf } from '#web/lib/api/call.ts';
import { SHOWN_IN_PLACE, unwrap } from '#web/lib/api/query-client.ts';
import { ATTACK_LIST } from '#web/lib/api/query-keys.ts';

export type LeftOutQuery = InputOf<'viewLeftOut'>['query'];
/** The settings of the preview that counted the companies. */
export type LeftOutSettings = Omit<LeftOutQuery, 'reason' | 'pagenate_count' | 'pagenate_num'>;

/** Fetches a page of the companies that one reason leaves out. The previous page stays until it has loaded. */
export const leftOutList = (query: LeftOutQuery) =>
  queryOptions({
    queryKey: [ATTACK_LIST, 'left_out', query] as const,
    meta: SHOWN_IN_PLACE,
    queryFn: async ({ signal }): Promise<AnswerOf<'viewLeftOut'>> =>
      unwrap(await call('viewLeftOut', { query }, { signal })),
    staleTime: 0,
    placeholderData: (before) => before,
  });
