import { z } from 'zod';
import { hasUnusableCharacter, parseName } from '#domain/company/person-name.ts';
import {
  MAX_BCC,
  MAX_EMAIL_LENGTH,
  MAX_MAILS_PER_MINUTE,
  MAX_NAME_LENGTH,
  MAX_SENDERS,
  MAX_SIGNATURE_LENGTH,
  MAX_SIGNATURE_LINES,
} from '#domain/limits.ts';
import { type ParsedMailAddress, parseMailAddress } from '#domain/mail/address.ts';
import { addressKey } from '#domain/mail/address-key.ts';
import { NAME_MESSAGES } from './account.ts';
import { call } from './call.ts';
import { flagFilter, idFilter, idOrBounds, listCall } from './list.ts';
import { subjectTemplate } from './mail-templates-fields.ts';
import { flag, id, idempotencyHeaders, idInPath, MAIL_MESSAGES, mailAddress, version } from './wire.ts';

/** Reports a fault of a field that only a parser of the domain finds. */
function fail(context: z.RefinementCtx, message: string): never {
  context.addIssue({ code: 'custom', message });
  return z.NEVER;
}

const name = z
  .string()
  .transform((written, context) => {
    const parsed = parseName(written);
    if (parsed.ok) return parsed.name;
    return fail(context, parsed.fault === 'blank' ? '差出人名が入力されていません' : NAME_MESSAGES[parsed.fault]);
  })
  .meta({
    documentedAs: z.string().min(1).max(MAX_NAME_LENGTH),
    description: '差出人名です。メールの差出人に、アドレスとともに表示されます。',
    examples: ['山田 太郎'],
  });

const addressOrNull = z
  .string()
  .nullable()
  .transform((written, context) => {
    if (written === null || written.trim() === '') return null;
    const parsed = parseMailAddress(written);
    return parsed.ok ? parsed.address : fail(context, MAIL_MESSAGES[parsed.reason]);
  })
  .meta({ documentedAs: z.email().max(MAX_EMAIL_LENGTH).nullable() });

const TOO_MANY = `Bccは${MAX_BCC}件までにしてください`;

/** A list of addresses as one text. Blank items are ignored, and of equal addresses the first one stays. */
const addressList = z
  .string()
  .nullable()
  .transform((written, context) => {
    // Bounds the work on hostile input: the longest valid list is shorter.
    if (written !== null && written.length > 2 * MAX_BCC * MAX_EMAIL_LENGTH) return fail(context, TOO_MANY);
    const items = (written ?? '').split(/[,，、;；]/).filter((item) => item.trim() !== '');
    const parsed = items.map(parseMailAddress);
    const fault = parsed.findIndex(({ ok }) => !ok);
    const faulty = parsed[fault];
    if (faulty && !faulty.ok) return fail(context, `${fault + 1}件目：${MAIL_MESSAGES[faulty.reason]}`);
    const addresses = (parsed as Extract<ParsedMailAddress, { ok: true }>[]).map((one) => one.address);
    const keys = addresses.map(addressKey);
    const unique = addresses.filter((_, index) => keys.indexOf(keys[index] ?? '') === index);
    if (unique.length > MAX_BCC) return fail(context, TOO_MANY);
    return unique.length === 0 ? null : unique.join(',');
  })
  .meta({ documentedAs: z.string().nullable() });

const signature = z
  .string()
  .transform((written, context) => {
    const text = written.replace(/\r\n?/g, '\n').replaceAll('\t', ' ').trimEnd();
    const lines = text.split('\n');
    if (text.length > MAX_SIGNATURE_LENGTH || lines.length > MAX_SIGNATURE_LINES) {
      return fail(context, `署名は${MAX_SIGNATURE_LENGTH}文字、${MAX_SIGNATURE_LINES}行までにしてください`);
    }
    if (lines.some(hasUnusableCharacter)) return fail(context, NAME_MESSAGES.unusable_character);
    return text;
  })
  .meta({
    documentedAs: z.string().max(MAX_SIGNATURE_LENGTH),
    description: `署名です。テンプレートの \`{{ sender.signature }}\` に入ります。差し込み項目は使えません（書いたとおりに入ります）。${MAX_SIGNATURE_LINES}行までです。`,
    examples: ['株式会社サンプル 営業部\n山田 太郎\n電話 03-0000-0000'],
  });

