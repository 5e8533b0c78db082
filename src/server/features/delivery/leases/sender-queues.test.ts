import { expect, test } from 'vitest';
import type { Claim } from './claim.ts';
import { senderQueues } from './sender-queues.ts';

const claim = (id: number, senderId = 1) => ({ id, senderId, sendLogId: senderId, profileId: 1, box: null }) as Claim;
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

test('a profile whose mails were all lost is removed', () => {
  const queues = senderQueues();
  const lost = claim(1);
  queues.add({ claims: [lost], connections: 1 });
  queues.dropLost([lost]);
  expect([queues.profileIds(), queues.waitingCount()]).toStrictEqual([[], 0]);
});

test('a follower uses the connection of the request before it, and no other one', () => {
  const queues = senderQueues();
  const [first, second, third] = [claim(1), claim(2), claim(3)];
  queues.add({ claims: [first, second, third], connections: 1 });
  const present = queues.takeRequest(one) ?? [];
  expect(queues.takeRequest(one, present)).toStrictEqual([second]);
  queues.endRequest(present);
  expect(queues.takeRequest(one)).toBeNull();
});

test('a follower is held like the request before it', () => {
  const queues = senderQueues();
  const [first, second] = [claim(1), claim(2)];
  queues.add({ claims: [first, second], connections: 1 });
  queues.takeRequest(one, queues.takeRequest(one));
  expect(queues.held()).toStrictEqual([first, second]);
});

test('mails that are put back wait before all others and free their connection', () => {
  const queues = senderQueues();
  const [first, second, third] = [claim(1), claim(2), claim(3)];
  queues.add({ claims: [first, second, third], connections: 1 });
  const present = queues.takeRequest(one) ?? [];
  const follower = queues.takeRequest(one, present) ?? [];
  queues.endRequest(present);
  queues.putBack(follower);
  expect(queues.takeRequest(one)).toStrictEqual([second]);
});

test('senders of a profile share its connections, and one request has mails of one run', () => {
  const queues = senderQueues();
  const [first, second, third] = [claim(1, 1), claim(2, 2), claim(3, 2)];
  queues.add({ claims: [first], connections: 1 });
  queues.add({ claims: [second, third], connections: 1 });
  const present = queues.takeRequest(() => 9) ?? [];
  expect(present).toStrictEqual([first]);
  expect(queues.takeRequest(() => 9)).toBeNull();
  queues.endRequest(present);
  expect(queues.takeRequest(() => 9)).toStrictEqual([second, third]);
});

test('mails whose request has ended are not put back', () => {
  const queues = senderQueues();
  queues.add({ claims: [claim(1), claim(2)], connections: 1 });
  const ended = queues.takeRequest(one) ?? [];
  queues.endRequest(ended);
  queues.putBack(ended);
  expect(queues.waitingCount()).toBe(1);
});
