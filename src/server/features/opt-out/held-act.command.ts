import { UNDO_MINUTES, UNDOS_MAX } from '#domain/law/suppression.ts';
import { MINUTE_MS } from '#domain/time-units.ts';
import type { AccountDb } from '../../platform/database/account-db.ts';
import type { Tx } from '../../platform/database/db.ts';
import { countHeld, holdArrival, lastHeldAct, movesWhenLeft } from '../held-arrivals/hold.ts';
import { type RefusalRequest, refuseFoundMail, type Shown } from './refuse.command.ts';
import { type MailOfKey, readMail, readMovedMail, readRefusals } from './refused-mail.queries.ts';
import { undoFoundRefusal } from './undo.command.ts';

/*
 * Holds the actions of a mail's reader on its link while the account is frozen. They are answered as done, and the thaw
 * carries them out before it sends a mail. A repeated action is held once, and a reader may undo UNDOS_MAX times.
 */

/** The stored opt-out. `round`: the number of undos held before it, so that it is not taken for a repetition. */
interface HeldRefusal extends Pick<RefusalRequest, 'source' | 'wholeDomain' | 'reason'> {
  readonly round: number;
}

const undosHeld = (tx: Tx, { accountId, deliveryId }: MailOfKey): Promise<number> =>
  countHeld(tx, accountId, deliveryId, 'undo');

/** Reads a mail of the account, also of one that has moved. */
const readKnownMail = async (tx: Tx, found: MailOfKey) => (await readMail(tx, found)) ?? readMovedMail(tx, found);

export async function holdRefusal(
  tx: Tx,
  found: MailOfKey,
  { source, wholeDomain, reason }: RefusalRequest,
): Promise<Shown> {
  const mail = await readKnownMail(tx, found);
  if (!mail) return { kind: 'unknown' };
  if (mail.isTest) return { kind: 'test' };
  const round = await undosHeld(tx, found);
  const head: HeldRefusal = { source, wholeDomain, reason, round };
  await holdArrival(tx, found.accountId, { kind: 'refusal', deliveryId: found.deliveryId, head, body: null });
  return { kind: 'done', senderName: mail.senderName, canUndo: !('hash' in mail) && round < UNDOS_MAX };
}

/** @param now epoch milliseconds */
export async function holdUndo(tx: Tx, found: MailOfKey, now: number): Promise<Shown> {
  const { accountId, deliveryId } = found;
  const mail = await readKnownMail(tx, found);
  if (!mail) return { kind: 'unknown' };
  if (mail.isTest) return { kind: 'test' };
  if ('hash' in mail) return { kind: 'too_late' };
  const undone: Shown = { kind: 'undone', senderName: mail.senderName };
  const last = await lastHeldAct(tx, accountId, deliveryId);
  if (last?.kind === 'undo') return undone;
  const refusals = 'address' in mail ? await readRefusals(tx, found, mail, now) : [];
  // The opt-out may have been passed on to the new home.
  const isElsewhere = refusals.length === 0 && (await movesWhenLeft(tx, accountId)) !== null;
  if (last === null && refusals.length === 0 && !isElsewhere) return undone;
  const round = await undosHeld(tx, found);
  if (round >= UNDOS_MAX) return { kind: 'too_often' };
  const isInTime =
    last === null ? isElsewhere || refusals.some(({ isUndoable }) => isUndoable) : isUndoableAct(last.at, now);
  if (!isInTime) return { kind: 'too_late' };
  await holdArrival(tx, accountId, { kind: 'undo', deliveryId, head: { round }, body: null });
  return undone;
}

const isUndoableAct = (at: number, now: number): boolean => now < at + UNDO_MINUTES * MINUTE_MS;

/** Shows the held actions of a mail's reader; null: none, or an undo, after which the page looks as at first. */
export async function showHeld(tx: Tx, { accountId, deliveryId }: MailOfKey, now: number): Promise<Shown | null> {
  const last = await lastHeldAct(tx, accountId, deliveryId);
  return last?.kind === 'refusal' ? { kind: 'refused', at: last.at, canUndo: isUndoableAct(last.at, now) } : null;
}

/** A reader's held action. `at`: epoch milliseconds. */
interface HeldAct {
  readonly kind: 'refusal' | 'undo';
  readonly deliveryId: number;
  readonly head: unknown;
  readonly at: number;
}

/** Carries out a reader's action as at its time. A repeated call changes nothing. */
export async function carryOutAct(account: AccountDb, { kind, deliveryId, head, at }: HeldAct): Promise<void> {
  const services = { now: () => at, accountDb: () => account };
  const found = { accountId: account.id, deliveryId };
  if (kind === 'undo') await undoFoundRefusal(services, found);
  else await refuseFoundMail(services, found, head as HeldRefusal);
}
