import type { Db } from '../../platform/database/db.ts';
import type { AuditEvent } from './audit-event.ts';

/** Inserts one row for an act, in the transaction of the act: both are committed, or neither. */
export async function recordAudit(tx: Db, event: AuditEvent): Promise<void> {
  await auditInsert(tx, event).execute();
}

/** Returns that insert as a query, for a transaction of a bare client (COPY). */
export const auditInsert = (db: Db, { accountId, memberId, kind, detail }: AuditEvent) =>
  db
    .insertInto('audit_event')
    .values({ account_id: accountId, member_id: memberId, kind, detail: JSON.stringify(detail) });
