import { z } from 'zod';
import { parseMailAddress } from '#domain/mail-address.ts';
import { parseName } from '#domain/person-name.ts';
import { PRODUCT_NAME } from '../product-name.ts';

/** The sender of the program's own mails. */
export interface Sender {
  readonly name: string;
  readonly address: string;
}

/** Returns a sender at the host of the public URL, or at localhost.localdomain where that is no domain. */
export function defaultMailFrom(publicUrl: string): Sender {
  const address = parseMailAddress(`no-reply@${new URL(publicUrl).hostname}`);
  return { name: PRODUCT_NAME, address: address.ok ? address.address : 'no-reply@localhost.localdomain' };
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
  .describe('sender of confirmation mails and notices. Default `Kaitaku <no-reply@…>` at the host of `PUBLIC_URL`');
