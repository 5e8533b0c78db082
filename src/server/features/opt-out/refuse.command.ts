import { type OptOutReason, UNDO_MINUTES } from '#domain/law/suppression.ts';
import type { AccountDb } from '../../platform/database/account-db.ts';
import type { Db, Tx } from '../../platform/database/db.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { settleSuppressions } from '../delivery/after-sending/cancel-suppressed.queries.ts';
import { refuseHashed } from '../suppressions/suppression-hash.queries.ts';
import { addSuppressions } from '../suppressions/write-suppressions.queries.ts';
import {
  type ErasedMail,
  hasUsedUndos,
  isOwnDomain,
  keepFromOthers,
  type MailOfKey,
  type RefusalSource,
  type RefusedMail,
  readMail,
  readRefusals,
  valuesOf,
} from './refused-mail.queries.ts';
import { provenValues, type Writer } from './writer.queries.ts';

export interface OptOutServices {
  /** A pool of the role kaitaku_login, which finds the account of a key. */
  readonly login: Db;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly accountDb: (accountId: number, memberId: null) => AccountDb;
}

export interface RefusalRequest {
  readonly source: RefusalSource;
  /** The reader opts out all addresses of the domain. */
  readonly wholeDomain: boolean;
  readonly reason: OptOutReason | null;
  /** The person who asked for it in a reply. Their address is suppressed too if it is proven. */
  readonly writer?: Writer;
}

/** The states that the page shows. */
export type Shown =
  /**
   * `address` null: erased. `domain`: the reader may opt out the whole domain; null: other companies have addresses
   * there.
   */
  | {
      readonly kind: 'offer';
      readonly senderName: string;
      readonly address: string | null;
      readonly domain: string | null;
    }
  /** Opted out just now. */
  | { readonly kind: 'done'; readonly senderName: string; readonly canUndo: boolean }
  /** Opted out before. `at`: epoch milliseconds. */
  | { readonly kind: 'refused'; readonly at: number; readonly canUndo: boolean }
  | { readonly kind: 'undone'; readonly senderName: string }
  | { readonly kind: 'too_late' | 'too_often' | 'test' | 'example' | 'unknown' | 'unavailable' };

/**
 * Suppresses the address of a mail, and cancels the account's waiting mails to it.
 * Two transactions: after the first, each claim and mark finds the suppression. The second waits for earlier ones, so
 * that no body starts after the answer. If this process dies between them, the sweep runs the second.
 * A repeated request succeeds.
 */
export async function refuseFoundMail(
  { now, accountDb }: Pick<OptOutServices, 'now' | 'accountDb'>,
  found: MailOfKey,
  request: RefusalRequest,
): Promise<Shown> {
  const account = accountDb(found.accountId, null);
  const stored = await account.transaction((tx) => storeRefusal(tx, found, request, now()));
  if ('kind' in stored) return stored;
  await account.transaction((tx) => settleSuppressions(tx, found.accountId, stored.ids));
  return stored.shown;
}

/** An opt-out whose open mails are still to be cancelled. */
interface StoredRefusal {
  /** Of the suppressions. */
  readonly ids: readonly number[];
  readonly shown: Shown;
}

async function storeRefusal(
  tx: Tx,
  found: MailOfKey,
  request: RefusalRequest,
  now: number,
): Promise<Shown | StoredRefusal> {
  // Locks out a concurrent erasure: it would miss the refusal and leave its address.
  const mail = await readMail(tx, found, { locks: true });
  if (!mail) return { kind: 'unknown' };
  if (mail.isTest) return { kind: 'test' };
  if ('hash' in mail) return refuseErased(tx, found, mail, request.source);
  const added = await addRefusals(tx, found, mail, request, now);
  await keepFromOthers(tx, found, mail);
  const refusals = await readRefusals(tx, found, mail, now);
  const canUndo = refusals.some(({ isUndoable }) => isUndoable);
  const oldest = refusals[0]?.createdAt.getTime() ?? now;
  // A repeated click or request gets the first one's answer.
  const isNew = added.length > 0 || canUndo;
  const shown: Shown = isNew
    ? { kind: 'done', senderName: mail.senderName, canUndo }
    : { kind: 'refused', at: oldest, canUndo };
  return { ids: [...new Set([...refusals.map(({ id }) => id), ...added])], shown };
}

/** @returns the ids of newly added suppressions */
async function addRefusals(
  tx: Tx,
  { accountId, deliveryId }: MailOfKey,
  mail: RefusedMail,
  { source, wholeDomain, reason, writer }: RefusalRequest,
  now: number,
): Promise<readonly number[]> {
  const [address, domain] = valuesOf(mail);
  const isWhole = wholeDomain && (await isOwnDomain(tx, accountId, mail));
  const values = [
    address,
    ...(isWhole ? [domain] : []),
    ...(writer && writer.address !== mail.address
      ? await provenValues(tx, { accountId, deliveryId }, mail, writer)
      : []),
  ];
  const hasUsed = await hasUsedUndos(tx, { accountId, deliveryId });
  const suppression_ids = await addSuppressions(tx, {
    accountId,
    values,
    class: 'refused',
    source,
    memberId: null,
    deliveryId,
    optOutReason: reason,
    ...(!hasUsed && { undoUntil: new Date(now + UNDO_MINUTES * 60_000) }),
  });
  if (suppression_ids.length === 0) return [];
  const detail = { delivery_id: deliveryId, suppression_ids, source };
  await recordAudit(tx, { accountId, memberId: null, kind: 'opt_out', detail });
  return suppression_ids;
}

/** For an erased person, the address's hash is suppressed. That cannot be undone on the page. */
async function refuseErased(
  tx: Tx,
  { accountId, deliveryId }: MailOfKey,
  { hash, senderName }: ErasedMail,
  source: RefusalSource,
): Promise<Shown | StoredRefusal> {
  const refused = await refuseHashed(tx, accountId, hash, source);
  if ('refusedAt' in refused) return { kind: 'refused', at: refused.refusedAt.getTime(), canUndo: false };
  const { ids } = refused;
  const detail = { delivery_id: deliveryId, suppression_ids: ids, source };
  await recordAudit(tx, { accountId, memberId: null, kind: 'opt_out', detail });
  return { ids, shown: { kind: 'done', senderName, canUndo: false } };
}
