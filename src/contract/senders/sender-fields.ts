import { z } from 'zod';
import { hasUnusableCharacter, parseName } from '#domain/company/person-name.ts';
import {
  MAX_BCC,
  MAX_EMAIL_LENGTH,
  MAX_MAILS_PER_MINUTE,
  MAX_NAME_LENGTH,
  MAX_SIGNATURE_LENGTH,
  MAX_SIGNATURE_LINES,
} from '#domain/limits.ts';
import { type ParsedMailAddress, parseMailAddress } from '#domain/mail/address.ts';
import { addressKey } from '#domain/mail/address-key.ts';
import { NAME_MESSAGES } from '../account/account.ts';
import { flag, MAIL_MESSAGES, mailAddress } from '../wire.ts';

/** The common fields of senders and of their profiles. */

/** Reports a field's fault that only a parser of the domain finds. */
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
    description: '差出人名です。メールの差出人に、アドレスとともに表示されます。',
    documentedAs: z.string().min(1).max(MAX_NAME_LENGTH),
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

/** A list of addresses as one text. Ignores blank items, and keeps the first of equal addresses. */
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
  .meta({ description: '署名です。', documentedAs: z.string().max(MAX_SIGNATURE_LENGTH) });

const OUT_OF_RANGE = `1〜${MAX_MAILS_PER_MINUTE}の整数で入力してください`;

/** The editable fields of a person. */
export const personFields = {
  person_in_charge: name,
  email: mailAddress.describe('差出人のメールアドレスです。確認されるまで、テスト送信だけができます。'),
  reply_to: addressOrNull.describe('返信先のメールアドレスです。null なら、返信は差出人に届きます。'),
  bcc: addressList.describe(`BCCのメールアドレスです。複数はコンマで区切ります。${MAX_BCC}件までです。`),
  signature,
  mails_per_minute: z
    .int(OUT_OF_RANGE)
    .min(1, OUT_OF_RANGE)
    .max(MAX_MAILS_PER_MINUTE, OUT_OF_RANGE)
    .nullable()
    .describe('1分あたりに送る通数の上限です。'),
};

/** The shown fields of a person. */
export const shownPerson = {
  person_in_charge: z.string().meta({ description: '担当者（差出人名）です。', examples: ['山田 太郎'] }),
  email: z.string().meta({ description: '差出人のメールアドレスです。', examples: ['yamada@example.jp'] }),
  bcc: z
    .string()
    .nullable()
    .meta({ description: 'BCCのメールアドレスです。複数はコンマで区切ります。', examples: [null] }),
};
export const shownSignature = z.string().meta(signature.meta() ?? {});
export const groupName = z.string().meta({ description: '送信者グループの名前です。', examples: ['営業1課'] });

export const isConfirmed = flag.meta({
  description: '差出人のメールアドレスが確認されているなら1です。0なら、テスト送信だけができます。',
  examples: [1],
});
export const dateTimeOrNull = (description: string) =>
  z
    .string()
    .nullable()
    .meta({ description, examples: [null] });
export const confirmationSentAt = dateTimeOrNull(
  'アドレスが確認を待っているとき、まだ有効な確認メールを最後に送った日時です。なければ null です。',
);
export const replyTo = z
  .string()
  .nullable()
  .meta({ description: '返信先のメールアドレスです。なければ null です。', examples: [null] });
export const mailsPerMinute = z
  .int()
  .nullable()
  .meta({ description: '利用者が決めた、1分あたりの通数の上限です。なければ null です。', examples: [null] });
export const maxMailsPerMinute = z
  .int()
  .nullable()
  .describe('管理者が決めた、1分あたりの通数の上限です。なければ null です。');
