import { z } from 'zod';
import { MAX_EMAIL_LENGTH } from '#domain/limits.ts';
import { parseMailAddress } from '#domain/mail/address.ts';
import { MAIL_MESSAGES } from './mail-messages.ts';

/** One mail address, as parseMailAddress returns it. */
export const mailAddress = z
  .string()
  .transform((written, context) => {
    const parsed = parseMailAddress(written);
    if (parsed.ok) return parsed.address;
    context.addIssue({ code: 'custom', message: MAIL_MESSAGES[parsed.reason] });
    return z.NEVER;
  })
  .meta({ documentedAs: z.email().max(MAX_EMAIL_LENGTH) });
