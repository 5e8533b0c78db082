import type { QueryClient } from '@tanstack/react-query';
import { call } from '#web/lib/api/call.ts';
import { NOTICE_LIST, UNREAD_NOTICES } from '#web/lib/api/query-keys.ts';
import type { Notice } from './notice-query.ts';
import { forgetToldEnd } from './told-ends-state.ts';

/** Enough for what comes within a minute. */
const NEWEST = 10;

export const reloadNotices = (client: QueryClient): Promise<unknown> =>
  Promise.all([UNREAD_NOTICES, NOTICE_LIST].map((key) => client.invalidateQueries({ queryKey: [key] })));

export const readNotice = (id: number) =>
  call('updateNotice', { params: { id: String(id) }, body: { update_info: { is_read: 1 } } });

/**
 * Marks the notices as read that tell only of an end which a toast of this tab has told.
 * A failure leaves them unread.
 */
export async function readToldEnds(client: QueryClient, told: readonly number[]): Promise<void> {
  const query = { limit: NEWEST, where_info: { is_read: 0 as const }, columns: ['id', 'kind', 'count', 'subjects'] };
  const answer = await call('listNotices', { query });
  if (!answer.ok) return;
  for (const { id, kind, count, subjects } of answer.data as Notice[]) {
    const found = subjects.filter((subject) => kind === 'run_ended' && told.includes(subject.id));
    for (const run of found) forgetToldEnd(run.id);
    if (found.length > 0 && count === 1 && (await readNotice(id)).ok) await reloadNotices(client);
  }
}
