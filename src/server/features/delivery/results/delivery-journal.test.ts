import { setImmediate as turn } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Claim } from '../leases/claim.ts';
import type { DeliveryResult } from '../leases/delivery-result.ts';
import { deliveryJournal } from './delivery-journal.ts';

const claim = (id: number) => ({ id, box: null }) as Claim;
const sent = (id: number): DeliveryResult => ({ claim: claim(id), outcome: { kind: 'sent', reply: '250' } });
const failed = (id: number): DeliveryResult => ({
  claim: claim(id),
  outcome: { kind: 'failed', reply: '550', badAddress: false },
});
const noDatabase = new Error('no database');

interface Write {
  readonly steps: string[];
  readonly end: (mayLeave?: boolean[]) => void;
  readonly fail: () => void;
}

/** A journal whose writes end when the test says so. */
function testJournal(most = 100) {
  const marks: Write[] = [];
  const results: Write[] = [];
  const faults: unknown[] = [];
  const lost: string[] = [];
  const nameOf = ({ claim: { id }, outcome }: DeliveryResult) => `${outcome.kind} ${id}`;
  const write = <Answer>(writes: Write[], steps: string[], answer: (mayLeave: boolean[]) => Answer) =>
    new Promise<Answer>((done, fail) => {
      writes.push({
        steps,
        end: (mayLeave = steps.map(() => true)) => done(answer(mayLeave)),
        fail: () => fail(noDatabase),
      });
    });
  const journal = deliveryJournal({
    most,
    retryMs: 1,
    onFault: (error) => faults.push(error),
    onLost: (all) => lost.push(...all.map(nameOf)),
    writeMarks: (claims) =>
      write(
        marks,
        claims.map(({ id }) => `mark ${id}`),
        (mayLeave) => mayLeave,
      ),
    writeResults: (all) => write(results, all.map(nameOf), () => undefined),
  });
  /** Resolves when so many writes have begun. */
  const begun = async (writes: readonly Write[], count: number) => {
    while (writes.length < count) await turn();
  };
  const written = () => [marks, results].map((writes) => writes.map(({ steps }) => steps));
  return { journal, marks, results, faults, lost, begun, written };
}

test('marks of one moment share a write; each gets the result of its own mail', async () => {
  const { journal, marks, begun, written } = testJournal();
  const asked = Promise.all([1, 2, 3].map((id) => journal.mark(claim(id))));
  await begun(marks, 1);
  marks[0]?.end([true, false, true]);
  expect(await asked).toStrictEqual([true, false, true]);
  expect(written()).toStrictEqual([[['mark 1', 'mark 2', 'mark 3']], []]);
});

test('marks that arrive during a write share the next, up to its limit', async () => {
  const { journal, marks, begun, written } = testJournal(2);
  const asked = [journal.mark(claim(1))];
  await begun(marks, 1);
  asked.push(...[2, 3, 4].map((id) => journal.mark(claim(id))));
  for (const n of [1, 2, 3]) {
    await begun(marks, n);
    marks[n - 1]?.end();
  }
  await Promise.all(asked);
  expect(written()[0]).toStrictEqual([['mark 1'], ['mark 2', 'mark 3'], ['mark 4']]);
});

test('a mark does not wait for results that are being written', async () => {
  const { journal, marks, results, begun } = testJournal();
  const finished = journal.finish(failed(1), true);
  await begun(results, 1);
  const marked = journal.mark(claim(2));
  await begun(marks, 1);
  marks[0]?.end();
  expect(await marked).toBe(true);
  results[0]?.end();
  await finished;
});

test('results that nobody awaits are gathered; one that a connection awaits is written with them at once', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const { journal, results, begun, written } = testJournal();
  const finished = [1, 2].map((id) => journal.finish(sent(id), false));
  for (let turns = 0; turns < 5; turns += 1) await turn();
  expect(written()[1]).toStrictEqual([]);
  finished.push(journal.finish(failed(3), true));
  await begun(results, 1);
  finished.push(journal.finish(sent(4), false));
  results[0]?.end();
  for (let turns = 0; turns < 5; turns += 1) await turn();
  expect(written()[1]).toStrictEqual([['sent 1', 'sent 2', 'failed 3']]);
  vi.advanceTimersToNextTimer();
  await begun(results, 2);
  results[1]?.end();
  await Promise.all(finished);
  expect(written()[1]?.[1]).toStrictEqual(['sent 4']);
});

