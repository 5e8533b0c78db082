import { type Expression, type SqlBool, sql } from 'kysely';

/*
 * Answers that may ask for no more mails, while no member has decided (decisions/replies). The company of such an
 * answer and the address of its mail wait, in all sender groups.
 */

/** An account: its id, or the column that holds it. */
type AccountId = number | Expression<number>;

/** A row of `reply` is in doubt. Literally the condition of reply_doubt_idx. */
export const IS_DOUBT = sql<SqlBool>`(reply.doubted_address IS NOT NULL AND reply.kind <> 'auto_reply'
  AND reply.handled_at IS NULL)`;

/** Checks, for a single company, whether an answer of it, or to a mail to its address, is in doubt. */
export const isDoubted = (
  accountId: AccountId,
  prospectId: Expression<number>,
  address: Expression<string | null>,
): Expression<SqlBool> => sql<SqlBool>`(
  EXISTS (SELECT FROM reply WHERE reply.account_id = ${accountId} AND reply.prospect_id = ${prospectId} AND ${IS_DOUBT})
  OR EXISTS (
    SELECT FROM reply WHERE reply.account_id = ${accountId} AND reply.doubted_address = ${address} AND ${IS_DOUBT}))`;

/** Selects the companies of which that is so, some of them twice. An index holds the answers in doubt alone. */
export const doubtedIds = (accountId: number) => sql<{ prospect_id: number }>`
  SELECT reply.prospect_id FROM reply WHERE reply.account_id = ${accountId} AND ${IS_DOUBT}
  UNION ALL
  SELECT known.id FROM reply
  -- The index of addresses has no archived companies.
  JOIN prospect AS known ON known.email_search COLLATE "C" = reply.doubted_address
  WHERE reply.account_id = ${accountId} AND ${IS_DOUBT}
    AND known.account_id = ${accountId} AND known.archived_at IS NULL`;
