import { expect, test } from 'vitest';
import type { Claim, ClaimedBox } from './claim.ts';
import { ofBox, ofBoxes, ofRelay, senderQueues } from './sender-queues.ts';

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

const box = (id: number, version = 1, accountId = 1): ClaimedBox => ({
  accountId,
  id,
  version,
  address: 'a@own.example',
  ids: 'kept',
});

test.each([
  ['the mail server of the environment', null],
  ['another mailbox', box(2)],
  ['another version of it', box(1, 2)],
  ['a mailbox of another account with its id', box(1, 1, 2)],
])('the connection of a mailbox carries no mail of %s, as no follower either', (_, other) => {
  const queues = senderQueues();
  const [own, foreign] = [
    { ...claim(1), box: box(1) },
    { ...claim(2), box: other },
  ];
  queues.add({ claims: [own], connections: 1 });
  queues.add({ claims: [foreign], connections: 1 });
  const present = queues.takeRequest(one, null, ofBox(box(1))) ?? [];
  expect(present).toStrictEqual([own]);
  expect(queues.takeRequest(one, present, ofBox(box(1)))).toBeNull();
  queues.endRequest(present);
  expect(queues.takeRequest(one, null, ofBox(box(1)))).toBeNull();
});

test('what waits for mailboxes is told from what waits for the mail server of the environment', () => {
  const queues = senderQueues();
  const [relays, boxes] = [claim(1), { ...claim(2), box: box(1) }];
  queues.add({ claims: [relays], connections: 1 });
  queues.add({ claims: [boxes], connections: 1 });
  expect([queues.waitingCount(), queues.waitingCount(ofRelay), queues.waitingBoxes()]).toStrictEqual([2, 1, [box(1)]]);
  expect(queues.takeWaiting(ofRelay)).toStrictEqual([relays]);
  expect([queues.isHolding(ofRelay), queues.isHolding(ofBoxes)]).toStrictEqual([false, true]);
});
