import { z } from 'zod';
import { parseName } from '#domain/company/person-name.ts';
import { parseMailAddress } from '#domain/mail/address.ts';
import { PRODUCT_NAME } from '../product-name.ts';
import { url } from '../setting-values.ts';
import { SENDGRID_URL } from './sendgrid/settings.ts';
import { STARTTLS } from './smtp/settings.ts';

/** The settings of the mail server or of SendGrid, as in environment.ts. */
export const transportEnvironment = {
  SMTP_URL: url('SMTP_URL', ['smtp:', 'smtps:'], 'smtp://host:587 または smtps://host:465')
    .optional()
    .describe('`smtp://host:587` (STARTTLS) or `smtps://host:465` (TLS). `all` without it: the mail catcher'),
  SMTP_USER: z.string().optional().describe('instead of the user in `SMTP_URL`'),
  SMTP_PASSWORD: z.string().optional().describe('instead of the password in `SMTP_URL`'),
  SMTP_STARTTLS: z
    .enum(STARTTLS, { error: `SMTP_STARTTLS は ${STARTTLS.join(' か ')} にしてください。` })
    .optional()
    .describe(
      'for `smtp://`. `required`: no mail without STARTTLS. `none`: plain text, the password too. ' +
        'Default `required`, ' +
        'and `none` for a server on this machine',
    ),
  DKIM_DOMAIN: z.string().optional().describe('domain that signs our mails (DKIM), with the next two'),
  DKIM_SELECTOR: z.string().optional().describe('selector of its public key: `SELECTOR._domainkey.DOMAIN`'),
  DKIM_PRIVATE_KEY: z
    .string()
    .optional()
    .describe('its RSA key as PEM, at least 1024 bits; on one line, write line breaks as `\\n`'),
  SENDGRID_API_KEY: z
    .string()
    .optional()
    .describe('sends through SendGrid: an API key with the right Mail Send. Not together with `SMTP_URL`'),
  SENDGRID_WEBHOOK_PUBLIC_KEY: z
    .string()
    .optional()
    .describe(
      'Verification Key of its Event Webhook, which posts to `PUBLIC_URL/api/v1/sendgrid/events`; ' +
        'several, separated by commas, for accounts that came from another cell',
    ),
  SENDGRID_URL: z
    .string()
    .default(SENDGRID_URL)
    .describe('its API; `https://api.eu.sendgrid.com` for subusers of the region EU'),
};

/** The sender of the program's own mails. */
export interface Sender {
  readonly name: string;
  readonly address: string;
}

/** Parses `name <address>` or only an address. */
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
