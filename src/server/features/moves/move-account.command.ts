/*
 * Moves an account to another cell (decisions/account-moves). The row at its home decides:
 *
 * 1. freeze  freezes the account under a move number
 * 2. copy    the copy arrives frozen with that number, and is compared table by table
 * 3. decide  one conditional UPDATE at the home writes the new home: this is the move
 * 4. thaw    only then the copy is thawed, if it still has that number
 *
 * A killed move can be repeated. A thaw at the home before step 3 changes the number: that copy is never thawed, and
 * the next run replaces it. Of two concurrent runs the second is refused. If the new home was set back to before the
 * move, steps 2 and 4 are repeated from the rows that were kept, and its sending is paused.
 */
import { sql } from 'kysely';
import type { Database, Db } from '../../platform/database/db.ts';
import { Problem, type Refusal } from '../../platform/problem.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { holdArrival } from '../held-arrivals/hold.ts';
import { copyAccount } from './copy-account.command.ts';
import { type FreezeCalls, type Frozen, freeze, notifyWorkers } from './freeze.command.ts';
import { readNextHeld } from './held.queries.ts';
import { findObstacle, hasLeft, hostFault } from './move-obstacles.queries.ts';
import { alone, thawedMeanwhile, underWay } from './moving.queries.ts';
import { type ThawServices, thaw } from './thaw.command.ts';

export type MoveStep = 'freeze' | 'copy' | 'decide' | 'thaw';

export interface MoveParts extends FreezeCalls {
  /** The account's present home, as the role kaitaku_service. */
  readonly home: Database;
  /** The new home, as a role that bypasses triggers and row level security. */
  readonly target: Database;
  /** The origin at which its members open the web client, at both homes. */
  readonly url: string;
  /** The address for late mails about its mails, with {key}; null: an operator forwards them. */
  readonly lateMailTo: string | null;
  readonly thawServices: (db: Db) => ThawServices;
  /** The operator states that the new home was set back to before the move. */
  readonly isTargetRestored?: boolean;
  /** Called before each step. */
  readonly onStep?: (step: MoveStep) => void | Promise<void>;
}

export interface Moved {
  /** The result of this run's freeze; null: the account had moved before. */
  readonly frozen: Frozen | null;
  /** Rows copied by this run. */
  readonly rows: number;
  /** The account already lived at the target, and this run only recorded that at its old home. */
  readonly isRecorded: boolean;
  /** The cell of the new home. */
  readonly cell: number;
}

/** Moves an account, or completes an interrupted move. */
export async function moveAccount(parts: MoveParts, accountId: number): Promise<Moved | Refusal> {
  const moved = await alone(parts.home.db, { accountId, what: 'move' }, () => moveLocked(parts, accountId));
  return moved ?? underWay();
}

async function moveLocked(parts: MoveParts, accountId: number): Promise<Moved | Refusal> {
  const { home, target, onStep = () => {} } = parts;
  const { movedTo, moveNumber } = await readHome(home.db, accountId);
  if (movedTo === null && (await hasLeft(parts, accountId))) return recordMove(parts, accountId);
  const obstacle = await findObstacle(parts, accountId);
  if (obstacle) return obstacle;
  let frozen: Frozen | null = null;
  let rows = 0;
  if (movedTo !== null) await giveLateMailTo(parts, accountId);
  else {
    await onStep('freeze');
    const done = await freeze(home.db, accountId, parts);
    if (done instanceof Problem) return done;
    frozen = done;
  }
  if (frozen !== null || parts.isTargetRestored) {
    await onStep('copy');
    const settled = { accountId, moveNumber: frozen?.moveNumber ?? moveNumber, isAgain: frozen === null };
    const copied = await copyAccount(home.pool, target.pool, settled);
    if (copied instanceof Problem) return copied;
    rows = copied;
  }
  if (frozen !== null) {
    await onStep('decide');
    if (!(await decide(parts, accountId, frozen.moveNumber))) return thawedMeanwhile();
    await notifyWorkers(home.db);
  }
  await onStep('thaw');
  const problem = await goOn(parts, accountId);
  if (problem) return problem;
  return { frozen, rows, isRecorded: false, cell: await cellOf(target.db) };
}

const cellOf = async (db: Db): Promise<number> =>
  (await db.selectFrom('installation').select('cell').executeTakeFirstOrThrow()).cell;

/** Records an earlier move at a home that was set back. Nothing is copied: the target's rows are newer. */
async function recordMove(parts: MoveParts, accountId: number): Promise<Moved | Refusal> {
  const problem = await hostFault(parts.home.db, accountId);
  if (problem) return problem;
  const frozen = await freeze(parts.home.db, accountId, parts);
  if (frozen instanceof Problem) return frozen;
  if (!(await decide(parts, accountId, frozen.moveNumber))) return thawedMeanwhile();
  await notifyWorkers(parts.home.db);
  return { frozen: null, rows: 0, isRecorded: true, cell: await cellOf(parts.target.db) };
}

