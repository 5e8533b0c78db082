import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { eventually, unbalancedRuns } from '#test/sending.ts';
import type { WirePoint } from '../faults/wire.ts';
import { kill, wireTo } from '../faults/workers.ts';
import type { Fate } from './far-side.ts';
import {
  acceptFates,
  countEffects,
  effects,
  effectTimes,
  feedAgain,
  type InboxScene,
  inboxScene,
  mailboxFiles,
  untilLeft,
} from './inbox-scene.ts';

/** Sends a run of 1,000 mails through a real Postfix; a real Dovecot stores the bounces and replies (lawful §10.6). */

const FATES: Record<Fate, number> = {
  unknown: 100,
  full: 50,
  policy: 30,
  away: 20,
  answers: 20,
  refuses: 5,
  stops: 5,
  reads: 770,
};
const COMES_BACK = 230;

const EXPECTED = {
  states: { failed: 180, sent: 820 },
  bounces: { hard: 100, policy: 30, soft: 50 },
  replies: { auto_reply: 20, reply: 25 },
  suppressions: { 'refused mailto': 5, 'refused reply': 5, 'undeliverable dsn': 100 },
  optOuts: 10,
};

const cursor = ({ database }: InboxScene) => database.db.selectFrom('inbox').selectAll().executeTakeFirst();
const untilRead = (scene: InboxScene, mails: number) =>
  eventually(
    () => cursor(scene),
    (row) => row?.mails === mails,
    120_000,
  );

async function expectCounted(scene: InboxScene): Promise<void> {
  expect(await countEffects(scene)).toStrictEqual(EXPECTED);
  expect(await unbalancedRuns(scene.database.db)).toStrictEqual([]);
  // The program's own notices to members have another envelope sender.
  expect(scene.farSide.mails.filter(({ from }) => from.startsWith('b-'))).toHaveLength(820);
}

/** The timeout of a test in ms, on a busy machine. */
const TEST_MS_MAX = 600_000;

test(
  'lawful 60–62, 70–78: bounces and replies of 1,000 mails are counted correctly, also when delivered twice',
  async () => {
    const scene = await inboxScene();
    scene.startWorker({ readsInbox: true });
    const run = await acceptFates(scene, FATES);
    expect(await untilLeft(scene, run)).toBeLessThanOrEqual(1);
    await untilRead(scene, COMES_BACK);
    await expectCounted(scene);
    expect(await cursor(scene)).toMatchObject({ unmatched: 0, skipped: 0, fault: null });
    const times = await effectTimes(scene);
    expect(times).toHaveLength(COMES_BACK);
    process.stdout.write(
      `from mailbox to effect: ${[0, 0.5, 0.9, 1].map((part) => Math.round(times[Math.floor(part * (COMES_BACK - 1))] ?? 0)).join(', ')} ms\n`,
    );

    const once = await effects(scene);
    feedAgain(scene);
    await untilRead(scene, 2 * COMES_BACK);
    expect(await effects(scene)).toStrictEqual(once);
    // Resets UIDVALIDITY, so that all mails of the mailbox are new.
    await sql`UPDATE inbox SET uid_validity = 1`.execute(scene.database.db);
    await untilRead(scene, 4 * COMES_BACK);
    expect(await effects(scene)).toStrictEqual(once);
    expect(mailboxFiles(scene)).toHaveLength(2 * COMES_BACK);
  },
  TEST_MS_MAX,
);

const INBOX_ROW = /UPDATE "inbox"|update "inbox"/;
const ADVANCE = /"last_uid" = /;
const COMMIT = /\bcommit\b/i;

/** The steps of the reader. It is killed at each, before the database executes it, and before its answer. */
const STEPS: readonly (readonly [string, Pick<WirePoint, 'after' | 'at'>])[] = [
  ['the lease', { after: /INSERT INTO inbox/, at: /INSERT INTO inbox/ }],
  ['the new cursor', { after: /"uid_validity" = /, at: INBOX_ROW }],
  ['the search for its mail', { after: /AS found/, at: /AS found/ }],
  ['a bounce', { after: /insert into "bounce"/, at: /insert into "bounce"/ }],
  ['the commit of a bounce', { after: /insert into "bounce"/, at: COMMIT }],
  ['an answer', { after: /insert into "reply"/, at: COMMIT }],
  ['a refusal', { after: /INSERT INTO suppression/, at: COMMIT }],
  ['the cursor', { after: ADVANCE, at: INBOX_ROW }],
  ['the end of a look', { after: /"read_at" = /, at: INBOX_ROW }],
];

test(
  'lawful 64: the same with a reader that is killed at each of its steps',
  async () => {
    const scene = await inboxScene();
    const sender = scene.startWorker({ readsInbox: false });
    await untilLeft(scene, await acceptFates(scene, FATES));
    await eventually(
      () => mailboxFiles(scene),
      (files) => files.length === COMES_BACK,
      120_000,
    );
    await kill(sender);
    for (const [name, point] of STEPS) {
      for (const when of ['asked', 'answered'] as const) {
        const { wire, url } = await wireTo(scene.database);
        const reached = wire.stopAt({ ...point, when });
        const victim = scene.startWorker({ readsInbox: true, databaseUrl: url });
        const ended = victim.ended.then(() => Promise.reject(new Error(`${name}: ${victim.output()}`)));
        await Promise.race([reached, ended]);
        ended.catch(() => {});
        await kill(victim);
        await wire.close();
        await sql`UPDATE inbox SET lease_until = NULL`.execute(scene.database.db);
      }
    }
    scene.startWorker({ readsInbox: true });
    await eventually(
      () => cursor(scene),
      (row) => row?.read_at instanceof Date && row.fault === null,
      120_000,
    );
    await expectCounted(scene);
  },
  TEST_MS_MAX,
);
