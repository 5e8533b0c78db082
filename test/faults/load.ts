import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished } from 'vitest';
import { API_BASE } from '#contract/call.ts';
import { hashOf, newSecret } from '#server/features/auth/secret.ts';
import type { TestDatabase } from '#test/db.ts';
import { switchOffNoticeMails } from '#test/notices.ts';
import { addProspects, addTenant, type Tenant } from '#test/prospects.ts';

/** Users read and send through several `web` processes while these are restarted. */

const ASK_READY_EVERY_MS = 200;

export interface User extends Tenant {
  readonly token: string;
  readonly prospectIds: number[];
}

/** Opens a session in a database of any version: `openSession` writes columns that 1.0.0 lacks. */
async function openOldSession(login: TestDatabase['login'], { accountId, memberId }: Tenant): Promise<string> {
  const token = newSecret();
  const now = new Date();
  const session = { account_id: accountId, member_id: memberId, created_at: now, last_used_at: now };
  await login
    .insertInto('session')
    .values({ ...session, token_hash: hashOf(token) })
    .execute();
  return token;
}

/** Adds a user with enough companies for the whole test: each send takes one. */
export async function addUser({ db, login }: Pick<TestDatabase, 'db' | 'login'>, companies: number): Promise<User> {
  const tenant = await addTenant(db);
  await switchOffNoticeMails(db, tenant);
  const { accountId } = tenant;
  const prospects = Array.from({ length: companies }, (_, n) => ({
    company_email: `info${n}@user${accountId}.example`,
  }));
  return {
    ...tenant,
    token: await openOldSession(login, tenant),
    prospectIds: await addProspects(db, accountId, prospects),
  };
}

export const addressOf = (port: number, path: string) => `http://127.0.0.1:${port}${API_BASE}${path}`;

/** Returns a user's send as the parts of a request. */
export function sendOf({ token, senderId, prospectIds }: User) {
  const attack_list = prospectIds.splice(0, 1).map((prospect_id) => ({ prospect_id }));
  return {
    path: `/mail/send/${senderId}`,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ test_send_mode: 0, attack_list }),
  };
}

export type Ask = (path: string, init: RequestInit) => Promise<Response>;

/**
 * A load balancer in front of several `web` processes.
 * It checks each for readiness, forwards a request to a ready one, and tries the next only if the connection was
 * refused. If none accepts it, it answers 502. The user sees any other fault.
 */
export function balancer(ports: readonly number[]): Ask {
  const ready = new Set<number>(ports);
  let turn = 0;

  async function look(port: number): Promise<void> {
    const is = await fetch(`http://127.0.0.1:${port}/health/ready`).then(
      ({ status }) => status === 200,
      () => false,
    );
    if (is) ready.add(port);
    else ready.delete(port);
  }
  const timer = setInterval(() => void Promise.all(ports.map(look)), ASK_READY_EVERY_MS);
  onTestFinished(() => clearInterval(timer));

  return async function ask(path, init) {
    turn += 1;
    const inTurn = ports.map((_, index) => ports[(index + turn) % ports.length] ?? 0);
    for (const port of ready.size > 0 ? inTurn.filter((one) => ready.has(one)) : inTurn) {
      try {
        return await fetch(addressOf(port, path), init);
      } catch (error) {
        const { code } = ((error as Error).cause ?? {}) as { code?: string };
        if (code !== 'ECONNREFUSED') throw error;
      }
    }
    return new Response(null, { status: 502 });
  };
}

/** The answers that the users have received so far. */
export interface Answers {
  /** All calls, without repetitions. */
  calls: number;
  accepted: number;
  /** 503 with Retry-After: repeated then. */
  deferred: number;
  /** No `web` accepted the call: repeated a second later. */
  unserved: number;
  readonly faults: unknown[];
}

export const countSend = async (answers: Answers, answer: Response): Promise<void> => {
  expect([answer.status, await answer.json()]).toMatchObject([200, { accepted: 1, skipped: [] }]);
  answers.accepted += 1;
};

/**
 * Lets each user read, and send to one company after another, until `end`.
 * @returns the answers, which are counted in `answers`
 */
export function startLoad(
  users: readonly User[],
  ask: Ask,
  { readEveryMs, sendEveryMs }: Readonly<Record<'readEveryMs' | 'sendEveryMs', number>>,
) {
  const answers: Answers = { calls: 0, accepted: 0, deferred: 0, unserved: 0, faults: [] };
  let over = false;
  onTestFinished(() => {
    over = true;
  });
  async function patiently(path: string, init: RequestInit): Promise<Response> {
    answers.calls += 1;
    for (;;) {
      const answer = await ask(path, init);
      const after = answer.headers.get('retry-after');
      if (answer.status === 503 && after !== null) answers.deferred += 1;
      else if (answer.status === 502) answers.unserved += 1;
      else return answer;
      await answer.body?.cancel();
      await sleep(1000 * Number(after ?? 1));
    }
  }
  const keepAsking = async (everyMs: number, request: () => Promise<void>): Promise<void> => {
    while (!over) {
      await request().catch((error: unknown) => answers.faults.push(error));
      await sleep(everyMs);
    }
  };
  const asked = users.flatMap((user) => {
    const read = async () => {
      const answer = await patiently('/sender/list', { headers: { authorization: `Bearer ${user.token}` } });
      expect([answer.status, await answer.json()]).toStrictEqual([
        200,
        [expect.objectContaining({ id: user.senderId })],
      ]);
    };
    const send = async () => {
      const { path, ...request } = sendOf(user);
      await countSend(answers, await patiently(path, { method: 'POST', ...request }));
    };
    return [keepAsking(readEveryMs, read), keepAsking(sendEveryMs, send)];
  });
  const end = async () => {
    over = true;
    await Promise.all(asked);
  };
  return { answers, end };
}
