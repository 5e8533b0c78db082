import type { Tx } from '../../platform/database/db.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { readHashedRefusal, refuseHashed } from '../suppressions/suppression-hash.queries.ts';
import type { ErasedMail, MailOfKey, RefusalSource } from './refused-mail.queries.ts';
import type { Shown, StoredRefusal } from './shown.ts';

/*
 * The page of a mail whose person was erased. The hash of its address is what is refused. It cannot be undone there.
 */

export async function showErased(tx: Tx, accountId: number, { hash, senderName }: ErasedMail): Promise<Shown> {
  const at = await readHashedRefusal(tx, accountId, hash);
  if (at !== null) return { kind: 'refused', at: at.getTime(), canUndo: false };
  return { kind: 'offer', senderName, address: null, domain: null };
}

export async function refuseErased(
  tx: Tx,
  { accountId, deliveryId }: MailOfKey,
  { hash, senderName }: ErasedMail,
  source: RefusalSource,
): Promise<Shown | StoredRefusal> {
  const refused = await refuseHashed(tx, accountId, hash, source);
  if ('refusedAt' in refused) return { kind: 'refused', at: refused.refusedAt.getTime(), canUndo: false };
  const { ids } = refused;
  const detail = { delivery_id: deliveryId, suppression_ids: ids, source };
  await recordAudit(tx, { accountId, memberId: null, kind: 'opt_out', detail });
  return { ids, shown: { kind: 'done', senderName, canUndo: false } };
}
