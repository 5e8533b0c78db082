import { type Expression, type SqlBool, sql } from 'kysely';
import type { SuppressionValue } from '#domain/law/suppression.ts';
import type { FromTrust } from '#domain/mail/reply.ts';
import type { Tx } from '../../platform/database/db.ts';
import { onlyRow } from '../../platform/database/only-row.ts';
import { hasOtherAddressIn, type MailOfKey, type RefusedMail } from './refused-mail.queries.ts';

/*
 * Whoever has a mail of ours can answer it with any From. Only the address that the mail went to is known to be theirs.
 */

/** Who wrote an answer, as its From says. */
export interface Writer {
  /** In the form of addressKey. */
  readonly address: string;
  readonly trust: FromTrust;
}

interface WriterColumns {
  readonly accountId: number;
  readonly from: Expression<string>;
  readonly trust: Expression<string>;
  /** The address that the mail went to. */
  readonly mailedTo: Expression<string>;
  readonly prospectId: Expression<number>;
}

const domainOfColumn = (address: Expression<string>) => sql<string>`split_part(${address}, '@', -1)`;

/**
 * The condition that From counts as the reader's address: it is that of the mail, or it is of its domain or was
 * authenticated, and no other company of the account has an address in the domain. Archived companies count: they come
 * back.
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

/** The most addresses that answers to one mail refuse by themselves: a domain has addresses without end. */
const MAX_REFUSED_BY_MAIL = 20;

/** Returns what an answer refuses beside the address of its mail. */
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
