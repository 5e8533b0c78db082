import { accountDbOf, pastFreeze } from '../../platform/database/account-db.ts';
import type { Db, Tx } from '../../platform/database/db.ts';
import { isAccountFrozen } from '../../platform/database/frozen.ts';
import { Problem } from '../../platform/problem.ts';
import type { SecretKeys } from '../../platform/secrets/secret-key.ts';
import { secretsWith } from '../../platform/secrets/secrets.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { loseMailbox } from '../mailboxes/mailbox-state.command.ts';
import {
  accountsWithSeals,
  deleteSeal,
  opens,
  readSeals,
  replaceSeal,
  type StoredSeal,
} from './sealed-rows.queries.ts';

/** What became of the sealed values of a database. */
export interface Renewed {
  /** Sealed anew, or deleted. */
  readonly done: number;
  /** Left with their old key, because none of the present keys opens them. */
  readonly lost: number;
  /** Left with their old key, because their account is frozen. */
  readonly frozen: number;
}

/**
 * Seals all values anew that another key than the current one sealed, account by account. A killed run is repeated.
 * The current key becomes the database's once no value of another is left.
 * @param db of the role kaitaku_service
 */
export async function rotateSeals(db: Db, keys: SecretKeys & { readonly current: object }): Promise<Renewed> {
  const secrets = secretsWith(keys);
  const isOther = (seal: StoredSeal) => seal.secret_key !== keys.current.id;
  const renewed = await eachAccount(db, async (tx, accountId) => {
    const others = (await readSeals(tx, accountId)).filter(isOther);
    let done = 0;
    for (const seal of others.filter((one) => opens(secrets, one))) {
      const value = secrets.open(seal, seal);
      const anew = value instanceof Problem ? value : await secrets.seal(tx, seal, value);
      if (anew instanceof Problem) throw new Error(anew.message);
      if (await replaceSeal(tx, seal, anew)) done += 1;
    }
    return { done, lost: others.length - done };
  });
  const left = (await readSeals(db)).filter(isOther);
  if (left.length === 0) await noteKey(db, keys.current.id);
  return renewed;
}

/**
 * Deletes the values that no present key opens: their members need no code, the company's log-in is off, and mailboxes
 * send nothing, until they are set up anew.
 * @param db of the role kaitaku_service
 */
export async function resetSeals(db: Db, keys: SecretKeys): Promise<Renewed> {
  const secrets = secretsWith(keys);
  const renewed = await eachAccount(db, async (tx, accountId) => {
    const lost = (await readSeals(tx, accountId)).filter((seal) => !opens(secrets, seal));
    for (const seal of lost) await deleteSeal(tx, seal);
    if (lost.length > 0) {
      const rowsOf = (wanted: StoredSeal['kind']) => lost.filter(({ kind }) => kind === wanted).map(({ row }) => row);
      const mailbox_ids = rowsOf('mailbox');
      const detail = {
        member_ids: rowsOf('totp'),
        ...(rowsOf('oidc').length > 0 && { oidc: true as const }),
        ...(mailbox_ids.length > 0 && { mailbox_ids }),
      };
      await recordAudit(tx, { accountId, memberId: null, kind: 'secrets_reset_by_operator', detail });
    }
    return { done: lost.length, lost: 0 };
  });
  const left = await readSeals(db);
  if (left.every((seal) => opens(secrets, seal))) await noteKey(db, left[0]?.secret_key ?? null);
  return renewed;
}

/**
 * Lets the members connect the mailboxes anew whose log-in no present key opens, in a restored database.
 * @param db of the role kaitaku_service
 * @returns their number
 */
export async function reconnectLost(db: Db, keys: SecretKeys): Promise<number> {
  const secrets = secretsWith(keys);
  const { done } = await eachAccount(db, async (tx, accountId) => {
    const seals = await readSeals(tx, accountId);
    const lost = seals.filter((seal) => seal.kind === 'mailbox' && !opens(secrets, seal));
    for (const { row: id } of lost) await loseMailbox(tx, { accountId, id }, 'サーバーの鍵が変わりました');
    return { done: lost.length, lost: 0 };
  });
  return done;
}

const noteKey = (db: Db, secret_key: number | null): Promise<unknown> =>
  db.updateTable('installation').set({ secret_key }).execute();

/**
 * Runs `work` in a transaction of each account with sealed values. Those that are frozen for a move are left; what an
 * account left behind that has moved is not, because a move may be repeated from it.
 */
async function eachAccount(
  db: Db,
  work: (tx: Tx, accountId: number) => Promise<Omit<Renewed, 'frozen'>>,
): Promise<Renewed> {
  const sum = { done: 0, lost: 0, frozen: 0 };
  for (const { id, hasMoved } of await accountsWithSeals(db)) {
    const account = accountDbOf(db)(id, null);
    try {
      const one = await (hasMoved ? pastFreeze(account) : account).transaction((tx) => work(tx, id));
      sum.done += one.done;
      sum.lost += one.lost;
    } catch (error) {
      if (!isAccountFrozen(error)) throw error;
      sum.frozen += (await readSeals(db, id)).length;
    }
  }
  return sum;
}
