import { type Expression, type SqlBool, sql } from 'kysely';
import type { SuppressionValue } from '#domain/law/suppression.ts';
import type { FromTrust } from '#domain/mail/reply.ts';
import type { Tx } from '../../platform/database/db.ts';
import { onlyRow } from '../../platform/database/only-row.ts';
import { hasOtherAddressIn, type MailOfKey, type RefusedMail } from './refused-mail.queries.ts';

/*
 * Decides whether a reply's From can be trusted. Anybody with a mail of ours can reply with any From: only the mail's
 * own address is proven.
 */

/** The writer of a reply, by its From. */
export interface Writer {
  /** In the form of addressKey. */
  readonly address: string;
  readonly trust: FromTrust;
}

interface WriterColumns {
  readonly accountId: number;
  readonly from: Expression<string>;
  readonly trust: Expression<string>;
  /** The address to which the mail was sent. */
  readonly mailedTo: Expression<string>;
  readonly prospectId: Expression<number>;
}

const domainOfColumn = (address: Expression<string>) => sql<string>`split_part(${address}, '@', -1)`;

/**
 * Selects replies whose From counts as the reader's address. It is the mail's address, or one of its domain or
 * authenticated, and no other company of the account has an address in the domain. Archived companies count, because
 * they may be restored.
 */
export const isProvenWriter = ({
  accountId,
  from,
  trust,
  mailedTo,
  prospectId,
}: WriterColumns): Expression<SqlBool> => sql<SqlBool>`(
  ${from} = ${mailedTo}
  OR (${trust} = 'authenticated' OR ${trust} = 'single' AND ${domainOfColumn(from)} = ${domainOfColumn(mailedTo)})
    AND NOT ${hasOtherAddressIn(accountId, domainOfColumn(from), prospectId)})`;

/** The most addresses that replies to one mail suppress on their own: a domain has unlimited addresses. */
const MAX_REFUSED_BY_MAIL = 20;

/** Returns what a reply suppresses besides its mail's address. */
export async function provenValues(
  tx: Tx,
  { accountId, deliveryId }: MailOfKey,
  { address, prospectId }: Pick<RefusedMail, 'address' | 'prospectId'>,
  writer: Writer,
): Promise<SuppressionValue[]> {
  const condition = isProvenWriter({
    accountId,
    from: sql`${writer.address}::text`,
    trust: sql`${writer.trust}::text`,
    mailedTo: sql`${address}::text`,
    prospectId: sql`${prospectId}::bigint`,
  });
  const { rows } = await sql<{ isProven: boolean }>`
    SELECT ${condition} AND ${MAX_REFUSED_BY_MAIL} > (
      SELECT count(*) FROM suppression WHERE account_id = ${accountId} AND delivery_id = ${deliveryId})
      AS "isProven"`.execute(tx);
  return onlyRow(rows).isProven ? [{ kind: 'address', value: writer.address }] : [];
}
