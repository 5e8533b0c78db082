import { expect, test } from 'vitest';
import { emptyDatabase } from '#test/db.ts';
import { type FakeMail, fakeTransport } from '#test/fake-transport/fake-transport.ts';
import { withoutFooter } from '#test/mailing.ts';
import { addTenant } from '#test/prospects.ts';
import { acceptRun, untilSettled, workerBy } from '#test/sending.ts';
import type { Transport } from './transport.ts';

test('a third transport is one folder: runs are accepted for it, and sent by it', async () => {
  const taken: FakeMail[] = [];
  const transport = fakeTransport(taken);
  const database = await emptyDatabase();
  await acceptRun(database, await addTenant(database.db), 3, { transport });
  workerBy(database, transport);
  expect(await untilSettled(database.db)).toStrictEqual({ sent: 3 });
  expect(taken.map(({ to }) => to).toSorted()).toStrictEqual(['info0@a.example', 'info1@a.example', 'info2@a.example']);
  expect(taken.filter(({ text }) => withoutFooter(text).endsWith('by the fake transport'))).toHaveLength(3);
  const replies = await database.db.selectFrom('delivery').select('smtp_reply').distinct().execute();
  expect(replies).toStrictEqual([{ smtp_reply: '250 taken by the fake transport' }]);
});

test('a transport without one of its parts does not compile', () => {
  const { bodiesOf: _, ...rest } = fakeTransport([]);
  // @ts-expect-error nobody could say what its mails are made from
  const incomplete: Transport = rest;
  expect(incomplete).not.toHaveProperty('bodiesOf');
});
