import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { z } from 'zod';
import { DAY_MS } from '#domain/time-units.ts';
import type { Db, Tx } from '../../../platform/database/db.ts';
import { recordAudit } from '../../audit/record-audit.ts';
import { readInstallation } from '../pauses/installation.queries.ts';
import { receiptsOf } from './receipt-files.ts';
import { unlessGone } from './receipt-lines.ts';

/*
 * Move receipts. A database set back to before a move would send again what the new home sends. Each machine with a
 * worker therefore records for a year which accounts have left (decisions/account-moves).
 */

const moveReceipt = z.object({
  accountId: z.int(),
  moveNumber: z.int(),
  /** The number of moves before this one. An account that came back has more. */
  moves: z.int(),
  movedTo: z.string(),
  movedAt: z.string(),
  /** When the move froze the account, to the microsecond; the copy has the same value. Version 1.0.0 wrote none. */
  frozenAt: z.string().optional(),
  lateMailTo: z.string().nullable(),
});
export type MoveReceipt = z.output<typeof moveReceipt>;

const MOVES_FOLDER = 'moves';
const KEPT_DAYS = 365;
const TO_THE_MICROSECOND = sql.lit('YYYY-MM-DD"T"HH24:MI:SS.US"Z"');

/** How often the folder is read while no move is new: each mail wakes a worker. */
const READ_EVERY_MS = 60_000;

/** Returns keepMoveReceipts() with that limit, for a loop that is woken often. */
export function moveReceiptKeeper(db: Db): (folder: string) => Promise<void> {
  let last = { moves: '', at: 0 };
  return async (folder) => {
    const rows = await readMoves(db);
    const moves = JSON.stringify([folder, rows]);
    if (moves === last.moves && Date.now() - last.at < READ_EVERY_MS) return;
    writeMoves(rows, folder);
    last = { moves, at: Date.now() };
  };
}

/** Writes a missing receipt for each moved account, and removes receipts older than a year. */
export const keepMoveReceipts = (db: Db, folder: string): Promise<void> => moveReceiptKeeper(db)(folder);

async function readMoves(db: Db): Promise<readonly MoveReceipt[]> {
  const { rows } = await sql<MoveReceipt>`
    SELECT id AS "accountId", move_number AS "moveNumber", moves, moved_to AS "movedTo", late_mail_to AS "lateMailTo",
      to_char(moved_at AT TIME ZONE 'UTC', ${TO_THE_MICROSECOND}) AS "movedAt",
      to_char(frozen_at AT TIME ZONE 'UTC', ${TO_THE_MICROSECOND}) AS "frozenAt"
    FROM account
    WHERE moved_to IS NOT NULL AND moved_at > now() - make_interval(days => ${sql.lit(KEPT_DAYS)})
    ORDER BY id`.execute(db);
  return rows;
}

function writeMoves(rows: readonly MoveReceipt[], folder: string): void {
  const kept = readMoveReceipts(folder);
  const known = new Map(kept.map((one) => [nameOf(one), one.lateMailTo]));
  const moves = join(folder, MOVES_FOLDER);
  // The address for late mails may be set after the move.
  for (const row of rows.filter((one) => known.get(nameOf(one)) !== one.lateMailTo)) {
    mkdirSync(moves, { recursive: true, mode: 0o700 });
    const path = join(moves, nameOf(row));
    // Several workers may write at once: each renames a complete file.
    const written = `${path}.${process.pid}.new`;
    writeFileSync(written, JSON.stringify(row), { mode: 0o600, flush: true });
    renameSync(written, path);
  }
  const oldest = Date.now() - KEPT_DAYS * DAY_MS;
  for (const old of kept.filter(({ movedAt }) => Date.parse(movedAt) < oldest)) {
    rmSync(join(moves, nameOf(old)), { force: true });
  }
}

const nameOf = ({ accountId, moves }: MoveReceipt) => `${accountId}-${moves}.json`;

function readMoveReceipts(folder: string): MoveReceipt[] {
  const moves = join(folder, MOVES_FOLDER);
  const names = unlessGone(() => readdirSync(moves), []).filter((name) => name.endsWith('.json'));
  return names.flatMap((name) => {
    const text = unlessGone(() => readFileSync(join(moves, name), 'utf8'), null);
    return text === null ? [] : moveReceipt.parse(JSON.parse(text));
  });
}

/** Finds accounts that have left by the receipts but are active in this database. */
export async function findLostMoves(db: Db, folder: string): Promise<readonly MoveReceipt[]> {
  const kept = readMoveReceipts(folder);
  if (kept.length === 0) return [];
  const { rows } = await sql<{ id: number; moves: number }>`
    SELECT id, moves FROM account
    WHERE id = ANY (${kept.map(({ accountId }) => accountId)}::bigint[]) AND moved_to IS NULL`.execute(db);
  const present = new Map(rows.map(({ id, moves }) => [id, moves]));
  // Of several moves of an account, the last one decides where it is.
  const last = Map.groupBy(
    kept.toSorted((one, other) => other.moves - one.moves),
    ({ accountId }) => accountId,
  );
  return [...last.values()].flatMap(([latest]) =>
    latest && (present.get(latest.accountId) ?? Number.POSITIVE_INFINITY) <= latest.moves ? [latest] : [],
  );
}

/** Lists such accounts by this machine's receipts. @param root `DATA_DIR/receipts` */
export async function listLostMoves(db: Db, root: string): Promise<readonly MoveReceipt[]> {
  return findLostMoves(db, receiptsOf(root, (await readInstallation(db)).id));
}

/** Marks accounts as moved in a database that was set back; `moved_at` is now. @returns those accounts */
export async function restoreMoves(db: Db, root: string): Promise<readonly MoveReceipt[]> {
  const lost = await listLostMoves(db, root);
  for (const one of lost) await db.transaction().execute((tx) => restoreMove(tx, one));
  return lost;
}

async function restoreMove(tx: Tx, receipt: MoveReceipt): Promise<void> {
  const { accountId, moveNumber, moves, movedTo, frozenAt, lateMailTo } = receipt;
  const { numUpdatedRows } = await tx
    .updateTable('account')
    .set({
      frozen_at: sql<Date>`coalesce(${frozenAt ?? null}::timestamptz, frozen_at, now())`,
      settled_at: sql<Date>`coalesce(settled_at, now())`,
      is_arriving: false,
      move_number: sql<number>`greatest(move_number, ${moveNumber})`,
      moves,
      moved_to: movedTo,
      late_mail_to: lateMailTo,
    })
    .where('id', '=', accountId)
    .where('moved_to', 'is', null)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return;
  await recordAudit(tx, { accountId, memberId: null, kind: 'account_moved', detail: { to: movedTo, moves } });
}
