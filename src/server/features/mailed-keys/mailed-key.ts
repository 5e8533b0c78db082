import { type RawBuilder, type Selectable, type SqlBool, sql } from 'kysely';
import { addressKey } from '#domain/mail/address-key.ts';
import type { AccountDb } from '../../platform/database/account-db.ts';
import type { Db, Tx } from '../../platform/database/db.ts';
import type { DB } from '../../platform/database/db-types.ts';
import type { UrlOf } from '../../platform/http/hosts.ts';
import { giveBackHourly, type HourlyLimit, limitKey } from '../../platform/limits/rate-limit.ts';
import { confirmationNotSent, type Mailer, type SystemMail, wasNotTaken } from '../../platform/mail/system-mail.ts';
import type { Problem } from '../../platform/problem.ts';
import { hashOf, newSecret } from '../auth/secret.ts';

type KeyTable = 'email_change' | 'invitation' | 'password_reset' | 'sender_confirmation';

/**
 * A purpose of keys that are mailed in links (decisions/passwords).
 * Its table stores the hash of a key, never the key. One row has one key, so a newer key replaces an older one.
 */
export interface Purpose<Table extends KeyTable = KeyTable> {
  readonly table: Table;
  /** The column with the end of a key. */
  readonly expiry: 'expires_at' | 'secret_expires_at';
  /** Whether the row stays, without the hash, when its key is redeemed. */
  readonly keepsRow: boolean;
  readonly lifeMs: number;
  /** The page that the link opens. */
  readonly page: string;
  /** Counters of rate_limit with mails an hour: of the requester, and to one mailbox. */
  readonly limits: Readonly<Record<'asker' | 'mailbox', readonly [counter: string, mails: number]>>;
}

/** Returns a mail's limits, the requester's first: above it a requester cannot use up a mailbox's limit. */
export const limitsOf = (
  { limits: { asker, mailbox } }: Purpose,
  who: string | number,
  address: string,
): HourlyLimit[] => [
  { key: limitKey(asker[0], who), limit: asker[1] },
  { key: limitKey(mailbox[0], addressKey(address)), limit: mailbox[1] },
];

/** Services of calls that mail a key. */
export interface MailServices {
  readonly now: () => number;
  readonly mailer: Mailer;
  /** The origin at which an account's members open the web client, without a slash at its end. */
  readonly urlOf: UrlOf;
}

/** Services of visitors' calls. */
export interface VisitorServices {
  /** A pool of the role kaitaku_login, which finds the account of a key or an address. */
  readonly login: Db;
  readonly now: () => number;
  readonly accountDb: (accountId: number, memberId: null) => AccountDb;
}

/** What a table stores of a new key. */
export interface NewKey {
  readonly secret_hash: Buffer;
  readonly expires_at: Date;
}

/** A key that a visitor presents, for the account that accountOfKey found. */
interface ShownKey {
  readonly accountId: number;
  readonly secret: string;
  readonly now: number;
}

/** A stored key that is about to be mailed. */
interface Issued {
  readonly mail: (link: string) => SystemMail | Promise<SystemMail>;
  /** The limits to decrement if no server accepted the mail. */
  readonly givenBack: readonly HourlyLimit[];
}

/**
 * Issues a key and mails its link. If mailing fails, the key is revoked. The mail may have arrived, but its reader will
 * ask again.
 * @param issue stores the key in its transaction, or refuses with an answer
 */
export async function mailKey<Refusal extends object>(
  { now, mailer, urlOf }: MailServices,
  account: AccountDb,
  purpose: Purpose,
  issue: (tx: Tx, key: NewKey) => Promise<Issued | Refusal>,
): Promise<{ readonly status: 'sent'; readonly isCaught: boolean } | Refusal | Problem> {
  const secret = newSecret();
  const key = { secret_hash: hashOf(secret), expires_at: new Date(now() + purpose.lifeMs) };
  const issued = await account.transaction((tx) => issue(tx, key));
  if (!('mail' in issued)) return issued;
  const mail = await issued.mail(`${urlOf(account.id)}/${purpose.page}/${secret}`);
  const outcome = await mailer({ ...mail, accountId: account.id });
  if (outcome.kind === 'sent') return { status: 'sent', isCaught: outcome.isCaught === true };
  await account.transaction(async (tx) => {
    await takeKey(tx, purpose, { accountId: account.id, secret, now: now() });
    if (wasNotTaken(outcome)) for (const limit of issued.givenBack) await giveBackHourly(tx, limit);
  });
  return confirmationNotSent(outcome);
}

/** Returns the account of a key, which may have expired; undefined: unknown key. */
export async function accountOfKey(login: Db, { table }: Purpose, secret: string): Promise<number | undefined> {
  const { rows } = await sql<{ id: number }>`
    SELECT account_id AS id FROM ${sql.table(table)} WHERE secret_hash = ${hashOf(secret)}`.execute(login);
  return rows[0]?.id;
}

/** Selects the row with this key while the key is valid. */
export const hasKey = (
  { table, expiry }: Purpose,
  { accountId, secret, now }: ShownKey,
): RawBuilder<SqlBool> => sql<SqlBool>`${sql.ref(`${table}.account_id`)} = ${accountId}
  AND ${sql.ref(`${table}.secret_hash`)} = ${hashOf(secret)} AND ${sql.ref(`${table}.${expiry}`)} > ${new Date(now)}`;

/**
 * Redeems a key in one conditional statement, so that it works once, also for concurrent calls.
 * @param also a further condition on the row
 * @returns the row; undefined: the key is invalid
 */
export async function takeKey<Table extends KeyTable>(
  tx: Tx,
  purpose: Purpose<Table>,
  key: ShownKey,
  also: RawBuilder<SqlBool> = sql`true`,
): Promise<Selectable<DB[Table]> | undefined> {
  const table = sql.table(purpose.table);
  const take = purpose.keepsRow ? sql`UPDATE ${table} SET secret_hash = NULL` : sql`DELETE FROM ${table}`;
  const { rows } = await sql<Selectable<DB[Table]>>`
    ${take} WHERE ${hasKey(purpose, key)} AND ${also} RETURNING *`.execute(tx);
  return rows[0];
}