test('as many results as one write may hold are written at once', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const { journal, results, begun, written } = testJournal(2);
  const finished = Promise.all([1, 2, 3].map((id) => journal.finish(sent(id), false)));
  for (const n of [1, 2]) {
    await begun(results, n);
    results[n - 1]?.end();
  }
  await finished;
  expect(written()[1]).toStrictEqual([['sent 1', 'sent 2'], ['sent 3']]);
});

test('without the database a mark fails at once; results are kept, and written before later ones', async () => {
  const { journal, marks, results, faults, begun, written } = testJournal(2);
  const finished = [journal.finish(sent(1), false), journal.finish(failed(2), true)];
  const marked = journal.mark(claim(3));
  await begun(results, 1);
  await begun(marks, 1);
  finished.push(journal.finish(failed(4), true));
  marks[0]?.fail();
  results[0]?.fail();
  await expect(marked).rejects.toBe(noDatabase);
  await begun(results, 2);
  results[1]?.fail();
  for (const n of [3, 4]) {
    await begun(results, n);
    results[n - 1]?.end();
  }
  await Promise.all(finished);
  const both = ['sent 1', 'failed 2'];
  expect(written()).toStrictEqual([[['mark 3']], [both, both, both, ['failed 4']]]);
  expect(faults).toStrictEqual([noDatabase, noDatabase]);
});

test('a journal that ends tries its results once more, reports failed ones as lost, and writes no more', async () => {
  const { journal, results, lost, begun, written } = testJournal(2);
  const finished = [1, 2, 3].map((id) => journal.finish(failed(id), true));
  await begun(results, 1);
  const ended = journal.end(60_000);
  results[0]?.end();
  await begun(results, 2);
  results[1]?.fail();
  await ended;
  await Promise.all(finished);
  expect(lost).toStrictEqual(['failed 3']);
  await journal.finish(sent(4), false);
  expect(await journal.mark(claim(5))).toBe(false);
  expect(lost).toStrictEqual(['failed 3', 'sent 4']);
  expect(written()).toStrictEqual([[], [['failed 1', 'failed 2'], ['failed 3']]]);
});

test('a journal writes its gathered results before it ends', async () => {
  const { journal, results, lost, begun, written } = testJournal();
  const finished = journal.finish(sent(1), false);
  const ended = journal.end(60_000);
  await begun(results, 1);
  results[0]?.end();
  await Promise.all([ended, finished]);
  expect([written()[1], lost]).toStrictEqual([[['sent 1']], []]);
});

test('a journal that ends refuses marks, and waits only so long for a database that does not answer', async () => {
  const { journal, marks, results, lost, begun } = testJournal();
  const finished = journal.finish(failed(1), true);
  const asked = journal.mark(claim(2));
  await begun(results, 1);
  await begun(marks, 1);
  const waiting = journal.mark(claim(3));
  await journal.end(1);
  await finished;
  expect([lost, await asked, await waiting]).toStrictEqual([['failed 1'], false, false]);
  results[0]?.fail();
  marks[0]?.end();
  await turn();
  expect([lost, results.length, marks.length]).toStrictEqual([['failed 1'], 1, 1]);
});

test('a mail whose try ended before its mark was written is not marked any more', async () => {
  const { journal, marks, results, begun, written } = testJournal();
  const first = journal.mark(claim(1));
  await begun(marks, 1);
  const two = claim(2);
  const mark = journal.mark(two);
  const other = journal.mark(claim(3));
  const finished = journal.finish({ claim: two, outcome: { kind: 'unmarked', reply: 'no end in time' } }, true);
  expect(await mark).toBe(false);
  marks[0]?.end();
  await begun(marks, 2);
  marks[1]?.end();
  await begun(results, 1);
  results[0]?.end();
  await Promise.all([first, other, finished]);
  expect(written()).toStrictEqual([[['mark 1'], ['mark 3']], [['unmarked 2']]]);
});
