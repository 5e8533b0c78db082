import { sql } from 'kysely';
import { recordAudit } from '../audit/record-audit.ts';
import { liftSuppressions } from '../suppressions/write-suppressions.queries.ts';
import type { OptOutServices, Shown } from './refuse.command.ts';
import { hasUsedUndos, isUndoable, type MailOfKey, readMail, readRefusals } from './refused-mail.queries.ts';

/**
 * Undoes an opt-out by its key, within its time and at most UNDOS_MAX times.
 * Suppressions by another mail, a person or a file stay. Cancelled mails stay cancelled. A repeated request succeeds.
 */
export function undoFoundRefusal(
  { now, accountDb }: Pick<OptOutServices, 'now' | 'accountDb'>,
  found: MailOfKey,
): Promise<Shown> {
  const { accountId, deliveryId } = found;
  return accountDb(accountId, null).transaction(async (tx) => {
    const mail = await readMail(tx, found);
    if (!mail) return { kind: 'unknown' };
    if (mail.isTest) return { kind: 'test' };
    if ('hash' in mail) return { kind: 'too_late' };
    const chosen = sql<boolean>`class = 'refused' AND ${isUndoable(deliveryId, now())}`;
    // Waits for a concurrent undo, so that it counts.
    await sql`SELECT FROM suppression WHERE account_id = ${accountId} AND ${chosen} ORDER BY id FOR UPDATE`.execute(tx);
    const hasUsed = await hasUsedUndos(tx, found);
    const undone = hasUsed ? [] : await liftSuppressions(tx, accountId, chosen, { memberId: null, reason: 'undone' });
    if (undone.length > 0) {
      const detail = { delivery_id: deliveryId, suppression_ids: undone.map(({ id }) => id) };
      await recordAudit(tx, { accountId, memberId: null, kind: 'opt_out_undone', detail });
    }
    const left = await readRefusals(tx, found, mail, now());
    if (left.length === 0) return { kind: 'undone', senderName: mail.senderName };
    return { kind: hasUsed ? 'too_often' : 'too_late' };
  });
}
