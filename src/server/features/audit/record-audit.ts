import type { Db } from '../../platform/db.ts';
import type { AuditEvent } from './audit-event.ts';

/** Writes down what was done, in the transaction that does it: neither is there without the other. One row an act. */
export async function recordAudit(tx: Db, event: AuditEvent): Promise<void> {
  await auditInsert(tx, event).execute();
}

/** The same as a query, for a transaction of a bare client (COPY). */
export const auditInsert = (db: Db, { accountId, memberId, kind, detail }: AuditEvent) =>
  db
    .insertInto('audit_event')
    .values({ account_id: accountId, member_id: memberId, kind, detail: JSON.stringify(detail) });
