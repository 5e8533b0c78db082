import { z } from 'zod';
import { call } from '../call.ts';

/** The most events of one request. SendGrid sends some thousand at most (768 kB). */
const MAX_EVENTS = 10_000;

/**
 * A text, or undefined for a value of another type. That is ignored, not refused, so that SendGrid does not repeat the
 * whole request.
 */
const optionalText = (description: string, example: string) =>
  z
    .string()
    .optional()
    .catch(undefined)
    .meta({ description, examples: [example] });

const event = z
  .looseObject({
    event: optionalText('何が起きたかです。', 'delivered'),
    email: optionalText('宛先です。', 'info@midori.example.jp'),
    timestamp: z
      .number()
      .optional()
      .catch(undefined)
      .meta({ description: '起きた時刻（UNIX時間、秒）です。', examples: [1_795_230_000] }),
    kaitaku: optionalText(
      'どのメールのことかです。送るときに `custom_args` として渡したものです。',
      '1.1.1.8c1f0d52-6f0e-4c58',
    ),
    type: optionalText('`bounce` のとき、`bounce`（宛先に届かない）か `blocked`（今回は拒否された）かです。', 'bounce'),
    status: optionalText('相手のサーバーの拡張ステータスコードです。', '5.1.1'),
    reason: optionalText('`bounce` と `dropped` の理由です。', '550 5.1.1 The email account does not exist'),
    response: optionalText('`delivered` と `deferred` のときの、相手のサーバーの応答です。', '250 OK'),
  })
  .meta({ schemaName: 'SendGridEvent' });
export type SendGridEvent = z.output<typeof event>;

/** Receives signed events from SendGrid. The web client does not call it. */
export const takeSendGridEvents = call({
  method: 'POST',
  path: '/sendgrid/events',
  audience: 'integrator',
  auth: 'signature',
  summary: 'SendGridの Event Webhook を受け取る',
  description: `SendGridの Signed Event Webhook の送り先です。トークンは要らず、署名（\`SENDGRID_WEBHOOK_PUBLIC_KEY\` で検証します）のないものは受け付けません。

- \`processed\`、\`deferred\`、\`delivered\`: SendGridがメールを受け取っています。「不明」のメールは「送信済み」になります。\`delivered\` では、\
相手のサーバーが受け取った日時も残します。
- \`bounce\`、\`dropped\`: 「失敗」になります。宛先そのものが理由なら、その宛先にはもう送りません。
- \`spamreport\`、\`unsubscribe\`、\`group_unsubscribe\`: その宛先にはもう送りません。
- ほかのイベント、ほかで送ったメールのイベント、同じイベントの2回目は、何も変えません。`,
  errors: ['invalid_signature', ['not_found', 'SENDGRID_WEBHOOK_PUBLIC_KEY が設定されていないとき']],
  headers: z.object({
    'x-twilio-email-event-webhook-signature': z
      .string()
      .max(500)
      .optional()
      .meta({ description: '署名（ECDSA、base64）です。', examples: ['MEUCIQ…'] }),
    'x-twilio-email-event-webhook-timestamp': z
      .string()
      .max(20)
      .optional()
      .meta({ description: '署名した時刻（UNIX時間、秒）です。', examples: ['1795230000'] }),
  }),
  largeBody: true,
  body: z.array(event).max(MAX_EVENTS).describe('イベントです。'),
  response: z.object({ status: z.literal('accepted').describe('受け取りました。') }),
});
