import type pg from 'pg';
import { BEGIN_SNAPSHOT, inClientTransaction } from '../../platform/database/client-transaction.ts';
import { dbOn } from '../../platform/database/db.ts';
import { onlyRow } from '../../platform/database/only-row.ts';
import { Problem, type Refusal } from '../../platform/problem.ts';
import {
  copyIn,
  copyOut,
  lastNumber,
  ofAccount,
  raiseNumber,
  readTables,
  SAME_TEXT,
  sumOf,
  type Table,
  type TableSum,
} from '../backup/tables.ts';
import { holdOpen } from '../delivery/pauses/held.command.ts';
import { recordServer } from '../delivery/pauses/installation.queries.ts';
import { sealsProblem } from '../seals/sealed-rows.queries.ts';
import { moveLockKey, type There, thawedMeanwhile, thereFault, underWay } from './moving.queries.ts';

/** Tables that a move does not copy. All others are copied. */
export const NOT_MOVED: Readonly<Record<string, string>> = {
  schema_migration: 'the migrations write it',
  installation: 'each cell has its own',
  transport: 'the mail server is the cell’s',
  inbox: 'the mailbox is the cell’s',
  inbox_parse: 'mails of that mailbox',
  receipt_worker: 'workers of the cell',
  task_run: 'processes of the cell',
  rate_limit: 'attempts of the last hours',
  oidc_start: 'log-ins of the last minutes',
  oauth_start: 'consents of the last minutes',
  held_arrival: 'passed on to the new home, which answers each',
};

/** An account that is completely frozen under a move number. */
interface Settled {
  readonly accountId: number;
  readonly moveNumber: number;
  /** The account has moved before, and its new home was set back to before that move. */
  readonly isAgain: boolean;
}

/**
 * Copies a settled account to another database, and compares the copy.
 * Replaces an older copy, and the remains of an earlier stay. Requests held there are kept for the thaw.
 * @param target a pool of a role with session_replication_role and BYPASSRLS
 * @returns the rows, or why it is not copied; then the target is unchanged
 */
export const copyAccount = (home: pg.Pool, target: pg.Pool, settled: Settled): Promise<number | Refusal> =>
  inClientTransaction(
    home,
    async (from) => {
      await from.query(`SET LOCAL idle_in_transaction_session_timeout = 0; ${SAME_TEXT}`);
      const result = await copyFrom(from, target, settled);
      return { commit: true, result };
    },
    BEGIN_SNAPSHOT,
  );

async function copyFrom(
  from: pg.ClientBase,
  target: pg.Pool,
  { accountId, moveNumber, isAgain }: Settled,
): Promise<number | Refusal> {
  const { rows } = await from.query<{ is: boolean; moves: number; movedAt: string }>(
    `SELECT settled_at IS NOT NULL AND move_number = $2 AND (moved_to IS NOT NULL) = $3 AS is, moves,
       moved_at::text AS "movedAt"
     FROM account WHERE id = $1`,
    [accountId, moveNumber, isAgain],
  );
  const { is, moves, movedAt } = onlyRow(rows);
  if (!is) return thawedMeanwhile();
  const tables = await readMoved(from);
  const copied = await inClientTransaction<number | Refusal>(target, async (to) => {
    // Disables triggers and foreign keys: the rows are complete.
    await to.query(`SET LOCAL idle_in_transaction_session_timeout = 0; SET LOCAL session_replication_role = replica;
      ${SAME_TEXT}`);
    // Asked again: a member may have set up a second step before the freeze.
    const problem = (await lockTarget(to, { accountId, moves })) ?? (await sealsProblem(from, to, accountId));
    if (problem) return { commit: false, result: problem };
    const result = await loadTables(from, to, tables, accountId);
    if (result instanceof Problem) return { commit: false, result };
    await to.query(
      'UPDATE account SET is_arriving = true, moved_to = NULL, moved_at = NULL, late_mail_to = NULL WHERE id = $1',
      [accountId],
    );
    if (isAgain) await pauseAsRestored(to, accountId, movedAt);
    return { commit: true, result };
  });
  // Otherwise the account's first queries would be planned for an empty one.
  if (!(copied instanceof Problem)) await target.query(`ANALYZE ${tables.map(({ name }) => name).join(', ')}`);
  return copied;
}

/**
 * Pauses all sending of the target until receipts show which mails were sent since the move. For the target, the copy
 * is a backup of that time, whatever was restored and resumed there before. The account's open work waits for its
 * members. Open work of others remains to be held, unless sending was resumed in this state, which asks about it.
 */
async function pauseAsRestored(to: pg.PoolClient, accountId: number, movedAt: string): Promise<void> {
  await recordServer(dbOn(to));
  await holdOpen(dbOn(to), { only: accountId, isDecidedLeft: false });
  await to.query(
    `UPDATE installation SET rewound_at = coalesce(rewound_at, now()), restored_from = greatest(restored_from, $1),
       receipts_until = greatest(receipts_until, $1),
       held_at = CASE WHEN rewound_at IS NULL AND held_at IS NOT NULL THEN now() ELSE held_at END`,
    [movedAt],
  );
}

/**
 * Reads the copied tables. The table of accounts comes last: until its row is replaced, the target holds incoming
 * requests as before.
 * @param from in a session of kaitaku_service
 */
export async function readMoved(from: pg.ClientBase): Promise<readonly Table[]> {
  const { rows } = await from.query<{ service: string }>('SELECT current_user AS service');
  const tables = await readTables(from, onlyRow(rows).service);
  const moved = tables.filter(({ name }) => !(name in NOT_MOVED));
  return [...moved.filter(({ name }) => name !== 'account'), ...moved.filter(({ name }) => name === 'account')];
}

/** Blocks other moves and deletes until the end. @returns why a copy may not replace the target's data */
async function lockTarget(
  to: pg.ClientBase,
  { accountId, moves }: { readonly accountId: number; readonly moves: number },
): Promise<Refusal | null> {
  const locked = await to.query<{ is: boolean }>('SELECT pg_try_advisory_xact_lock($1::integer, $2::integer) AS is', [
    ...moveLockKey(accountId),
  ]);
  if (!onlyRow(locked.rows).is) return underWay();
  const { rows } = await to.query<There>(
    'SELECT is_arriving AS "isArriving", moved_to AS "movedTo", moves FROM account WHERE id = $1',
    [accountId],
  );
  return thereFault(accountId, rows[0], moves);
}

/** Loads an account, and replaces what an interrupted move or an earlier stay has left. */
async function loadTables(
  from: pg.ClientBase,
  to: pg.ClientBase,
  tables: readonly Table[],
  accountId: number,
): Promise<number | Refusal> {
  let rows = 0;
  const differing: string[] = [];
  for (const table of tables) {
    const sent: { sum?: TableSum } = {};
    async function* text() {
      sent.sum = yield* copyOut(from, table, accountId);
    }
    await to.query(`DELETE FROM ${table.name}${ofAccount(table, accountId)}`);
    await copyIn(to, table, text(), { isEmptied: false });
    const arrived = await sumOf(to, table, accountId);
    if (arrived.sha256 !== sent.sum?.sha256 || arrived.rows !== sent.sum.rows) differing.push(table.name);
    // Accounts have the id range of their cell, so only the other sequences are raised.
    if (table.account === 'account_id') await raiseNumber(to, table, await lastNumber(from, table));
    rows += arrived.rows;
  }
  if (differing.length === 0) return rows;
  return new Problem(
    'copy_differs',
    `コピーが移行元と一致しないため、取り消しました（${differing.join('、')}）。この結果を開発元に知らせてください。`,
  );
}
