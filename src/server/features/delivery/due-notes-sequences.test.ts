import fc from 'fast-check';
import { type RawBuilder, sql } from 'kysely';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { form } from '#test/faults/form.ts';
import { addSender, addTenant, addTextOf, type Tenant } from '#test/prospects.ts';
import { acceptRun, claimMails, finishDeliveries, markSending } from '#test/sending.ts';
import { giveBack } from '../reservations/give-back.command.ts';
import { steerRun } from '../runs/run-control.command.ts';
import { secondsUntilDue } from './claim/claim.queries.ts';
import type { Claim } from './leases/claim.ts';
import { requeueClaims } from './leases/lease.queries.ts';
import { recordSenderLimits } from './quota/sender-limits.command.ts';
import { setSenderPace } from './quota/sender-pace.command.ts';
import { sweepLostClaims } from './results/sweep.queries.ts';

/**
 * What queues mail and what claims it, in any order, over three texts of one profile and another profile. Always a note
 * announces each mail, and the oldest due mail of its profile is claimed first. In the end each mail has been claimed.
 */

const ACTS = [
  'accept',
  'claim',
  'finish',
  'defer',
  'requeue',
  'limit',
  'pace',
  'pause',
  'resume',
  'die',
  'wait',
] as const;
type Act = (typeof ACTS)[number];
type Step = readonly [act: Act, choice: number];

interface Scene {
  readonly database: TestDatabase;
  /** Three texts of one profile, and a sender of another one. */
  readonly senders: readonly Tenant[];
  held: readonly Claim[];
}

async function makeScene(): Promise<Scene> {
  const database = await emptyDatabase();
  const { db } = database;
  const tenant = await addTenant(db);
  const texts = [tenant, await addTextOf(db, tenant), await addTextOf(db, tenant)];
  return { database, senders: [...texts, { ...tenant, senderId: await addSender(db, tenant) }], held: [] };
}

const rowsOf = async <Row>({ database }: Scene, query: RawBuilder<Row>): Promise<Row[]> =>
  (await query.execute(database.db)).rows;

/** Takes the first held claims. */
function take(scene: Scene, count: number): readonly Claim[] {
  const taken = scene.held.slice(0, count);
  scene.held = scene.held.slice(count);
  return taken;
}

/** Claims so many mails. The first is the oldest due one of its profile, and they are of one sender. */
async function claim(scene: Scene, rows: number): Promise<readonly Claim[]> {
  const oldest = await rowsOf(
    scene,
    sql<{ id: number }>`
      SELECT DISTINCT ON (profile_id) id FROM delivery
      WHERE state = 'queued' AND not_before <= now() ORDER BY profile_id, not_before, id`,
  );
  const claims = await claimMails(scene.database, { rows });
  if (claims.length > 0) {
    expect(claims.some(({ id }) => oldest.some((first) => first.id === id))).toBe(true);
    expect(new Set(claims.map(({ senderId }) => senderId)).size).toBe(1);
  }
  scene.held = [...scene.held, ...claims];
  return claims;
}

const runs = (scene: Scene, isPaused: boolean) =>
  rowsOf(
    scene,
    sql<{ id: number; account_id: number }>`
      SELECT id, account_id FROM send_log WHERE (paused_by IS NOT NULL) = ${isPaused} ORDER BY id`,
  );

async function steer(scene: Scene, state: 'paused' | 'sending', choice: number): Promise<void> {
  const all = await runs(scene, state === 'sending');
  const run = all[choice % all.length];
  if (!run) return;
  const { accountId, memberId } = scene.senders[0] as Tenant;
  await steerRun(scene.database.account(accountId, memberId), run.id, state, giveBack);
}

