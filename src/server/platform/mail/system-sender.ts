import { isPublicHttps } from '#domain/law/refusal-place.ts';
import { parseMailAddress } from '#domain/mail/address.ts';
import { PRODUCT_NAME } from '../product-name.ts';
import type { Settings } from '../settings.ts';
import type { Sender } from './mail-environment.ts';
import type { SystemMail } from './system-mail.ts';

/** The settings that the rule reads. */
export type SenderSettings = Pick<Settings, 'mailFrom' | 'publicUrl'> & {
  readonly smtp: Pick<NonNullable<Settings['smtp']>, 'credentials'> | null;
};

/**
 * Returns the rule for the sender of system mails: MAIL_FROM, the login at the mail server, the account's own sender,
 * or `no-reply@` of the public host. A mail to an unproven address never shows an account's address, as strangers could
 * mail anybody in its name; only a request to confirm an address may come from that address.
 * @param accountSender reads the account's first active sender with a confirmed address; null: none
 * @returns null if there is none: the mail may not be sent
 */
export function systemSender(
  settings: SenderSettings,
  accountSender: (accountId: number) => Promise<string | null>,
): (mail: Pick<SystemMail, 'to' | 'reader'>) => Promise<Sender | null> {
  const { chosen, ofHost } = ownSenders(settings);
  return async ({ to, reader }) =>
    chosen ??
    (typeof reader === 'object' ? named(await accountSender(reader.memberOf)) : null) ??
    ofHost ??
    (reader === 'owner of a sender' ? named(to) : null);
}

/** Returns whether every system mail has a sender, whoever its reader. */
export function hasSystemSender(settings: SenderSettings): boolean {
  const { chosen, ofHost } = ownSenders(settings);
  return (chosen ?? ofHost) !== null;
}

/** A domain that never exists (RFC 6761): mails of the catcher reach nobody. */
const CAUGHT = 'no-reply@kaitaku.invalid';

const ownSenders = ({ mailFrom, smtp, publicUrl }: SenderSettings) => ({
  chosen: mailFrom ?? named(smtp?.credentials?.user ?? null),
  ofHost:
    (isPublicHttps(publicUrl) ? named(`no-reply@${new URL(publicUrl).hostname.replace(/\.$/, '')}`) : null) ??
    // SendGrid requires MAIL_FROM. Without any server mails go to the catcher.
    (smtp === null ? named(CAUGHT) : null),
});

/** @returns null for text that is no address: a login name, or the IP address of a host */
function named(text: string | null): Sender | null {
  const parsed = parseMailAddress(text ?? '');
  return parsed.ok ? { name: PRODUCT_NAME, address: parsed.address } : null;
}
