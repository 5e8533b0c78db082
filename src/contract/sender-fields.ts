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
import { NAME_MESSAGES } from './account.ts';
import { mailAddress } from './mail-address.ts';
import { MAIL_MESSAGES } from './mail-messages.ts';
import { subjectTemplate } from './mail-template-fields.ts';
import { flag, id } from './wire.ts';

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
export const senderFields = {
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
