import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { TEST_MAILING } from '#test/mailing.ts';
import { addReservation } from '#test/prospect-history.ts';
import { addProspects, addSender, addTenant, type Tenant } from '#test/prospects.ts';
import { eventually } from '#test/sending.ts';
import { startReservationScheduler } from './reservation-scheduler.ts';

test('slow reservations of one account do not hold up a later one of another account', async () => {
  const database = await emptyDatabase();
  const [busy, other] = [await addTenant(database.db), await addTenant(database.db)];
  const reserveFor = async (tenant: Tenant, companies: number, secondsAgo: number) => {
    const own = { ...tenant, senderId: await addSender(database.db, tenant) };
    const prospects = Array.from({ length: companies }, (_, n) => ({ company_email: `info${n}@a.example` }));
    const ids = await addProspects(database.db, tenant.accountId, prospects);
    return addReservation(database.db, own, ids, { sendAt: new Date(Date.now() - secondsAgo * 1000) });
  };
  for (let n = 0; n < 6; n += 1) await reserveFor(busy, 100, 20 - n);
  const last = await reserveFor(other, 1, 1);
  const hold = await holdSenders(database, busy);
  const log = pino({ level: 'silent' });
  onTestFinished(startReservationScheduler({ db: database.service.db, now: Date.now, log, ...TEST_MAILING }));
  const started = async () =>
    (await database.db.selectFrom('send_log').select('reservation_id').orderBy('id').execute()).map(
      (run) => run.reservation_id,
    );
  expect(await eventually(started, (runs) => runs.length > 0, 30_000)).toStrictEqual([last]);
  await hold.release();
  expect(await eventually(started, ({ length }) => length === 7, 60_000)).toHaveLength(7);
}, 100_000);

/** Locks the senders of an account, so that each start of its reservations waits. */
async function holdSenders(database: TestDatabase, { accountId }: Tenant): Promise<{ release: () => Promise<void> }> {
  const { promise: released, resolve } = Promise.withResolvers<void>();
  const locked = Promise.withResolvers<void>();
  const transaction = database.db.transaction().execute(async (tx) => {
    await tx.selectFrom('sender').select('id').where('account_id', '=', accountId).forUpdate().execute();
    locked.resolve();
    await released;
  });
  await locked.promise;
  return {
    release: () => {
      resolve();
      return transaction;
    },
  };
}
