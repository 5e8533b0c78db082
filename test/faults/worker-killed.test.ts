import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { acceptSend } from '#server/features/sending/accept.command.ts';
import { testDatabase } from '#test/db.ts';
import { type Program, startProgram } from '#test/program.ts';
import { addProspects, addTenant } from '#test/prospects.ts';
import { countStates, eventually, testSink, unbalancedRuns, untilSettled } from '#test/sending.ts';

const MAILS = 1000;
const CONNECTIONS = 4;
const KILLS = 6;

/**
 * The judge is the sink's list of Message-IDs. A mail whose body had begun when its worker was killed is `unknown`: the sink may
 * have it or not, so it may be missing there, but never doubled, and nothing else may be missing.
 */
test(`${KILLS} × kill -9 in the middle of ${MAILS} mails: none lost, none doubled`, async () => {
  const { db, url, account } = await testDatabase();
  const sink = await testSink();
  sink.latencyMs = 5;
  const { accountId, senderId } = await addTenant(db);
  const ids = await addProspects(
    db,
    accountId,
    Array.from({ length: MAILS }, (_, n) => ({ company_name: `会社${n}`, company_email: `info${n}@a.example` })),
  );
  const body = {
    test_send_mode: 0,
    attack_list: ids.map((prospect_id) => ({ prospect_id })),
    days_from_lastday: 7,
  } as const;
  await acceptSend(
    account(accountId),
    { senderId, body: { ...body, attack_list: [...body.attack_list] }, idempotencyKey: null },
    Date.now(),
  );

  const startWorker = (): Program =>
    startProgram(['worker'], {
      DATABASE_URL: url,
      SMTP_URL: `smtp://127.0.0.1:${sink.port}`,
      WORKER_CONNECTIONS: String(CONNECTIONS),
    });
  for (let kill = 0; kill < KILLS; kill += 1) {
    const before = sink.mails.length;
    const worker = startWorker();
    await eventually(
      () => sink.mails.length,
      (count) => count >= Math.min(before + 80, MAILS - 20),
      40_000,
    );
    await sleep(Math.random() * 100);
    worker.child.kill('SIGKILL');
    expect(await worker.ended).toBeNull();
  }
  const last = startWorker();
  const states = await untilSettled(db, 60_000);
  last.child.kill('SIGTERM');
  expect(await last.ended).toBe(0);

  const caught = sink.mails.map(({ messageId }) => messageId);
  expect(new Set(caught).size, 'a Message-ID came twice').toBe(caught.length);
  const rows = await db.selectFrom('delivery').select(['message_id', 'state']).execute();
  const arrived = new Set(caught);
  const lost = rows.filter(({ message_id, state }) => state !== 'unknown' && !arrived.has(message_id));
  expect(lost, 'marked as sent and never seen').toStrictEqual([]);
  expect(states.unknown ?? 0).toBeLessThanOrEqual(KILLS * CONNECTIONS);
  expect((states.sent ?? 0) + (states.unknown ?? 0)).toBe(MAILS);
  expect(await unbalancedRuns(db)).toStrictEqual([]);
  expect(Object.keys(await countStates(db)).every((state) => ['sent', 'unknown'].includes(state))).toBe(true);
  const contacts = await db.selectFrom('contact_state').select('prospect_id').execute();
  expect(contacts).toHaveLength(MAILS);
}, 180_000);
