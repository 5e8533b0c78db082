import { pino } from 'pino';
import { expect, test } from 'vitest';
import type { Db } from '../../platform/db.ts';
import type { Claim } from './claim.ts';
import { claimAhead } from './claim-ahead.ts';
import { sendLoop } from './send-loop.ts';
import { senderQueues } from './sender-queues.ts';
import type { Lane, TransportLanes } from './transports/transport.ts';

const claim = { id: 1, senderId: 1, sendLogId: 1, reservedFor: null } as Claim;

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
    ahead: claimAhead({ connections: 1, least: 1, most: 1 }),
    receipts: null,
    onRoom: () => undefined,
  });
  loop.start();
  expect(await begun.promise).toBe(expected);
});
