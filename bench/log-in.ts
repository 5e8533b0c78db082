import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { API_BASE } from '#contract/call.ts';
import { hashPassword } from '#server/features/auth/password.ts';
import { openDatabase } from '#server/platform/database/db.ts';
import { addAccount } from '#test/accounts.ts';
import { clientAt } from '#test/client.ts';
import { startOwnPostgres } from '#test/own-postgres.ts';
import type { Ports } from './api-server.ts';
import { median, ms, print } from './figures.ts';
import { startSite } from './site.ts';

/**
 * Measures what a log-in tells by its time, and what the look at a session costs.
 * `npm run bench -- log-in [--tries 400] [--beside DIR] [--rounds 15]`. Refused log-ins of unknown addresses, of
 * members and of members with a second step, in turn and each with an address of its own. An AUC of 0.5 tells nothing:
 * it is how often a slower answer is of the one kind. DIR is a built checkout: the demo's list is read there in turn.
 */
const { values } = parseArgs({
  options: {
    tries: { type: 'string', default: '400' },
    beside: { type: 'string' },
    rounds: { type: 'string', default: '15' },
  },
});
const TRIES = Number(values.tries);
const KINDS = ['an unknown address', 'a member', 'a member with a second step'] as const;
const PASSWORD = '正しい馬 電池 ホチキス';

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

/** Returns how often a value of one list is above one of the other; equal ones count half. */
function aucOf(ones: readonly number[], others: readonly number[]): number {
  const above = ones.flatMap((one) => others.map((other) => (one > other ? 1 : one === other ? 0.5 : 0)));
  const auc = above.reduce((sum: number, value) => sum + value, 0) / above.length;
  return Math.max(auc, 1 - auc);
}

const emailOf = (kind: number, n: number): string => `person${kind}-${n}@example.com`;

/** Refuses log-ins in turn. @returns their milliseconds by kind */
async function refuse(): Promise<readonly number[][]> {
  const postgres = await startOwnPostgres();
  const { db, close } = openDatabase(postgres.url);
  const passwordHash = await hashPassword(PASSWORD);
  for (let n = 0; n < TRIES; n += 1) {
    await addAccount(db, { email: emailOf(1, n), passwordHash });
    const { accountId: account_id, memberId: member_id } = await addAccount(db, { email: emailOf(2, n), passwordHash });
    const sealed = { secret: Buffer.alloc(49), secret_key: 1, confirmed_at: new Date() };
    await db
      .insertInto('member_totp')
      .values({ account_id, member_id, ...sealed })
      .execute();
  }
  const server = fork(join(import.meta.dirname, 'api-server.ts'), [postgres.url, '1', '1']);
  server.send([]);
  const [{ app }] = (await once(server, 'message')) as [Ports];
  const visitor = clientAt(`http://127.0.0.1:${app}${API_BASE}`, '');
  const times: number[][] = KINDS.map(() => []);
  for (let n = 0; n < TRIES; n += 1) {
    // The order changes, so that none always follows the same.
    for (let turn = 0; turn < KINDS.length; turn += 1) {
      const kind = (turn + n) % KINDS.length;
      const body = { email: emailOf(kind, n), password: 'まちがったパスワード' };
      times[kind]?.push(await timed(() => visitor.post('/auth/login', body)));
    }
  }
  server.kill();
  await close();
  await postgres.stop();
  return times;
}

/** Reads a page of the demo's list here and beside, in turn. */
async function readLists(folder: string): Promise<void> {
  const sites = [await startSite('this', join(import.meta.dirname, '..')), await startSite('beside', resolve(folder))];
  const readers = await Promise.all(
    sites.map(async ({ url, session }) => {
      const { token } = (JSON.parse(session) as { state: { token: string } }).state;
      const client = clientAt(url + API_BASE, `Bearer ${token}`);
      const [group] = (await client.get('/sender_group/list')).body as { id: number }[];
      const path = `/prospect/view?sender_group_id=${group?.id}&pagenate_num=1&pagenate_count=50`;
      return { read: () => client.get(path), times: [] as number[] };
    }),
  );
  for (let round = 0; round <= Number(values.rounds); round += 1) {
    for (const { read, times } of round % 2 === 0 ? readers : readers.toReversed()) {
      // A member may make 600 calls a minute. The first round warms up.
      for (let n = 0; n < 30; n += 1) {
        const time = await timed(read);
        if (round > 0) times.push(time);
      }
    }
  }
  const [here = 0, there = 0] = readers.map(({ times }) => median(times));
  print('', '| list of 50 | here, ms | beside, ms | rate here of beside |', '| --- | --- | --- | --- |');
  print(`| one reader | ${ms(here)} | ${ms(there)} | ${(there / here).toFixed(2)} |`);
  await Promise.all(sites.map(({ stop }) => stop()));
}

const times = await refuse();
const [unknown = []] = times;
const half = (from: number) => unknown.filter((_, n) => n % 2 === from);
print('| refused log-in | median, ms | AUC to an unknown address |', '| --- | --- | --- |');
KINDS.forEach((kind, n) => {
  // Of one kind with itself: what chance makes of it here.
  const auc = n === 0 ? aucOf(half(0), half(1)) : aucOf(unknown, times[n] ?? []);
  print(`| ${kind} | ${ms(median(times[n] ?? []))} | ${auc.toFixed(3)} |`);
});
if (values.beside !== undefined) await readLists(values.beside);
process.exit();
