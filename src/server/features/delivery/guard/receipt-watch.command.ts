import { sql } from 'kysely';
import { isNotFrozen } from '../../../platform/database/frozen.ts';
import type { WorkerContext } from '../leases/worker-context.ts';
import type { WriteWatch } from './receipts.ts';

/** Watches whether this worker can write its receipts. */
export interface ReceiptWatch extends Required<WriteWatch> {
  /** Notifies, once a day, the accounts whose real mails had no receipt since the last call. */
  tellAccounts(): Promise<void>;
}

/** The key of the advisory lock: the workers of a machine fail together, and one of them notifies. */
const TELL_LOCK = 7_101_058;

export function receiptWatch({ db, log, metrics }: Pick<WorkerContext, 'db' | 'log' | 'metrics'>): ReceiptWatch {
  const accounts = new Set<number>();
  return {
    onWritten: () => metrics?.receiptsUnwritable.set(0),
    onFault(error, unwritten) {
      metrics?.receiptsUnwritable.set(1);
      log.error({ err: error, deliveries: unwritten.map(({ id }) => id) }, RECEIPTS_NOT_WRITTEN);
      for (const { accountId, contact } of unwritten) if (contact !== null) accounts.add(accountId);
    },
    async tellAccounts() {
      const told = [...accounts];
      if (told.length === 0) return;
      await db.transaction().execute(async (tx) => {
        await sql`SELECT pg_advisory_xact_lock(${sql.lit(TELL_LOCK)})`.execute(tx);
        await sql`
          INSERT INTO notice_event (account_id, kind)
          SELECT id, 'receipts_unwritable' FROM account
          WHERE id = ANY (${told}::bigint[]) AND ${isNotFrozen('account.id')}
            AND NOT EXISTS (
              SELECT FROM notice_event AS e WHERE e.account_id = account.id AND e.kind = 'receipts_unwritable')
            AND NOT EXISTS (
              SELECT FROM notice AS n WHERE n.account_id = account.id AND n.kind = 'receipts_unwritable'
                AND n.last_at > now() - interval '1 day')`.execute(tx);
      });
      for (const account of told) accounts.delete(account);
    },
  };
}

const RECEIPTS_NOT_WRITTEN =
  'could not write delivery receipts; should this worker die now, their mails become unknown, ' +
  'and a restored database may send them again';
