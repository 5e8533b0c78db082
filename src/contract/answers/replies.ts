import { z } from 'zod';
import { MAX_FOLDED_ANSWERS, MAX_OPEN_ANSWERS, REPLY_KINDS } from '#domain/mail/reply.ts';
import { call } from '../call.ts';
import { paging } from '../list.ts';
import { emailText, flag, id, idempotencyHeaders, idInPath, idInQuery, memberName, text } from '../wire.ts';

/** Replies to mails: received ones, and those that a member entered. */

const kind = z
  .enum(REPLY_KINDS)
  .describe('`reply` は返信、`auto_reply` は不在などの自動返信、`manual` は手動の記録です。');

const reply = z
  .object({
    id: id.describe('返信のidです。'),
    prospect_id: id.describe('見込み客のidです。'),
    company_name: z.string().meta({ description: '会社名です。', examples: ['株式会社みどり製作所'] }),
    kind,
    from_address: z.string().meta({
      description: '返信した人のメールアドレスです。手動では空です。',
      examples: ['midorikawa@midori.example.jp'],
    }),
    subject: z
      .string()
      .meta({ description: '件名です。手動では空です。', examples: ['Re: 受発注業務の効率化のご提案'] }),
    excerpt: z.string().meta({
      description: '本文のはじめ（引用の前、500文字まで）です。手動ではメモです。',
      examples: ['資料を送っていただけますか。'],
    }),
    is_refusal: flag.meta({
      description: '本文に配信停止の希望があり、メールの宛先を配信停止に登録したなら1です。',
      examples: [0],
    }),
    is_doubtful: flag.meta({
      description:
        '配信停止を求めている可能性のある返信なら1です。`refused` か `handled` を指定するまで、会社にも、メールの宛先のアドレスにも送りません。',
      examples: [0],
    }),
    is_unclear: flag.meta({
      description:
        '件名と差出人だけで、こちらのメールへの返信とみなしたものなら1です。本文は保存していません。`is_doubtful` と同じように、対応するまで送りません。',
      examples: [0],
    }),
    from_check: z.enum(['checked', 'unchecked', 'refused', 'none']).meta({
      description: `返信した人のアドレスが、だれのものかです。

- \`checked\`: 相手の会社のものと確かめられています。
- \`unchecked\`: ほかの人が名乗ったかもしれません。登録するには、\`refused\` と一緒に \`from_address\` を指定します。
- \`refused\`: 配信停止（本人の希望）に登録済みです。
- \`none\`: アドレスがありません。`,
      examples: ['checked'],
    }),
    from_company: z
      .object({
        id: id.describe('見込み客のidです。'),
        company_name: z.string().meta({ description: '会社名です。', examples: ['株式会社あおぞら商会'] }),
      })
      .nullable()
      .meta({
        description: '確かめられていないアドレスを持つ、ほかの会社です。なければ null です。',
        examples: [null],
      }),
    folded: z
      .int()
      .min(0)
      .max(MAX_FOLDED_ANSWERS)
      .meta({
        description: `同じメールへの、内容を保存していない返信の数です。${MAX_FOLDED_ANSWERS}は、それ以上のこともあります。

1通のメールに保存する未対応の返信は${MAX_OPEN_ANSWERS}件までです。それより後は、最後の1件を新しい内容に置き換えます。`,
        examples: [0],
      }),
    at: z.string().meta({ description: '受け取った（記録した）日時です。', examples: ['2026/11/20 12:00:03'] }),
    handled_at: z
      .string()
      .nullable()
      .meta({ description: '対応済みにした日時です。まだなら null です。', examples: [null] }),
    handled_by: memberName,
    noted_by: memberName,
    delivery_id: id
      .nullable()
      .describe('返信されたメールの配信のidです。手動では、その会社に最後に送ったメールです。なければ null です。'),
    send_log_id: id.nullable().describe('その送信ログのidです。`delivery_id` がなければ null です。'),
  })
  .meta({ schemaName: 'Reply' });
export type ReplyRow = z.infer<typeof reply>;

