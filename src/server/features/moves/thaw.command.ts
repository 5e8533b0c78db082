import { pastFreeze } from '../../platform/database/account-db.ts';
import { type Db, isDatabaseUnavailable } from '../../platform/database/db.ts';
import { Problem, type Refusal } from '../../platform/problem.ts';
import { recordAudit } from '../audit/record-audit.ts';
import type { InboxServices, Taken } from '../inbox/take-mail.command.ts';
import { carryOutAct } from '../opt-out/held-act.command.ts';
import { carryOutEvents } from '../sendgrid-events/take-events.command.ts';
import { notifyWorkers } from './freeze.command.ts';
import { type HeldArrival, readNextHeld } from './held.queries.ts';
import { alone, lockMoving, movedAway, stillArriving, underWay } from './moving.queries.ts';

/** The envelope of a held mail, as stored in `head`. */
interface HeldEnvelope {
  readonly recipient: string | null;
  readonly sender: string | null;
}

export interface ThawServices extends Pick<InboxServices, 'db' | 'accountDb'> {
  /** Parses a held mail of the inbox again, and applies it with these services. */
  readonly takeHeldMail: (
    services: Pick<InboxServices, 'now' | 'accountDb'>,
    mail: { readonly source: Buffer; readonly envelope: HeldEnvelope },
  ) => Promise<Taken>;
}

/**
 * Thaws an account. Held requests from outside are processed first, in order and with their times: an opt-out must take
 * effect before any mail is sent. The move number changes, which invalidates copies. A killed thaw can be repeated:
 * requests are idempotent.
 * @returns how many were held, or why it stays frozen
 */
export async function thaw(services: ThawServices, accountId: number): Promise<number | Refusal> {
  return (await alone(services.db, { accountId, what: 'thaw' }, () => thawAlone(services, accountId))) ?? underWay();
}

async function thawAlone(services: ThawServices, accountId: number): Promise<number | Refusal> {
  const { db } = services;
  const problem = await begin(db, accountId);
  if (problem) return problem;
  let held = 0;
  do {
    for (let next = await readNextHeld(db, accountId); next !== null; next = await readNextHeld(db, accountId)) {
      const fault = await faultOf(carryOut(services, accountId, next));
      if (fault !== null) return arrivalFailed(next, fault);
      await db.deleteFrom('held_arrival').where('account_id', '=', accountId).where('id', '=', next.id).execute();
      held += 1;
    }
    // More requests may have arrived since.
  } while (!(await end(db, accountId, held)));
  await notifyWorkers(db);
  return held;
}

/** Invalidates older copies before anything changes. */
const begin = (db: Db, accountId: number): Promise<Refusal | null> =>
  db.transaction().execute(async (tx) => {
    const { isFrozen, moveNumber, movedTo, isArriving } = await lockMoving(tx, accountId);
    if (movedTo !== null) return movedAway(movedTo);
    if (isArriving) return stillArriving();
    if (!isFrozen) return new Problem('not_frozen', 'このアカウントは凍結されていません。');
    await tx
      .updateTable('account')
      .set({ settled_at: null, move_number: moveNumber + 1 })
      .where('id', '=', accountId)
      .execute();
    return null;
  });

/** @returns false while a request is held: none can arrive while the row is locked */
const end = (db: Db, accountId: number, held: number): Promise<boolean> =>
  db.transaction().execute(async (tx) => {
    await lockMoving(tx, accountId);
    if ((await readNextHeld(tx, accountId)) !== null) return false;
    await tx.updateTable('account').set({ frozen_at: null }).where('id', '=', accountId).execute();
    await recordAudit(tx, { accountId, memberId: null, kind: 'thawed_by_operator', detail: { held } });
    return true;
  });

/** @returns null: done @throws if the database is away, so that a retry may succeed */
async function faultOf(work: Promise<void>): Promise<string | null> {
  try {
    await work;
    return null;
  } catch (error) {
    if (isDatabaseUnavailable(error)) throw error;
    return (error as Error).message;
  }
}

/** No request is skipped: it may be an opt-out. */
const arrivalFailed = ({ id, kind }: HeldArrival, fault: string) =>
  new Problem(
    'arrival_failed',
    `預かっていたもの（番号 ${id}、種類 ${kind}）を反映できないため、アカウントは止まったままです（${fault}）。`,
  );

async function carryOut(
  { accountDb, takeHeldMail }: ThawServices,
  accountId: number,
  { kind, deliveryId, head, body, at }: HeldArrival,
): Promise<void> {
  const account = pastFreeze(accountDb(accountId, null));
  switch (kind) {
    case 'refusal':
    case 'undo':
      if (deliveryId !== null) await carryOutAct(account, { kind, deliveryId, head, at });
      return;
    case 'mail': {
      const { recipient, sender } = head as HeldEnvelope;
      const mail = { source: body ?? Buffer.alloc(0), envelope: { recipient, sender } };
      await takeHeldMail({ now: () => at, accountDb: (id) => pastFreeze(accountDb(id, null)) }, mail);
      return;
    }
    case 'events':
      await carryOutEvents(account, body ?? Buffer.from('[]'));
  }
}