const OUT_OF_RANGE = `1〜${MAX_MAILS_PER_MINUTE}の整数で入力してください`;

/** The fields of a sender that its users set, all but its group. */
const senderFields = {
  person_in_charge: name,
  email: mailAddress.meta({
    description: '差出人のメールアドレスです。確認されるまで、テスト送信だけができます。',
    examples: ['yamada@example.jp'],
  }),
  reply_to: addressOrNull.meta({
    description: '返信先のメールアドレスです。null なら、返信は差出人に届きます。',
    examples: [null],
  }),
  bcc: addressList.meta({
    description: `BCCのメールアドレスです。複数はカンマで区切ります。${MAX_BCC}件までです。`,
    examples: [null],
  }),
  template_id: id.describe('テンプレートのidです。'),
  subject: subjectTemplate.nullable().describe('件名です。null なら、テンプレートの件名を使います。'),
  signature,
  mails_per_minute: z
    .int(OUT_OF_RANGE)
    .min(1, OUT_OF_RANGE)
    .max(MAX_MAILS_PER_MINUTE, OUT_OF_RANGE)
    .nullable()
    .meta({
      description: '1分あたりに送る通数の上限です。管理者が決めた上限以下にします。null なら、管理者が決めた上限です。',
      examples: [null],
    }),
  active: flag.meta({ description: '使うなら1、使わないなら0です。', examples: [1] }),
};

const isConfirmed = flag.meta({
  description: '差出人のメールアドレスが確認されているなら1です。0なら、テスト送信だけができます。',
  examples: [1],
});
const dateTimeOrNull = (description: string) =>
  z
    .string()
    .nullable()
    .meta({ description, examples: [null] });
const confirmationSentAt = dateTimeOrNull(
  'アドレスが確認を待っているとき、まだ有効な確認メールを最後に送った日時です。なければ null です。',
);
const replyTo = z
  .string()
  .nullable()
  .meta({ description: '返信先のメールアドレスです。なければ null です。', examples: [null] });
const mailsPerMinute = z
  .int()
  .nullable()
  .meta({ description: '利用者が決めた、1分あたりの通数の上限です。なければ null です。', examples: [null] });
const ownSubject = z
  .string()
  .nullable()
  .meta({ description: '送信者が別に持つ件名です。null なら、テンプレートの件名を使います。', examples: [null] });
const templateName = z.string().meta({ description: 'テンプレートの名前です。', examples: ['業務改善のご提案'] });

const senderRow = {
  id: id.describe('送信者のidです。'),
  sender_group_id: id.describe('送信者グループのidです。'),
  subject: z.string().meta({ description: 'メールの件名です。', examples: ['業務効率化のご提案'] }),
  person_in_charge: z.string().meta({ description: '担当者（差出人名）です。', examples: ['山田 太郎'] }),
  email: z.string().meta({ description: '差出人のメールアドレスです。', examples: ['yamada@example.jp'] }),
  bcc: z
    .string()
    .nullable()
    .meta({ description: 'BCCのメールアドレスです。複数はカンマで区切ります。', examples: [null] }),
  template_id: id.describe('テンプレートのidです。'),
  sendgrid_template_id: z
    .string()
    .nullable()
    .meta({
      description: 'SendGridで送るときに本文を作る、SendGridのテンプレートのIDです。決まっていなければ null です。',
      examples: [null],
    }),
  active: flag.meta({ description: '使っているなら1です。', examples: [1] }),
  group: z.string().meta({ description: '送信者グループの名前です。', examples: ['営業1課'] }),
};

export const listSenders = listCall({
  path: '/sender/list',
  name: 'Sender',
  summary: '送信者（テンプレート）の一覧',
  description: 'idの順です。',
  where: {
    id: idOrBounds,
    sender_group_id: idFilter.meta({ examples: [1] }),
    active: flagFilter.meta({ examples: [1] }),
  },
  row: z.object({
    ...senderRow,
    own_subject: ownSubject,
    is_confirmed: isConfirmed,
    confirmation_sent_at: confirmationSentAt,
    reply_to: replyTo,
    mails_per_minute: mailsPerMinute,
    template_name: templateName,
  }),
});

const ofSender = z.object({ id: idInPath.describe('送信者のidです。') });

