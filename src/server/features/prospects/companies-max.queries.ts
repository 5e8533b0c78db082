import { sql } from 'kysely';
import type { Tx } from '../../platform/database/db.ts';
import { onlyRow } from '../../platform/database/only-row.ts';
import { Problem } from '../../platform/problem.ts';
import { countAll } from './list/sending-status.queries.ts';

/** COMPANIES_MAX: the most companies in the list of an account; archived ones do not count. */
export interface CompaniesMax {
  readonly companiesMax: number;
}

/**
 * Refuses more companies than an account may have.
 * @param toCome the number about to be added
 * @param added the number already added by this transaction. It then has the lock of the list's length from the
 * counting trigger, so no other transaction adds companies
 */
export async function companiesFault(
  tx: Tx,
  accountId: number,
  companiesMax: number,
  { toCome = 0, added = 0 },
): Promise<Problem | null> {
  const { rows } = await sql<{ total: number }>`SELECT ${countAll(accountId)} AS total`.execute(tx);
  const { total } = onlyRow(rows);
  if (total + toCome <= companiesMax) return null;
  return new Problem(
    'too_many_companies',
    `会社は、アーカイブしたものを除いて${shown(companiesMax)}社までです（いま${shown(total - added)}社、追加は${shown(toCome + added)}社）。` +
      '使わない会社をアーカイブしてから、やり直してください。',
  );
}

const shown = (companies: number) => companies.toLocaleString('ja-JP');

/**
 * Rolls back a transaction that has added too many companies. It does not check earlier: with the length lock it could
 * deadlock with an import of the same company.
 * @throws Problem
 */
export async function refuseAdded(tx: Tx, accountId: number, companiesMax: number, added: number): Promise<void> {
  const problem = added > 0 ? await companiesFault(tx, accountId, companiesMax, { added }) : null;
  if (problem) throw problem;
}
