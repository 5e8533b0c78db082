import { type Expression, type SqlBool, sql } from 'kysely';
import { type SuppressionSource, type SuppressionValue, UNDOS_MAX } from '#domain/law/suppression.ts';
import { addressKey, domainOf } from '#domain/mail/address-key.ts';
import { PROVIDER_DOMAINS } from '#domain/sending/rules/domain-limit.ts';
import type { Db, Tx } from '../../platform/database/db.ts';
import { onlyRow } from '../../platform/database/only-row.ts';
import { recallMails } from '../delivery/after-sending/recall.queries.ts';

/** The mail of a key. */
export interface MailOfKey {
  readonly accountId: number;
  readonly deliveryId: number;
}

/** The ways in which a mail's reader can opt out. */
export type RefusalSource = Extract<SuppressionSource, 'link' | 'one_click' | 'mailto' | 'complaint' | 'reply'>;

const KEY = /^[0-9a-f]{32}/i;

/** Reads a key at the start of a path segment. Ignores text after it: mail programs add `。`, `>` and more. */
export const readMailKey = (segment: string): string | null => KEY.exec(segment)?.[0].toLowerCase() ?? null;

/** Finds the mail of a key. @param login a pool of the role kaitaku_login: the key names no account */
export async function findMail(login: Db, key: string): Promise<MailOfKey | null> {
  const mails = login.selectFrom('delivery').select(['account_id', 'id']).where('mail_key', '=', key);
  const moved = login.selectFrom('moved_mail').select(['account_id', 'delivery_id as id']).where('mail_key', '=', key);
  const found = await mails.unionAll(moved).executeTakeFirst();
  return found ? { accountId: found.account_id, deliveryId: found.id } : null;
}

interface MailFacts {
  readonly prospectId: number;
  readonly isTest: boolean;
  /** The sender's name: the official one, or the account's company. */
  readonly senderName: string;
}

/** What the page shows of a mail, and what it suppresses. */
export interface RefusedMail extends MailFacts {
  /** The address that the mail was sent to, in the form of addressKey. */
  readonly address: string;
  readonly domain: string;
}

/** A blanked mail, or one whose person was erased (features/personal-data). Only the hash of its address is left. */
export interface ErasedMail extends MailFacts {
  readonly hash: Buffer;
}

/**
 * Reads a mail of the account.
 * @param locks restores a blanked mail's recipient, and blocks an erasure of the address until the end
 * @returns null for a mail without a recipient
 */
export async function readMail(
  tx: Tx,
  { accountId, deliveryId }: MailOfKey,
  { locks = false } = {},
): Promise<RefusedMail | ErasedMail | null> {
  if (locks) await recallMails(tx, accountId, [deliveryId]);
  const { rows } = await sql<MailFacts & { mailTo: string | null; hash: Buffer | null }>`
    SELECT d.mail_to AS "mailTo", d.erased_hash AS hash, d.prospect_id AS "prospectId", d.test_send_mode AS "isTest",
      coalesce(nullif(log.mail -> 'legal' ->> 'official_name', ''), account.company) AS "senderName"
    FROM delivery d
    JOIN send_log log ON log.account_id = d.account_id AND log.id = d.send_log_id
    JOIN account ON account.id = d.account_id
    WHERE d.account_id = ${accountId} AND d.id = ${deliveryId}
    ${locks ? sql`FOR KEY SHARE OF d` : sql``}`.execute(tx);
  const [row] = rows;
  if (!row) return null;
  const { mailTo, hash, ...facts } = row;
  if (hash) return { ...facts, hash };
  if (!mailTo) return null;
  const address = addressKey(mailTo);
  return { ...facts, address, domain: domainOf(address) };
}

/** A mail of an account that was deleted here after a move. Only the new home has its address, company and sender. */
export interface MovedMail extends Pick<MailFacts, 'isTest' | 'senderName'> {
  /** The origin of the account's new home. */
  readonly movedTo: string;
}

/** Reads such a mail; null: another kind of mail. */
export async function readMovedMail(tx: Tx, { accountId, deliveryId }: MailOfKey): Promise<MovedMail | null> {
  const { rows } = await sql<Omit<MovedMail, 'senderName'>>`
    SELECT is_test AS "isTest", moved_to AS "movedTo"
    FROM moved_mail JOIN account ON account.id = account_id
    WHERE account_id = ${accountId} AND delivery_id = ${deliveryId}`.execute(tx);
  const [row] = rows;
  return row ? { ...row, senderName: 'このメールの送信者' } : null;
}

