import { expect, test } from 'vitest';
import type { Claim } from './claim.ts';
import { senderQueues } from './sender-queues.ts';

const claim = (id: number, senderId = 1) => ({ id, senderId, sendLogId: 1 }) as Claim;
const one = () => 1;

test('a mail that another worker has by now is not begun, nor held', () => {
  const queues = senderQueues();
  const [lost, kept] = [claim(1), claim(2)];
  queues.add({ claims: [lost, kept], connections: 1 });
  queues.forget([lost]);
  expect(queues.held()).toStrictEqual([kept]);
  expect(queues.next(one)).toStrictEqual([kept]);
  queues.answered([kept]);
  expect(queues.next(one)).toBeNull();
});

test('one that was lost and claimed again waits by its second claim', () => {
  const queues = senderQueues();
  const [lost, again] = [claim(1), claim(1)];
  queues.add({ claims: [lost], connections: 1 });
  queues.add({ claims: [again], connections: 1 });
  queues.forget([lost]);
  expect(queues.held()).toHaveLength(1);
  expect(queues.held()[0]).toBe(again);
});

test('a sender all of whose mails were lost is one the worker has no connection for', () => {
  const queues = senderQueues();
  const lost = claim(1);
  queues.add({ claims: [lost], connections: 1 });
  queues.forget([lost]);
  expect([queues.senders(), queues.waiting()]).toStrictEqual([[], 0]);
});
