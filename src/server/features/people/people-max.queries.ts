import { sql } from 'kysely';
import type { Tx } from '../../platform/database/db.ts';
import { onlyRow } from '../../platform/database/only-row.ts';
import { Problem } from '../../platform/problem.ts';

/** PEOPLE_MAX: the most people of an account, archived ones and those of archived companies too. */
export interface PeopleMax {
  readonly peopleMax: number;
}

/**
 * Refuses more people than an account may have. Counts them by the primary key: a counter, as that of the companies,
 * would be locked from an import's first person on, while the import still waits for companies.
 * @param toCome the number about to be added
 * @param added the number already added by this transaction
 */
export async function peopleFault(
  tx: Tx,
  accountId: number,
  peopleMax: number,
  { toCome = 0, added = 0 },
): Promise<Problem | null> {
  const { rows } = await sql<{ total: number }>`
    SELECT count(*)::integer AS total FROM person WHERE account_id = ${accountId}`.execute(tx);
  const { total } = onlyRow(rows);
  if (total + toCome <= peopleMax) return null;
  return new Problem(
    'too_many_people',
    `人は${shown(peopleMax)}人までです（いま${shown(total - added)}人、追加は${shown(toCome + added)}人）。`,
  );
}

const shown = (people: number) => people.toLocaleString('ja-JP');
