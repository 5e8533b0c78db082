import { queryOptions } from '@tanstack/react-query';
import { type AnswerOf, call, type InputOf } from '#web/lib/call.ts';
import { unwrap } from '#web/lib/query-client.ts';
import { ATTACK_LIST } from '#web/lib/query-keys.ts';

export type LeftOutQuery = InputOf<'viewLeftOut'>['query'];
/** The settings of the preview that counted the companies. */
export type LeftOutSettings = Omit<LeftOutQuery, 'reason' | 'pagenate_count' | 'pagenate_num'>;

/** A page of the companies behind one reason. The previous page stays on screen until it has loaded. */
export const leftOutList = (query: LeftOutQuery) =>
  queryOptions({
    queryKey: [ATTACK_LIST, 'left_out', query] as const,
    queryFn: async ({ signal }): Promise<AnswerOf<'viewLeftOut'>> =>
      unwrap(await call('viewLeftOut', { query }, { signal })),
    staleTime: 0,
    placeholderData: (before) => before,
  });
