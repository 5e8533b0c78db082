import { queryOptions } from '@tanstack/react-query';
import { type AnswerOf, call, type InputOf } from '#web/lib/call.ts';
import { unwrap } from '#web/lib/query-client.ts';
import { ATTACK_LIST } from '#web/lib/query-keys.ts';

export type PreviewQuery = InputOf<'previewAttackList'>['query'];
export type Preview = AnswerOf<'previewAttackList'>;

/** The companies that would get mail with these settings. It is never served from the cache. */
export const attackListPreview = (query: PreviewQuery) =>
  queryOptions({
    queryKey: [ATTACK_LIST, query] as const,
    queryFn: async ({ signal }): Promise<Preview> => unwrap(await call('previewAttackList', { query }, { signal })),
    staleTime: 0,
    placeholderData: (before, beforeQuery) =>
      beforeQuery?.queryKey[1].sender_group_id === query.sender_group_id ? before : undefined,
  });
