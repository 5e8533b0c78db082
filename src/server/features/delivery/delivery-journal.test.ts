import { setImmediate as turn } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Claim } from './claim.ts';
import { deliveryJournal } from './delivery-journal.ts';
import type { DeliveryResult, DeliveryStep } from './delivery-step.ts';

const claim = (id: number) => ({ id }) as Claim;
const sent = (id: number): DeliveryResult => ({ claim: claim(id), outcome: { kind: 'sent', reply: '250' } });
const failed = (id: number): DeliveryResult => ({
  claim: claim(id),
  outcome: { kind: 'failed', reply: '550', badAddress: false },
});
const noDatabase = new Error('no database');

const nameOf = ({ claim: { id }, outcome }: DeliveryStep) => `${outcome?.kind ?? 'mark'} ${id}`;

/** A journal whose writes end when the test says so. */
function testJournal(most = 100) {
  const writes: { readonly steps: string[]; readonly end: (ours?: boolean[]) => void; readonly fail: () => void }[] =
    [];
  const faults: unknown[] = [];
  const lost: string[] = [];
  const journal = deliveryJournal({
    most,
    retryMs: 1,
    onFault: (error) => faults.push(error),
    onLost: (finished) => lost.push(...finished.map(nameOf)),
    write: (steps: DeliveryStep[]) =>
      new Promise((done, fail) => {
        writes.push({
          steps: steps.map(nameOf),
          end: (ours = steps.map(() => true)) => done(ours),
          fail: () => fail(noDatabase),
        });
      }),
  });
  /** Resolves when so many writes have begun. */
  const begun = async (count: number) => {
    while (writes.length < count) await turn();
  };
  return { journal, writes, faults, lost, begun, written: () => writes.map(({ steps }) => steps) };
}

test('marks of one moment share a write; each gets the result of its own mail', async () => {
  const { journal, writes, begun, written } = testJournal();
  const marks = Promise.all([1, 2, 3].map((id) => journal.mark(claim(id))));
  await begun(1);
  writes[0]?.end([true, false, true]);
  expect(await marks).toStrictEqual([true, false, true]);
  expect(written()).toStrictEqual([['mark 1', 'mark 2', 'mark 3']]);
});

test('steps that arrive during a write share the next, up to its limit', async () => {
  const { journal, writes, begun, written } = testJournal(2);
  const marks = [journal.mark(claim(1))];
  await begun(1);
  marks.push(...[2, 3, 4].map((id) => journal.mark(claim(id))));
  for (const n of [1, 2, 3]) {
    await begun(n);
    writes[n - 1]?.end();
  }
  await Promise.all(marks);
  expect(written()).toStrictEqual([['mark 1'], ['mark 2', 'mark 3'], ['mark 4']]);
});

test('a success waits for the next mark, and is written before it or with it', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const { journal, writes, begun, written } = testJournal();
  const finished = journal.finish(sent(1));
  for (let turns = 0; turns < 5; turns += 1) await turn();
  expect(written()).toStrictEqual([]);
  const marked = journal.mark(claim(2));
  await begun(1);
  const finishedMeanwhile = journal.finish(sent(3));
  writes[0]?.end();
  await Promise.all([finished, marked]);
  for (let turns = 0; turns < 5; turns += 1) await turn();
  expect(written()).toStrictEqual([['sent 1', 'mark 2']]);
  const markedThen = journal.mark(claim(4));
  await begun(2);
  writes[1]?.end();
  await Promise.all([finishedMeanwhile, markedThen]);
  expect(written()[1]).toStrictEqual(['sent 3', 'mark 4']);
});

test('successes that no mark follows are written after a short wait', async () => {
  const { journal, writes, begun, written } = testJournal(2);
  const finished = Promise.all([1, 2, 3].map((id) => journal.finish(sent(id))));
  for (const n of [1, 2]) {
    await begun(n);
    writes[n - 1]?.end();
  }
  await finished;
  expect(written()).toStrictEqual([['sent 1', 'sent 2'], ['sent 3']]);
});

test('a success that comes while a write runs does not wait for ever', async () => {
  const { journal, writes, begun, written } = testJournal();
  const marked = journal.mark(claim(1));
  await begun(1);
  const finished = journal.finish(sent(2));
  writes[0]?.end();
  await marked;
  await begun(2);
  writes[1]?.end();
  await finished;
  expect(written()).toStrictEqual([['mark 1'], ['sent 2']]);
});

test('without the database a mark fails at once; outcomes are kept, and written before anything later', async () => {
  const { journal, writes, faults, begun, written } = testJournal(2);
  const finished = [journal.finish(sent(1))];
  const marked = journal.mark(claim(2));
  finished.push(journal.finish(failed(3)));
  await begun(1);
  const later = journal.mark(claim(4));
  writes[0]?.fail();
  await expect(marked).rejects.toBe(noDatabase);
  await begun(2);
  writes[1]?.fail();
  for (const n of [3, 4]) {
    await begun(n);
    writes[n - 1]?.end();
  }
  expect(await later).toBe(true);
  await Promise.all(finished);
  expect(written()).toStrictEqual([['sent 1', 'mark 2'], ['sent 1', 'failed 3'], ['sent 1', 'failed 3'], ['mark 4']]);
  expect(faults).toStrictEqual([noDatabase, noDatabase]);
});

test('a journal that ends tries its steps once more, reports failed ones as lost, and writes no more', async () => {
  const { journal, writes, lost, begun, written } = testJournal(2);
  const finished = [1, 2, 3].map((id) => journal.finish(failed(id)));
  await begun(1);
  const ended = journal.end(60_000);
  writes[0]?.end();
  await begun(2);
  writes[1]?.fail();
  await ended;
  await Promise.all(finished);
  expect(lost).toStrictEqual(['failed 3']);
  await journal.finish(sent(4));
  expect(await journal.mark(claim(5))).toBe(false);
  expect(lost).toStrictEqual(['failed 3', 'sent 4']);
  expect(written()).toStrictEqual([['failed 1', 'failed 2'], ['failed 3']]);
});

test('a journal that ends does not wait for a mark to share a write with', async () => {
  const { journal, writes, lost, begun, written } = testJournal();
  const finished = journal.finish(sent(1));
  const ended = journal.end(60_000);
  await begun(1);
  writes[0]?.end();
  await Promise.all([ended, finished]);
  expect([written(), lost]).toStrictEqual([[['sent 1']], []]);
});

test('a journal that ends waits only so long for a database that does not answer', async () => {
  const { journal, writes, lost, begun } = testJournal();
  const finished = journal.finish(failed(1));
  await begun(1);
  const marked = journal.mark(claim(2));
  await journal.end(1);
  await finished;
  expect([lost, await marked]).toStrictEqual([['failed 1'], false]);
  writes[0]?.fail();
  await turn();
  expect([lost, writes.length]).toStrictEqual([['failed 1'], 1]);
});

test('a mail whose try ended before its mark was written is not marked any more', async () => {
  const { journal, writes, begun, written } = testJournal();
  const first = journal.mark(claim(1));
  await begun(1);
  const two = claim(2);
  const mark = journal.mark(two);
  const other = journal.mark(claim(3));
  const finished = journal.finish({ claim: two, outcome: { kind: 'unmarked', reply: 'no end in time' } });
  expect(await mark).toBe(false);
  writes[0]?.end();
  await begun(2);
  writes[1]?.end();
  await Promise.all([first, other, finished]);
  expect(written()).toStrictEqual([['mark 1'], ['mark 3', 'unmarked 2']]);
});