export const getSender = call({
  method: 'GET',
  path: '/sender/:id',
  summary: '送信者の内容',
  params: ofSender,
  response: z
    .object({
      ...senderRow,
      own_subject: ownSubject,
      is_confirmed: isConfirmed,
      reply_to: replyTo,
      mails_per_minute: mailsPerMinute,
      template_name: templateName,
      signature: z.string().meta(senderFields.signature.meta() ?? {}),
      max_mails_per_minute: z
        .int()
        .nullable()
        .meta({ description: '管理者が決めた、1分あたりの通数の上限です。なければ null です。', examples: [null] }),
      confirmed_at: dateTimeOrNull('アドレスが確認された日時です。まだなら null です。'),
      confirmation_sent_at: confirmationSentAt,
      reservations: z.int().meta({ description: 'まだ送信されていない予約の数です。', examples: [0] }),
      version,
      updated_at: z.string().meta({ description: '最後に変更した日時です。', examples: ['2026/11/20 12:00:00'] }),
      updated_by: z
        .string()
        .nullable()
        .meta({ description: '最後に変更した人の氏名です。わからなければ null です。', examples: ['山田 太郎'] }),
    })
    .meta({ schemaName: 'SenderDetail' }),
});

const fieldErrors = {
  not_found: {
    status: 404,
    when: '送信者、送信者グループ、テンプレートのどれかが、ないかほかのアカウントのものであるとき',
  },
  invalid_template: { status: 400, when: '件名からメールを作れないとき' },
  template_archived: { status: 409, when: '有効な送信者のテンプレートが、アーカイブされているとき' },
  above_limit: { status: 400, when: '`mails_per_minute` が、管理者が決めた上限を超えているとき' },
} as const;

const CONFIRMATION = `\`email\` は、その持ち主が確認メールのリンクを開いて確認するまで、テスト送信だけに使えます（\`POST /sender/{id}/confirmation\`）。\
同じアカウントで確認されたことのあるアドレスは、もう一度確認する必要がありません。`;

export const addSender = call({
  method: 'POST',
  path: '/sender',
  summary: '送信者を追加する',
  description: `${CONFIRMATION}

1つのアカウントに${MAX_SENDERS}までです。`,
  errors: { ...fieldErrors, too_many_senders: { status: 409, when: '送信者の数が上限に達しているとき' } },
  headers: idempotencyHeaders,
  body: z.strictObject({
    add_info: z
      .strictObject({
        sender_group_id: id.describe('送信者グループのidです。'),
        person_in_charge: senderFields.person_in_charge,
        email: senderFields.email,
        template_id: senderFields.template_id,
        subject: senderFields.subject,
        reply_to: senderFields.reply_to.optional(),
        bcc: senderFields.bcc.optional(),
        signature: senderFields.signature.optional(),
        mails_per_minute: senderFields.mails_per_minute.optional(),
        active: senderFields.active.optional(),
      })
      .describe('追加する内容です。'),
  }),
  response: z.object({
    status: z.literal('added').describe('追加しました。'),
    id: id.describe('送信者のidです。'),
    is_confirmed: isConfirmed,
  }),
});

export const updateSender = call({
  method: 'PUT',
  path: '/sender/:id',
  summary: '送信者を変更する、無効にする、有効に戻す',
  description: `指定した項目だけを変更します。

- \`version\` には、読んだときの値を指定します。そのあとに内容が変わっていれば、何もせずに 409 を返します。
- ${CONFIRMATION}
- 受け付けた送信は、受け付けたときの内容のまま送ります。予約は、送信が始まるときの内容で送ります。\`mails_per_minute\` はすぐに効きます。
- 予約のある送信者は、無効にできません。送信の記録が残るため、送信者の削除はありません。`,
  errors: {
    ...fieldErrors,
    sender_changed: { status: 409, when: '読んだあとに、内容が変わっていたとき' },
    has_reservations: { status: 409, when: '無効にする送信者に、まだ送信されていない予約があるとき' },
  },
  params: ofSender,
  body: z.strictObject({
    version: version.max(100),
    update_info: z
      .strictObject(senderFields)
      .partial()
      .refine((info) => Object.values(info).some((value) => value !== undefined), '変更する項目を指定してください')
      .describe('変更する項目です。'),
  }),
  response: z.object({
    status: z.literal('updated').describe('変更しました。'),
    id: id.describe('送信者のidです。'),
    version,
    is_confirmed: isConfirmed,
  }),
});
