import { expect, test } from 'vitest';
import { emptyDatabase } from '#test/db.ts';
import { addTenant } from '#test/prospects.ts';
import { acceptRun, countStates, eventually, testSink, testWorker } from '#test/sending.ts';
import { claimAhead } from './claim-ahead.ts';

const limits = { connections: 5, least: 5, most: 100 };

test.each([
  { seconds: 0.007, mails: 100 },
  { seconds: 0.5, mails: 30 },
  { seconds: 1, mails: 15 },
  { seconds: 60, mails: 5 },
])('a mail takes $seconds s: $mails are claimed ahead of 5 connections', ({ seconds, mails }) => {
  const ahead = claimAhead(limits);
  expect(ahead.max()).toBe(5);
  ahead.recordRequest(seconds);
  expect(ahead.max()).toBe(mails);
});

test('fewer mails are claimed for a server that becomes slow', () => {
  const ahead = claimAhead(limits);
  for (let n = 0; n < 50; n += 1) ahead.recordRequest(0.01);
  expect(ahead.max()).toBe(100);
  for (let n = 0; n < 10; n += 1) ahead.recordRequest(3);
  expect(ahead.max()).toBeLessThan(7);
});

test('behind a server that does not answer, a worker holds only what its connections need', async () => {
  const database = await emptyDatabase();
  const sink = await testSink();
  sink.fault = (moment) => (moment === 'dot' ? 'wait' : null);
  await acceptRun(database, await addTenant(database.db), 40);
  testWorker(database, sink, { connections: 4 });
  const states = await eventually(
    () => countStates(database.db),
    ({ sending = 0, claimed = 0 }) => sending === 4 && claimed > 0,
  );
  expect(states).toStrictEqual({ sending: 4, claimed: 4, queued: 32 });
  // Else the worker would wait for these answers at its end.
  sink.fault = () => null;
  for (const answer of sink.waiting) answer();
});
