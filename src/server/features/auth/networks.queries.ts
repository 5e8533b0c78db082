import { sql } from 'kysely';
import { knownAddress } from '#domain/account/network.ts';
import type { Db } from '../../platform/database/db.ts';
import { accountFrozen } from '../../platform/database/frozen.ts';
import { networkNotAllowed, type Problem } from '../../platform/problem.ts';

/**
 * Returns the condition that an address is outside of the networks of `account_rule`, joined by LEFT JOIN. An unknown
 * address (NULL) is outside of every list.
 * @param address SQL of an inet
 */
export const isOutside = (address: string): string =>
  `coalesce(cardinality(account_rule.login_networks) > 0
     AND (${address} <<= ANY (account_rule.login_networks)) IS NOT TRUE, false)`;

/** Refuses to open a session: for a frozen account, and from a network that the account does not permit. */
export async function entryProblem(login: Db, accountId: number, ip: string): Promise<Problem | null> {
  const { rows } = await sql<{ isFrozen: boolean; isOutside: boolean }>`
    SELECT account.frozen_at IS NOT NULL AS "isFrozen", ${sql.raw(isOutside('given.ip'))} AS "isOutside"
    FROM account CROSS JOIN (SELECT ${knownAddress(ip)}::inet AS ip) AS given
    LEFT JOIN account_rule ON account_rule.account_id = account.id
    WHERE account.id = ${accountId}`.execute(login);
  const [account] = rows;
  if (account === undefined || account.isFrozen) return accountFrozen();
  return account.isOutside ? networkNotAllowed() : null;
}
