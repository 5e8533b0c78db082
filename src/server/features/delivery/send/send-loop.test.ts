import { setImmediate as turn } from 'node:timers/promises';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import type { Db } from '../../../platform/database/db.ts';
import { claimAhead } from '../claim/claim-ahead.ts';
import type { Claim } from '../leases/claim.ts';
import { senderQueues } from '../leases/sender-queues.ts';
import { laneRoom } from '../quota/lane-room.ts';
import type { Lane, TransportLanes } from '../transports/transport.ts';
import { sendLoop } from './send-loop.ts';

const claim = { id: 1, profileId: 1, sendLogId: 1, reservedFor: null, calendar: null, box: null } as Claim;

test.each([
  ['within half a lease, begins', 4999, 'begun'],
  ['later, does not: the sweep may have taken the mail', 5001, 'the commit before the body took too long'],
])('a mail whose mark is committed %s', async (_, commitMs, expected) => {
  let now = 0;
  const begun = Promise.withResolvers<string>();
  const lane: Lane = {
    async send(claims, mark) {
      await mark(claims).then(
        () => begun.resolve('begun'),
        (error) => begun.resolve((error as Error).message),
      );
      return [{ kind: 'claim-lost' }];
    },
    close: () => undefined,
  };
  const queues = senderQueues();
  queues.add({ claims: [claim], connections: 1 });
  const stopping = AbortSignal.timeout(60_000);
  const loop = sendLoop({
    worker: { workerId: 'w', db: {} as Db, now: () => now, log: pino({ level: 'silent' }), queues, stopping },
    transport: { mailsWith: () => 1 } as unknown as TransportLanes,
    lanes: [lane],
    journal: {
      mark: async () => {
        now += commitMs;
        return true;
      },
      finish: async () => undefined,
      end: async () => undefined,
    },
    room: laneRoom(1),
    ahead: claimAhead({ connections: 1, least: 1, most: 1 }),
    receipts: null,
    onRoom: () => undefined,
  });
  loop.start();
  expect(await begun.promise).toBe(expected);
});

test.each([
  ['begins once the receipt of the last one is on disk', 'written', 2],
  ['waits for the result of the last one where its receipt could not be written', 'not written', 1],
  ['waits for it where no receipts are kept', 'not kept', 1],
] as const)('the next mail of a connection %s', async (_, receipt, begun) => {
  const marked: number[] = [];
  const lane: Lane = {
    async send(claims, mark) {
      await mark(claims);
      return claims.map(() => ({ kind: 'sent', reply: '250 OK' }));
    },
    close: () => undefined,
  };
  const queues = senderQueues();
  const mails = [1, 2].map((id) => ({ ...claim, id }));
  queues.add({ claims: mails, connections: 1 });
  const written = Promise.withResolvers<void>();
  const loop = sendLoop({
    worker: {
      workerId: 'w',
      db: {} as Db,
      now: () => 0,
      log: pino({ level: 'silent' }),
      queues,
      stopping: AbortSignal.timeout(60_000),
    },
    transport: { mailsWith: () => 1 } as unknown as TransportLanes,
    lanes: [lane],
    journal: {
      mark: async ({ id }) => {
        marked.push(id);
        return true;
      },
      finish: () => written.promise,
      end: async () => undefined,
    },
    room: laneRoom(1),
    ahead: claimAhead({ connections: 1, least: 1, most: 1 }),
    receipts: receipt === 'not kept' ? null : { append: () => receipt === 'written', close: () => undefined },
    onRoom: () => undefined,
  });
  loop.start();
  for (let turns = 0; turns < 20; turns += 1) await turn();
  expect(marked).toHaveLength(begun);
  written.resolve();
  for (let turns = 0; turns < 20; turns += 1) await turn();
  expect(marked).toStrictEqual([1, 2]);
});
