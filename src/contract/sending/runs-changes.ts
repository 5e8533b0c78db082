import { z } from 'zod';
import { GIVE_BACK_SECONDS } from '#domain/limits.ts';
import { call } from '../call.ts';
import { skippedTarget } from '../companies/attack-list.ts';
import { id, idInPath, int4 } from '../wire.ts';

/** Changes of runs, and of mails that failed or are unknown. */

const updated = z.object({ status: z.literal('updated').describe('変更しました。') });
const ofRun = z.object({ id: idInPath.describe('送信ログのidです。') });

export const steerRun = call({
  method: 'PUT',
  path: '/send_log/:id',
  audience: 'integrator',
  summary: '送信を一時停止・再開・中止する',
  description: `\`state\` に \`paused\`（一時停止）、\`sending\`（再開）、\`cancelled\`（中止。1通も送っていなければ取り消し）のどれかを指定します。

- 一時停止と中止の応答のあとに、この送信のメールの送信が始まることはありません。すでに本文を送り始めたメールは、最後まで送ります。
- 中止すると、まだ送っていないメールは \`cancelled\` になります。一度 \`unknown\` になって送り直しを待っていたメールは、\`unknown\` に戻ります。
- 同じ操作を2回しても \`updated\` を返します。
- 予約を画面で「今すぐ送信」した送信を、1通も送らないうちに中止すると、予約は元の日時に戻り、\`reservation\` でそれを返します。
- \`starts_at\` まではメールを送りません。一時停止していて再開しても、\`starts_at\` より前には送りません。`,
  errors: ['not_in_group', 'run_finished'],
  params: ofRun,
  body: z.strictObject({
    update_info: z
      .strictObject({
        state: z
          .enum(['paused', 'sending', 'cancelled'])
          .meta({ description: '一時停止、再開、中止のどれかです。', examples: ['paused'] }),
      })
      .describe('変更する項目です。'),
  }),
  response: updated.extend({
    cancelled: z
      .int()
      .optional()
      .meta({ description: '`cancelled` を指定したとき、送らずに取り消したメールの件数です。', examples: [97] }),
    left: z
      .int()
      .optional()
      .meta({
        description: '`cancelled` を指定したとき、すでに送ったか、送っている途中のメールの件数です。',
        examples: [3],
      }),
    reservation: z
      .enum(['restored', 'missed', 'taken'])
      .optional()
      .meta({
        description:
          '予約を今すぐ送信して、1通も送らないうちに中止したとき、予約がどうなったかです。`restored` は元の日時に予約中です。' +
          `\`missed\` は戻りましたが、元の日時が過ぎているか${GIVE_BACK_SECONDS}秒以内のため、または復元の確認が済んでいないため、このままでは送信されません。` +
          '`taken` は、元の日時に同じ送信者の予約がほかにあるため、戻りません。ほかの中止では、ありません。',
        examples: ['restored'],
      }),
    reservation_id: id.optional().describe('戻った予約のidです。`taken` では、元の日時にあるほかの予約のidです。'),
    reserved_for: z
      .string()
      .optional()
      .meta({ description: '元の予約日時（`YYYY/MM/DD HH:mm:ss`）です。', examples: ['2026/12/01 11:00:00'] }),
    reserved_elsewhere: z
      .int()
      .optional()
      .meta({ description: 'ほかの予約にあるため、戻らなかった会社の数です。', examples: [0] }),
  }),
});

const retried = z.object({
  status: z.enum(['accepted', 'no-added']).describe('受け付けたか、送り直すものがなかったかです。'),
  accepted: z.int().meta({ description: '送り直す件数です。', examples: [1] }),
  skipped: z.array(skippedTarget).meta({ description: '送り直さないものです。', examples: [[]] }),
});

export const retryFailures = call({
  method: 'POST',
  path: '/send_log/:id/retry',
  audience: 'integrator',
  summary: '失敗したメールだけを送り直す',
  description: `\`failed\` のメールを、同じ送信の中でもう一度送ります。ほかのメールは変わりません。宛先は、見込み客に現在登録されているメールアドレスです。テスト送信では、前と同じ宛先です。

- 対象は送信するときと同じ規則で判定し（同じ送信のほかのメールと同じ宛先になったものは \`duplicate\` です）、対象外のものは \`failed\` のまま、理由とともに \`skipped\` で返します。
- 送り直すものがなければ \`no-added\` です。`,
  errors: ['not_in_group', 'open_delivery'],
  params: ofRun,
  response: retried,
});

export const retryDelivery = call({
  method: 'POST',
  path: '/delivery/:id/retry',
  audience: 'integrator',
  summary: '失敗した1通だけを送り直す',
  description: `\`POST /send_log/{id}/retry\` と同じ規則で、1通だけを送り直します。見込み客のメールアドレスを直してから呼び出すと、新しいアドレスに送ります。

- 届かなかったメールの見込み客は、アドレスを変えれば、再送信間隔の間でも送れます。元のアドレスには、再送信間隔が過ぎるまで送れません。
- \`failed\` でないメールでは、何もせずに \`no-added\` を返します。`,
  errors: ['not_in_group', 'open_delivery'],
  params: z.object({ id: idInPath.describe('配信（1通のメール）のidです。') }),
  response: retried,
});

export const decideUnknown = call({
  method: 'PUT',
  path: '/delivery/:id',
  audience: 'integrator',
  summary: '届いたかどうかわからないメールの扱いを決める',
  description: `\`unknown\` のメールを、送信済みとして扱う（\`state\` が \`sent\`）か、もう一度送り（\`queued\`）ます。

- もう一度送るメールは、前と同じ Message-ID です。前のメールが届いていれば、相手には2通届くことがあります。
- \`claim_no\` には、見ていたメールの \`claim_no\` を指定します。そのあとに扱いが決まっていれば、何もせずに 409 を返します。二重の操作で2回送ることはありません。`,
  errors: ['not_in_group', 'not_unknown', 'left_out', 'open_delivery'],
  params: z.object({ id: idInPath.describe('配信（1通のメール）のidです。') }),
  body: z.strictObject({
    update_info: z
      .strictObject({
        state: z
          .enum(['sent', 'queued'])
          .meta({ description: '送信済みとして扱うか、もう一度送るかです。', examples: ['sent'] }),
      })
      .describe('変更する項目です。'),
    claim_no: int4.meta({ description: '扱いを決めるメールの `claim_no` です。', examples: [1] }),
  }),
  response: updated,
});
