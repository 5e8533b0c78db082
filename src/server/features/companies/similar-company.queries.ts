import type { Tx } from '../../platform/db.ts';
import { Refusal } from '../../platform/refusal.ts';
import type { ProspectRow } from '../prospect-import/check-row.ts';
import { findSimilar } from './check-company.queries.ts';

/** Returns the name of a company that was checked: it has one. */
export const nameOf = ({ values }: ProspectRow): string => String(values.company_name);

/** Refuses a name that another company has, until the person has seen it. */
export async function refuseSimilar(
  tx: Tx,
  accountId: number,
  id: number | undefined,
  company: ProspectRow,
  acknowledged: 0 | 1 | undefined,
): Promise<Refusal | null> {
  if (acknowledged === 1) return null;
  const { address } = company.values;
  const named = { id, company_name: nameOf(company), address: address === null ? null : String(address) };
  const [similar] = await findSimilar(tx, accountId, named);
  if (similar === undefined) return null;
  const message = `似た会社があります（${similar.company_name}）。同じ会社でないか確かめてください。`;
  return new Refusal(409, 'similar_company', message);
}
