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
 * Returns the rule that gives each system mail its sender: MAIL_FROM, the name of our log-in at the mail server, the
 * account's own sender, `no-reply@` of the public host. A mail to an unproven address bears no address of an account,
 * as strangers could use it to mail anybody in that name; only the owner of an address may see it asked about itself.
 * @param accountSender reads the account's first active sender whose address is confirmed; null: none
 * @returns null where there is none: the mail may not be sent
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

/** Returns whether every system mail has a sender, whoever reads it. */
export function hasSystemSender(settings: SenderSettings): boolean {
  const { chosen, ofHost } = ownSenders(settings);
  return (chosen ?? ofHost) !== null;
}

/** Of a domain that never exists (RFC 6761): mails of the mail catcher reach nobody. */
const CAUGHT = 'no-reply@kaitaku.invalid';

const ownSenders = ({ mailFrom, smtp, publicUrl }: SenderSettings) => ({
  chosen: mailFrom ?? named(smtp?.credentials?.user ?? null),
  ofHost:
    (isPublicHttps(publicUrl) ? named(`no-reply@${new URL(publicUrl).hostname.replace(/\.$/, '')}`) : null) ??
    // SendGrid requires MAIL_FROM: without any server mails go to the catcher.
    (smtp === null ? named(CAUGHT) : null),
});

/** @returns null for what is no address: a name of a log-in, or an IP address of a host */
function named(text: string | null): Sender | null {
  const parsed = parseMailAddress(text ?? '');
  return parsed.ok ? { name: PRODUCT_NAME, address: parsed.address } : null;
}