export const viewReplies = call({
  method: 'GET',
  path: '/reply/view',
  audience: 'integrator',
  summary: '返信の1ページ',
  description: `新しい順です。

- まだ対応済みにしていない返信（自動返信を除く）がある会社には、どの送信者グループからも送りません（対象外の理由は \`replied\`）。
- 配信停止を求めている可能性のある返信（\`is_doubtful\`）では、メールの宛先のアドレスを持つほかの会社にも送りません（対象外の理由は \`maybe_refused\`）。送信待ちのメールは取り消さずに、対応まで待ちます。
- 自動返信（\`auto_reply\`）は表示だけで、送信を止めません。`,
  query: z.strictObject({
    prospect_id: idInQuery.optional().describe('この見込み客の返信です。'),
    delivery_id: idInQuery.optional().describe('このメールへの返信です。'),
    state: z
      .enum(['open', 'handled'])
      .optional()
      .describe('`open` は送信を止めているもの、`handled` は対応済みのものです。省略するとすべてです。'),
    ...paging,
  }),
  response: z.object({
    rows: z.array(reply).describe('返信です。'),
    total: z.int().meta({ description: '条件に合う件数です。', examples: [1] }),
  }),
});

export const updateReply = call({
  method: 'PUT',
  path: '/reply/:id',
  audience: 'integrator',
  summary: '返信に対応する',
  description: `\`handled\`、\`refused\`、\`kind\`、\`not_a_reply\` のどれか1つを指定します。同じ指定をくり返しても、結果は同じです。

- \`handled\`: 1なら対応済みにして、その会社への送信を再開できるようにします。0なら元に戻します（送信待ちのメールは取り消します）。
- 配信停止を求めている可能性のある返信（\`is_doubtful\`）では、\`handled\` の1で、待っていたメールの送信を続けます。
- \`refused\`: 1なら、メールの宛先と会社の代表メールを配信停止（本人の希望）に登録し、対応済みにします。
- \`from_address\`: 返信した人のアドレスです。\`refused\` と一緒に指定すると、登録します。\`from_check\` が \`checked\` なら、指定しなくても登録します。
- \`kind\`: \`auto_reply\` なら不在などの自動返信として扱い、送信を続けます。\`reply\` なら返信に戻します。手動の記録には指定できません。
- \`not_a_reply\`: 1なら、こちらのメールへの返信ではなかったものとして削除し、待っていたメールの送信を続けます。\`is_unclear\` が1のときだけ指定できます。`,
  errors: [['not_found', '返信がないか、ほかのアカウントのものであるとき'], 'noted_by_hand', 'reply_changed'],
  params: z.object({ id: idInPath.describe('返信のidです。') }),
  body: z.strictObject({
    update_info: z
      .strictObject({
        handled: flag.optional().meta({ description: '対応済みなら1です。', examples: [1] }),
        refused: z.literal(1).optional().meta({ type: 'integer', description: '1なら今後送りません。' }),
        from_address: emailText.optional().meta({
          description: '一緒に配信停止に登録する、返信した人のアドレスです。`refused` のときだけ指定できます。',
          examples: ['hanako@midori.example.jp'],
        }),
        kind: z.enum(['reply', 'auto_reply']).optional().describe('返信か、自動返信かです。'),
        not_a_reply: z.literal(1).optional().meta({ type: 'integer', description: '1なら削除します。' }),
      })
      .refine(
        ({ handled, refused, kind, not_a_reply }) =>
          [handled, refused, kind, not_a_reply].filter((value) => value !== undefined).length === 1,
        { message: 'handled、refused、kind、not_a_reply のどれか1つを指定してください' },
      )
      .refine(({ from_address, refused }) => from_address === undefined || refused === 1, {
        path: ['from_address'],
        message: 'from_address は refused と一緒に指定してください',
      })
      .meta({ examples: [{ handled: 1 }] })
      .describe('変更する項目です。'),
  }),
  response: z.object({ status: z.literal('updated').describe('変更しました。') }),
});

const MAX_NOTE_LENGTH = 200;

export const addReply = call({
  method: 'POST',
  path: '/reply',
  audience: 'integrator',
  summary: '会社の返信を記録する',
  description:
    '電話や、担当者のメールボックスで受けた返信を記録します。送信待ちのメールは取り消します。まだ対応済みにしていない返信がある会社では、何もせずに `no-added` を返します。',
  errors: [['not_found', '見込み客がないか、ほかのアカウントのものであるとき']],
  headers: idempotencyHeaders,
  body: z.strictObject({
    add_info: z
      .strictObject({
        prospect_id: id.describe('見込み客のidです。'),
        note: text(MAX_NOTE_LENGTH)
          .optional()
          .meta({ description: 'メモです。', examples: ['電話で返事がありました'] }),
      })
      .describe('記録の内容です。'),
  }),
  response: z.object({
    status: z.enum(['added', 'no-added']).describe('記録したかどうかです。'),
    id: id.describe('返信のidです。`no-added` なら、すでにある返信のidです。'),
  }),
});
