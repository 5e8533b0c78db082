import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { Call } from '#contract/call.ts';
import { Problem } from '../problem.ts';
import type { AccountDb } from './account-db.ts';
import type { Tx } from './db.ts';

/** A creating request. `key`: its Idempotency-Key, which a client repeats after a lost answer. */
export interface CreateRequest {
  readonly call: Pick<Call, 'method' | 'path'>;
  readonly key: string | undefined;
  /** Params and body: a key is valid for one input only. */
  readonly input: unknown;
}

/**
 * Runs `create` once for each Idempotency-Key of the account, in one transaction.
 * A repeated request gets the first answer for a day. A problem leaves the key unused.
 * @returns what `create` returns; 409 if the key came with another input
 */
export const createOnce = <Answer extends object>(
  account: AccountDb,
  { call, key, input }: CreateRequest,
  create: (tx: Tx) => Promise<Answer | Problem>,
): Promise<Answer | Problem> =>
  account.transaction(async (tx) => {
    if (key === undefined) return create(tx);
    const hash = createHash('sha256')
      .update(JSON.stringify([call.method, call.path, input]))
      .digest();
    const taken = await takeKey(tx, account.id, key, hash);
    if (!taken) return storedAnswer<Answer>(tx, account.id, key, hash);
    const answer = await create(tx);
    await (answer instanceof Problem ? giveKeyBack(tx, account.id, key) : storeAnswer(tx, account.id, key, answer));
    return answer;
  });

/** Takes the key for this transaction, after waiting for a concurrent request with the same key. */
async function takeKey(tx: Tx, accountId: number, key: string, requestHash: Buffer): Promise<boolean> {
  await tx
    .deleteFrom('create_key')
    .where('account_id', '=', accountId)
    .where('created_at', '<', sql<Date>`now() - interval '1 day'`)
    .execute();
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('create_key')
    .values({ account_id: accountId, key, request_hash: requestHash })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows !== 0n;
}

async function giveKeyBack(tx: Tx, accountId: number, key: string): Promise<void> {
  await tx.deleteFrom('create_key').where('account_id', '=', accountId).where('key', '=', key).execute();
}

async function storeAnswer(tx: Tx, accountId: number, key: string, answer: object): Promise<void> {
  await tx
    .updateTable('create_key')
    .set({ answer: JSON.stringify(answer) })
    .where('account_id', '=', accountId)
    .where('key', '=', key)
    .execute();
}

async function storedAnswer<Answer>(
  tx: Tx,
  accountId: number,
  key: string,
  requestHash: Buffer,
): Promise<Answer | Problem> {
  const stored = await tx
    .selectFrom('create_key')
    .select(['request_hash', 'answer'])
    .where('account_id', '=', accountId)
    .where('key', '=', key)
    .executeTakeFirstOrThrow();
  return stored.request_hash.equals(requestHash) ? (stored.answer as Answer) : keyReused();
}

/** Refuses a key that was used with another input. */
export const keyReused = () =>
  new Problem('idempotency_key_reused', '同じ操作が別の内容で送られました。画面を読み込み直してください。');
