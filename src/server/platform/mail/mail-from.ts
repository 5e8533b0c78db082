import { z } from 'zod';
import { parseName } from '#domain/company/person-name.ts';
import { parseMailAddress } from '#domain/mail/address.ts';
import { PRODUCT_NAME } from '../product-name.ts';

/** The sender of the program's own mails. */
export interface Sender {
  readonly name: string;
  readonly address: string;
}

/** Parses `name <address>` or an address alone. */
function readMailFrom(text: string): Sender | null {
  const [, name = '', bracketed] = /^([^<>]*)<([^<>]+)>$/.exec(text.trim()) ?? [];
  const address = parseMailAddress(bracketed ?? text);
  const shown = parseName(name.trim() === '' ? PRODUCT_NAME : name);
  return address.ok && shown.ok ? { name: shown.name, address: address.address } : null;
}

/** The setting MAIL_FROM, as in environment.ts. */
export const mailFrom = z
  .string()
  .transform((text, context) => {
    const from = readMailFrom(text);
    if (from) return from;
    context.addIssue({
      code: 'custom',
      message: 'MAIL_FROM は Kaitaku <no-reply@example.co.jp> か no-reply@example.co.jp の形にしてください。',
    });
    return z.NEVER;
  })
  .optional()
  .describe(
    "sender of the program's own mails (confirmations, resets, notices). Default: the user at the mail server, if it " +
      "is an address; for mails to members their account's first confirmed sender; `no-reply@` of a public `https:` " +
      '`PUBLIC_URL`. With none of these the mail is not sent. SendGrid requires it',
  );