interface Home {
  readonly movedTo: string | null;
  readonly moveNumber: number;
  readonly moves: number;
  /** To the microsecond; the copy has the same value. */
  readonly frozenAt: string | null;
}

const frozenAtText = sql<string | null>`extract(epoch FROM frozen_at)::text`;

async function readHome(db: Db, accountId: number): Promise<Home> {
  const row = await db
    .selectFrom('account')
    .select(['moved_to', 'move_number', 'moves', frozenAtText.as('frozen_at')])
    .where('id', '=', accountId)
    .executeTakeFirstOrThrow();
  return { movedTo: row.moved_to, moveNumber: row.move_number, moves: row.moves, frozenAt: row.frozen_at };
}

/** Commits the move; the database writes its time. @returns false: the account was thawed since it was copied */
const decide = (
  { home, url, lateMailTo }: Pick<MoveParts, 'home' | 'url' | 'lateMailTo'>,
  accountId: number,
  moveNumber: number,
): Promise<boolean> =>
  home.db.transaction().execute(async (tx) => {
    const left = await tx
      .updateTable('account')
      .set({ moved_to: url, late_mail_to: lateMailTo })
      .where('id', '=', accountId)
      .where('move_number', '=', moveNumber)
      .where('settled_at', 'is not', null)
      .where('moved_to', 'is', null)
      .returning('moves')
      .executeTakeFirst();
    if (left === undefined) return false;
    const detail = { to: url, moves: left.moves };
    await recordAudit(tx, { accountId, memberId: null, kind: 'account_moved', detail });
    return true;
  });

/** Sets the address for late mails in a later run than the move: held mails are passed on then. */
async function giveLateMailTo({ home, lateMailTo }: MoveParts, accountId: number): Promise<void> {
  if (lateMailTo === null) return;
  await home.db.updateTable('account').set({ late_mail_to: lateMailTo }).where('id', '=', accountId).execute();
  await notifyWorkers(home.db);
}

/** Thaws the copy of a moved account. Does nothing if it is thawed already. */
async function goOn({ home, target, thawServices }: MoveParts, accountId: number): Promise<Refusal | null> {
  const { moveNumber, moves, frozenAt } = await readHome(home.db, accountId);
  const from_cell = await cellOf(home.db);
  await target.db.transaction().execute(async (tx) => {
    const { numUpdatedRows } = await tx
      .updateTable('account')
      .set({ is_arriving: false, moves: moves + 1 })
      .where('id', '=', accountId)
      .where('is_arriving', '=', true)
      .where('move_number', '=', moveNumber)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) return;
    const detail = { from_cell, moves: moves + 1 };
    await recordAudit(tx, { accountId, memberId: null, kind: 'account_arrived', detail });
  });
  const { rows } = await sql<{ isHere: boolean; movedTo: string | null; isStill: boolean }>`
    SELECT NOT is_arriving AND moves > ${moves} AS "isHere", moved_to AS "movedTo",
      ${frozenAtText} IS NOT DISTINCT FROM ${frozenAt} AS "isStill"
    FROM account WHERE id = ${accountId}`.execute(target.db);
  const [copy] = rows;
  if (!copy?.isHere) return notThere();
  if (copy.movedTo !== null) return movedOn(copy.movedTo);
  if (!copy.isStill) return null;
  await handOver(home.db, target.db, accountId);
  const thawed = await thaw(thawServices(target.db), accountId);
  return thawed instanceof Problem ? thawed : null;
}

/**
 * Hands over the requests held since the freeze: the thaw processes them before it sends a mail. Later ones are passed
 * on.
 */
async function handOver(home: Db, target: Db, accountId: number): Promise<void> {
  for (let next = await readNextHeld(home, accountId); next !== null; next = await readNextHeld(home, accountId)) {
    const arrival = { ...next, head: next.head as object };
    await target.transaction().execute((tx) => holdArrival(tx, accountId, arrival));
    await home.deleteFrom('held_arrival').where('account_id', '=', accountId).where('id', '=', next.id).execute();
  }
}

const movedOn = (home: string) =>
  new Problem(
    'moved_on',
    `このアカウントは、--to のデータベースからさらに ${home} へ移りました。今のデータベースを --to に指定してください。`,
  );

const notThere = () =>
  new Problem(
    'not_there',
    '移行元では移行済みですが、--to のデータベースにこのアカウントがありません。前と同じ移行先を指定してください。' +
      '移行先を移行前のバックアップに戻したときは、--target-restored を付けて実行してください。',
  );
