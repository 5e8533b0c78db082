/*
 * Triggers, as "watched table: triggers → tables that they write" (bodies in schema.sql):
 *   lifted_suppression: note_undone_refusal → delivery
 *   person: recall_suppressions_inserted, recall_suppressions_updated → suppression, suppression_hash
 *   prospect: recall_suppressions_inserted, recall_suppressions_updated → suppression, suppression_hash
 *   suppression: note_suppression → delivery
 *   suppression: notice_of_refusal → notice_event
 */
import { type Expression, expressionBuilder, type SqlBool, sql } from 'kysely';
import type { z } from 'zod';
import type { suppressionNotice } from '#contract/answers/suppressions.ts';
import { SUPPRESSION_CLASS_NAMES } from '#contract/answers/suppressions-names.ts';
import { SUPPRESSION_CLASSES, type SuppressionKind } from '#domain/law/suppression.ts';
import { addressKey, domainOf } from '#domain/mail/address-key.ts';
import { formatSecond } from '#domain/time/tokyo-time.ts';
import type { Tx } from '../../platform/database/db.ts';
import type { DB } from '../../platform/database/db-types.ts';

const eb = expressionBuilder<DB, never>();

/** An account: its id, or the column that holds it. */
type AccountId = number | Expression<number>;

/** Selects the suppressed addresses or domains of an account, in lower case. */
const suppressed = (kind: SuppressionKind, accountId: AccountId) =>
  eb
    .selectFrom('suppression')
    .select('suppression.value')
    .where('suppression.account_id', '=', accountId)
    .where('suppression.kind', '=', kind);

const domainIn = (address: Expression<string | null>) => sql<string | null>`split_part(${address}, '@', -1)`;

/** Checks for a single row whether an address is suppressed for the account. @param address in lower case */
export function isSuppressed(accountId: AccountId, address: Expression<string | null>): Expression<SqlBool> {
  const has = (kind: SuppressionKind, value: Expression<string | null>) =>
    eb.exists(suppressed(kind, accountId).where('suppression.value', '=', value));
  return eb.or([has('address', address), has('domain', domainIn(address))]);
}

/*
 * Unclear replies: they may ask for no more mails, and no member has decided yet (decisions/replies). All sender
 * groups' mails to the company, and to the mail's address, are held.
 */

/** The row of `reply` is unclear. The text of the condition of reply_doubt_idx. */
export const IS_DOUBT = sql<SqlBool>`(reply.doubted_address IS NOT NULL AND reply.kind <> 'auto_reply'
  AND reply.handled_at IS NULL)`;

/** Checks for a single company whether it, or a mail to its address, has an unclear reply. */
export const isDoubted = (
  accountId: AccountId,
  prospectId: Expression<number>,
  address: Expression<string | null>,
): Expression<SqlBool> => sql<SqlBool>`(
  EXISTS (SELECT FROM reply WHERE reply.account_id = ${accountId} AND reply.prospect_id = ${prospectId} AND ${IS_DOUBT})
  OR EXISTS (
    SELECT FROM reply WHERE reply.account_id = ${accountId} AND reply.doubted_address = ${address} AND ${IS_DOUBT}))`;

type Notice = z.output<typeof suppressionNotice>;

/**
 * Reads why an address is suppressed for the account. Of several reasons the owner's own opt-out takes precedence.
 * @returns null if it is not suppressed, or without an address
 */
export async function readSuppression(tx: Tx, accountId: number, address: string | null): Promise<Notice | null> {
  if (address === null) return null;
  return (await readSuppressions(tx, accountId, [address])).get(address) ?? null;
}

/** Reads the same for several addresses. @returns those that are suppressed, as given */
export async function readSuppressions(
  tx: Tx,
  accountId: number,
  addresses: readonly string[],
): Promise<ReadonlyMap<string, Notice>> {
  if (addresses.length === 0) return new Map();
  const keys = addresses.map(addressKey);
  const { rows } = await sql<Omit<Notice, 'created_at'> & { readonly value: string; readonly created_at: Date }>`
    SELECT id, kind, value, class, source, reason, created_at FROM suppression
    WHERE account_id = ${accountId} AND (kind = 'address' AND value = ANY (${keys}::text[])
      OR kind = 'domain' AND value = ANY (${keys.map(domainOf)}::text[]))
    ORDER BY array_position(${SUPPRESSION_CLASSES}::text[], class), kind`.execute(tx);
  const noticeOf = (key: string): Notice | null => {
    const found = rows.find(({ kind, value }) => value === (kind === 'address' ? key : domainOf(key)));
    if (!found) return null;
    const { value: _, ...notice } = found;
    const reason = found.reason || SUPPRESSION_CLASS_NAMES[found.class];
    return { ...notice, reason, created_at: formatSecond(found.created_at.getTime()) };
  };
  return new Map(
    addresses.flatMap((address) => {
      const notice = noticeOf(addressKey(address));
      return notice ? [[address, notice] as const] : [];
    }),
  );
}
