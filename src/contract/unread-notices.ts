import { z } from 'zod';
import { call } from './call.ts';

export const unreadCount = z.object({
  unread: z.int().meta({ description: '未読の通知の数です。', examples: [3] }),
});

export const countUnreadNotices = call({
  method: 'GET',
  path: '/notice/unread',
  summary: '自分への未読の通知の数',
  description: '変わるたびに受け取るには、`GET /send_log/events` の `notices` を使います。',
  response: unreadCount,
});
