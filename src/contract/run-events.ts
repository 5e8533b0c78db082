import { z } from 'zod';
import { MAX_STREAMS } from '#domain/limits.ts';
import { call } from './call.ts';
import { run } from './sending.ts';
import { unreadCount } from './unread-notices.ts';

/** Streams until the client disconnects. */
export const followSendLogs = call({
  method: 'GET',
  path: '/send_log/events',
  summary: '送信の進み具合を、変わるたびに受け取る（Server-Sent Events）',
  description: `応答は \`text/event-stream\` で、閉じるまで続きます。\`event: run\` の \`data\` に、\
\`GET /send_log/{id}\` と同じJSONが1行で入ります。\`event: notices\` の \`data\` は、自分への未読の通知の数（\`{"unread":3}\`）です。

- 最初に、終わっていない送信すべてと、未読の通知の数を送ります。そのあとは、変わった送信と新しい送信を、1秒ほどで送ります。
- 15秒ごとに、コメントの行（\`:\`）を送ります。ログアウトするか、ログインの有効期限が切れると、応答は終わります。
- axios では受け取れません。ブラウザーでは \`fetch\` の \`response.body\` を読んでください。受け取れないときは、\`GET /send_log/{id}\` をくり返し呼び出してください。`,
  errors: { too_many_streams: { status: 429, when: `同じアカウントで${MAX_STREAMS}本より多く開いたとき` } },
  response: z.union([run, unreadCount]),
  isStream: true,
});
