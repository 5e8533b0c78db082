import { expect, test } from 'vitest';
import type { Claim } from './claim.ts';
import { senderQueues } from './sender-queues.ts';

const claim = (id: number, senderId = 1) => ({ id, senderId, sendLogId: 1 }) as Claim;
const one = () => 1;

test('a claim that was lost to another worker is neither begun nor held', () => {
  const queues = senderQueues();
  const [lost, kept] = [claim(1), claim(2)];
  queues.add({ claims: [lost, kept], connections: 1 });
  queues.dropLost([lost]);
  expect(queues.held()).toStrictEqual([kept]);
  expect(queues.takeRequest(one)).toStrictEqual([kept]);
  queues.endRequest([kept]);
  expect(queues.takeRequest(one)).toBeNull();
});

test('a mail that was lost and claimed again waits by its second claim', () => {
  const queues = senderQueues();
  const [lost, again] = [claim(1), claim(1)];
  queues.add({ claims: [lost], connections: 1 });
  queues.add({ claims: [again], connections: 1 });
  queues.dropLost([lost]);
  expect(queues.held()).toHaveLength(1);
  expect(queues.held()[0]).toBe(again);
});

test('a sender whose mails were all lost is removed', () => {
  const queues = senderQueues();
  const lost = claim(1);
  queues.add({ claims: [lost], connections: 1 });
  queues.dropLost([lost]);
  expect([queues.senderIds(), queues.waitingCount()]).toStrictEqual([[], 0]);
});
