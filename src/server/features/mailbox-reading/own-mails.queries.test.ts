import { expect, test } from 'vitest';
import { emptyDatabase } from '#test/db.ts';
import { addSentMail, BOX } from '#test/mailbox-reading.ts';
import { plansOf, readsOf } from '#test/plan.ts';
import { addTenant } from '#test/prospects.ts';
import { accountDbOf } from '../../platform/database/account-db.ts';
import { latestMailsTo, mailedAddresses, ownUuids } from './own-mails.queries.ts';

test('the mails that a mailbox may concern are found by indexes', async () => {
  const database = await emptyDatabase();
  const tenant = await addTenant(database.db);
  for (let n = 0; n < 50; n += 1) await addSentMail(database, tenant, `info${n}@midori.example`);
  await database.pool.query('ANALYZE delivery; ANALYZE send_log');
  const work = (look: (tx: Parameters<typeof ownUuids>[0]) => Promise<unknown>) =>
    plansOf(database, 'service', (db) => accountDbOf(db)(tenant.accountId, null).snapshot(look));
  const uuids = await work((tx) => ownUuids(tx, tenant.accountId, [crypto.randomUUID()]));
  expect(new Set(readsOf(uuids, 'delivery'))).toStrictEqual(new Set(['delivery_message_idx', 'delivery_lease_idx']));
  for (const look of [
    (tx: Parameters<typeof ownUuids>[0]) => mailedAddresses(tx, tenant.accountId, [BOX], ['a@a.example']),
    (tx: Parameters<typeof ownUuids>[0]) => latestMailsTo(tx, tenant.accountId, [BOX], 'a@a.example'),
  ]) {
    const reads = readsOf(await work(look), 'delivery');
    // The few mails with an unknown result have an index of their own too.
    expect(reads).toContain('delivery_address_idx');
    expect(reads).not.toContain('seq');
  }
});
