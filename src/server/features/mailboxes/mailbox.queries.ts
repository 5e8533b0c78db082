import type { Selectable } from 'kysely';
import { z } from 'zod';
import type { MAILBOX_IDS, MailboxKind, MailboxState } from '#contract/senders/mailboxes-names.ts';
import { addressKey } from '#domain/mail/address-key.ts';
import type { Db, Tx } from '../../platform/database/db.ts';
import type { Mailbox as MailboxRow } from '../../platform/database/db-types.ts';
import { byKey } from '../../platform/database/list-rows.ts';
import { Problem } from '../../platform/problem.ts';
import type { Sealed, Secrets } from '../../platform/secrets/secrets.ts';

/** The row of a mailbox, with its names as the CHECKs of its table list them. */
export type Mailbox = Omit<Selectable<MailboxRow>, 'kind' | 'state' | 'security' | 'ids'> & {
  readonly ids: (typeof MAILBOX_IDS)[number];
  readonly kind: MailboxKind;
  readonly state: MailboxState;
  readonly security: 'tls' | 'starttls';
};

export interface MailboxKey {
  readonly accountId: number;
  readonly id: number;
}

/** What logs in to a mailbox's servers, as its seal holds it. */
const content = z.union([
  z.strictObject({ password: z.string() }),
  z.strictObject({
    refreshToken: z.string(),
    accessToken: z.string(),
    /** Seconds of the access token, from its request to `token_expires_at`. */
    life: z.number(),
  }),
]);
export type MailboxSecret = z.infer<typeof content>;

export const readMailbox = async (db: Db, { accountId, id }: MailboxKey): Promise<Mailbox | undefined> =>
  // The cast is safe: CHECKs have the same names.
  (await db
    .selectFrom('mailbox')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst()) as Mailbox | undefined;

/** Reads the mailbox by which the mails of a sender leave; undefined: the mail server of the environment. */
export async function readMailboxOfSender(db: Db, accountId: number, senderId: number): Promise<Mailbox | undefined> {
  const profile = await db
    .selectFrom('sender')
    .innerJoin('sender_profile', byKey('sender_profile', 'sender.profile_id'))
    .select('sender_profile.mailbox_id')
    .where('sender.account_id', '=', accountId)
    .where('sender.id', '=', senderId)
    .executeTakeFirst();
  const id = profile?.mailbox_id ?? null;
  return id === null ? undefined : readMailbox(db, { accountId, id });
}

/** Keys of the From addresses that a mailbox may use: its own, and others that a check proved. */
export const fromKeysOf = ({ address, other_from }: Pick<Mailbox, 'address' | 'other_from'>): readonly string[] => [
  addressKey(address),
  ...other_from,
];

/** Seals what logs in to a mailbox, in the transaction that stores it. @returns 503 without a key */
export const sealMailbox = (
  tx: Tx,
  secrets: Secrets,
  { accountId, id }: MailboxKey,
  value: MailboxSecret,
): Promise<Sealed | Problem> =>
  secrets.seal(tx, { accountId, row: id, kind: 'mailbox' }, Buffer.from(JSON.stringify(value)));

/**
 * Opens what logs in to a mailbox.
 * @returns null: it is disconnected; 503 without its key
 * @throws SealBroken
 */
export function openMailbox(
  secrets: Secrets,
  { account_id: accountId, id, secret, secret_key }: Pick<Mailbox, 'account_id' | 'id' | 'secret' | 'secret_key'>,
): MailboxSecret | Problem | null {
  if (secret === null || secret_key === null) return null;
  const opened = secrets.open({ accountId, row: id, kind: 'mailbox' }, { secret, secret_key });
  return opened instanceof Problem ? opened : content.parse(JSON.parse(opened.toString()));
}