const perform: Record<Act, (scene: Scene, choice: number) => Promise<unknown>> = {
  accept: ({ database, senders }, choice) => acceptRun(database, senders[choice % 4] as Tenant, 1 + (choice % 3)),
  claim: (scene, choice) => claim(scene, 1 + (choice % 4)),
  async finish(scene, choice) {
    const claims = take(scene, 1 + (choice % 2));
    await markSending(scene.database.service.db, claims);
    const sent = claims.map((one) => ({ claim: one, outcome: { kind: 'sent', reply: '250' } as const }));
    await finishDeliveries(scene.database.service.db, sent);
  },
  defer: (scene) =>
    finishDeliveries(
      scene.database.service.db,
      take(scene, 1).map((one) => ({ claim: one, outcome: { kind: 'deferred', reply: '450' } })),
    ),
  requeue: (scene, choice) => requeueClaims(scene.database.service.db, take(scene, 1 + (choice % 3))),
  async limit(scene) {
    const { db } = scene.database.service;
    const met = take(scene, 1).map((one) => ({
      claim: one,
      outcome: { kind: 'limited', reply: '550 5.4.5', seconds: 3600 } as const,
    }));
    await finishDeliveries(db, met);
    await recordSenderLimits({ db, log: pino({ level: 'silent' }) }, met);
    // What all senders learn from it is another matter.
    await sql`UPDATE transport SET limit_suspected = false`.execute(scene.database.db);
  },
  pace: ({ database, senders }, choice) => {
    const { accountId, senderId: id } = senders[choice % 4] as Tenant;
    return setSenderPace(database.service.db, { accountId, id }, { connections: 4 + (choice % 3) });
  },
  pause: (scene, choice) => steer(scene, 'paused', choice),
  resume: (scene, choice) => steer(scene, 'sending', choice),
  async die(scene) {
    await sql`UPDATE delivery SET lease_until = 'epoch' WHERE lease_until IS NOT NULL`.execute(scene.database.db);
    await sweepLostClaims(scene.database.service.db);
    scene.held = [];
  },
  wait: ({ database }) => pass(database),
};

/** A quarter of an hour passes. */
async function pass({ db }: TestDatabase): Promise<void> {
  const earlier = (column: string) => sql`${sql.ref(column)} = ${sql.ref(column)} - interval '16 minutes'`;
  await sql`UPDATE delivery SET ${earlier('not_before')} WHERE state = 'queued' AND not_before < 'infinity'`.execute(
    db,
  );
  await sql`UPDATE sender_due SET ${earlier('due_at')}`.execute(db);
  await sql`UPDATE sender_throttle SET ${earlier('probe_at')}, ${earlier('next_at')}`.execute(db);
}

/** Mails that no note announces. A limited profile's are announced for its next try. */
const unannounced = (scene: Scene) =>
  rowsOf(
    scene,
    sql`
      SELECT d.id, d.not_before, d.sender_id FROM delivery d
      JOIN sender_throttle t ON t.account_id = d.account_id AND t.profile_id = d.profile_id
      WHERE d.state = 'queued' AND d.not_before < 'infinity' AND NOT EXISTS (
        SELECT FROM sender_due n WHERE n.account_id = d.account_id AND n.sender_id = d.sender_id
          AND n.due_at <= greatest(d.not_before, t.probe_at))`,
  );

/** Resumes all, and claims and sends until nothing is due for the next hours. */
async function drain(scene: Scene): Promise<void> {
  await perform.die(scene, 0);
  for (const _ of await runs(scene, true)) await steer(scene, 'sending', 0);
  for (let rounds = 0; rounds < 4; rounds += 1) {
    await pass(scene.database);
    await sql`UPDATE sender_throttle SET limited_since = NULL, limited_until = NULL, probe_at = NULL`.execute(
      scene.database.db,
    );
    while ((await secondsUntilDue(scene.database.service.db, undefined)) <= 0) {
      await claim(scene, 50);
      while (scene.held.length > 0) await perform.finish(scene, 1);
    }
  }
  expect(await rowsOf(scene, sql`SELECT id, state FROM delivery WHERE state = 'queued'`)).toStrictEqual([]);
}

const step: fc.Arbitrary<Step> = fc.tuple(fc.constantFrom(...ACTS), fc.nat(20));
/** Rare by chance: one text meets a limit while others have mail. */
const LIMITED: Step[] = (['accept', 'accept', 'claim', 'limit', 'wait', 'claim', 'limit'] as const).map(
  (act, choice) => [act, choice],
);

test('any order of acts on several texts: each mail is announced, the oldest leaves first, none stays', {
  timeout: 60_000 + form.sequences * 10_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (acts) => {
      const scene = await makeScene();
      for (const [act, choice] of [['accept', 0], ['accept', 1], ...acts] as Step[]) {
        await perform[act](scene, choice);
        expect(await unannounced(scene)).toStrictEqual([]);
      }
      await drain(scene);
    }),
    { numRuns: form.sequences, seed: form.seed, examples: [[LIMITED]] },
  );
});
