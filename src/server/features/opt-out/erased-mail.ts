import { sql } from 'kysely';
import type { Tx } from '../../platform/db.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { addHashedRefusal, readHashedRefusal } from '../suppressions/suppression-hash.queries.ts';
import type { MailOfKey, RefusalSource } from './refused-mail.queries.ts';
import type { Shown, StoredRefusal } from './shown.ts';

/*
 * The key of a mail whose person was erased (features/personal-data). Of its address only the hash is left, and that is
 * what is refused. It cannot be undone on the page.
 */

interface ErasedMail {
  readonly hash: Buffer;
  readonly isTest: boolean;
  readonly senderName: string;
}

/** @returns null for a mail that went to nobody */
async function readErased(tx: Tx, { accountId, deliveryId }: MailOfKey): Promise<ErasedMail | null> {
  const { rows } = await sql<ErasedMail>`
    SELECT d.erased_hash AS hash, d.test_send_mode AS "isTest",
      coalesce(nullif(log.mail -> 'legal' ->> 'official_name', ''), account.company) AS "senderName"
    FROM delivery d
    JOIN send_log log ON log.account_id = d.account_id AND log.id = d.send_log_id
    JOIN account ON account.id = d.account_id
    WHERE d.account_id = ${accountId} AND d.id = ${deliveryId} AND d.erased_hash IS NOT NULL`.execute(tx);
  return rows[0] ?? null;
}

export async function showErased(tx: Tx, found: MailOfKey): Promise<Shown> {
  const mail = await readErased(tx, found);
  if (!mail) return { kind: 'unknown' };
  if (mail.isTest) return { kind: 'test' };
  const at = await readHashedRefusal(tx, found.accountId, mail.hash);
  if (at !== null) return { kind: 'refused', at: at.getTime(), canUndo: false };
  return { kind: 'offer', senderName: mail.senderName, address: null, domain: null };
}

export async function refuseErased(tx: Tx, found: MailOfKey, source: RefusalSource): Promise<Shown | StoredRefusal> {
  const { accountId, deliveryId } = found;
  const mail = await readErased(tx, found);
  if (!mail) return { kind: 'unknown' };
  if (mail.isTest) return { kind: 'test' };
  const at = await readHashedRefusal(tx, accountId, mail.hash);
  if (at !== null) return { kind: 'refused', at: at.getTime(), canUndo: false };
  const ids = await addHashedRefusal(tx, accountId, mail.hash, source);
  const detail = { delivery_id: deliveryId, suppression_ids: ids, source };
  await recordAudit(tx, { accountId, memberId: null, kind: 'opt_out', detail });
  return { ids, shown: { kind: 'done', senderName: mail.senderName, canUndo: false } };
}