/** Returns what an opt-out by this mail may suppress: its address and its domain. */
export const valuesOf = ({ address, domain }: RefusedMail): readonly [SuppressionValue, SuppressionValue] => [
  { kind: 'address', value: address },
  { kind: 'domain', value: domain },
];

/** A suppression of the mail's address or domain. */
export interface MailRefusal {
  readonly id: number;
  readonly kind: SuppressionValue['kind'];
  readonly createdAt: Date;
  /** This mail caused it, and its reader may still undo it. */
  readonly isUndoable: boolean;
}

const refusalsOf = (accountId: number, { address, domain }: RefusedMail): Expression<SqlBool> => sql<SqlBool>`
  account_id = ${accountId} AND class = 'refused'
  AND (kind = 'address' AND value = ${address} OR kind = 'domain' AND value = ${domain})`;

/** Whether a mail's reader may undo a suppression. @param now epoch milliseconds */
export const isUndoable = (deliveryId: number, now: number): Expression<SqlBool> =>
  sql<SqlBool>`coalesce(delivery_id = ${deliveryId} AND undo_until > ${new Date(now)}, false)`;

/** Checks whether a mail's reader has used up the undos. One undo may have lifted two rows. */
export async function hasUsedUndos(tx: Tx, { accountId, deliveryId }: MailOfKey): Promise<boolean> {
  const { rows } = await sql<{ hasUsed: boolean }>`
    SELECT count(DISTINCT lifted_at) >= ${UNDOS_MAX} AS "hasUsed" FROM lifted_suppression
    WHERE account_id = ${accountId} AND delivery_id = ${deliveryId} AND lift_reason = 'undone'`.execute(tx);
  return onlyRow(rows).hasUsed;
}

/** Reads the suppressions of a mail's address and domain, the oldest first. @param now epoch milliseconds */
export async function readRefusals(
  tx: Tx,
  { accountId, deliveryId }: MailOfKey,
  mail: RefusedMail,
  now: number,
): Promise<readonly MailRefusal[]> {
  const { rows } = await sql<MailRefusal>`
    SELECT id, kind, created_at AS "createdAt", ${isUndoable(deliveryId, now)} AS "isUndoable"
    FROM suppression WHERE ${refusalsOf(accountId, mail)}
    ORDER BY id`.execute(tx);
  return rows;
}

/**
 * Ends the time in which readers of other mails may undo these suppressions, because this reader opts out too.
 * @param deliveryId of this mail, whose own suppressions are unchanged
 */
export async function keepFromOthers(tx: Tx, { accountId, deliveryId }: MailOfKey, mail: RefusedMail): Promise<void> {
  await sql`
    UPDATE suppression SET undo_until = NULL
    WHERE ${refusalsOf(accountId, mail)} AND undo_until IS NOT NULL AND delivery_id <> ${deliveryId}`.execute(tx);
}

/**
 * Checks whether a mail's domain is its company's own: no other one of the account has an address in it.
 * Otherwise, as for gmail.com, the domain's addresses are not suppressed together.
 */
export async function isOwnDomain(tx: Tx, accountId: number, { domain, prospectId }: RefusedMail): Promise<boolean> {
  const { rows } = await sql<{ isOwn: boolean }>`
    SELECT NOT ${hasOtherAddressIn(accountId, domain, prospectId)} AS "isOwn"`.execute(tx);
  return onlyRow(rows).isOwn;
}

/**
 * Checks whether a company other than `prospectId`, or any of its people, has an address in a domain. Archived ones
 * count. In a provider's domain others always have one, if only outside this list.
 * The domain comes from a sub-select: the planner would expect a frequent one soon, and scan the companies for it.
 */
export const hasOtherAddressIn = (
  accountId: number,
  domain: string | Expression<string>,
  prospectId: number | Expression<number>,
): Expression<SqlBool> => {
  const isInDomain = sql`email_domain COLLATE "C" = (SELECT ${domain}::text) AND email_domain IS NOT NULL`;
  return sql<SqlBool>`(
    EXISTS (
      SELECT FROM unnest(${PROVIDER_DOMAINS}::text[]) AS provider (name)
      -- Also one below it: mint.ocn.ne.jp.
      WHERE right('.' || (SELECT ${domain}::text), length(provider.name) + 1) = '.' || provider.name)
    OR EXISTS (SELECT FROM prospect WHERE account_id = ${accountId} AND ${isInDomain} AND id <> ${prospectId})
    OR EXISTS (SELECT FROM person WHERE account_id = ${accountId} AND ${isInDomain} AND prospect_id <> ${prospectId}))`;
};
