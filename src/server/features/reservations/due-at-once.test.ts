import { sql } from 'kysely';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '#server/platform/db.ts';
import { testDatabase } from '#test/db.ts';
import { addReservation } from '#test/prospect-history.ts';
import { addManyProspects, addProspects, addSender, addTenant, type Tenant } from '#test/prospects.ts';
import { countStates, eventually } from '#test/sending.ts';
import { startReservationScheduler } from './reservation-scheduler.ts';

test('ten reservations of 300 targets due at once all start, though one renders for longer than a transaction may lie idle', async () => {
  const database = await testDatabase();
  const tenant = await addTenant(database.db);
  const runs = () => database.db.selectFrom('send_log').select('targets').execute();
  const url = new URL(database.url);
  url.searchParams.set('options', '-c role=kaitaku_service -c idle_in_transaction_session_timeout=1500');
  const impatient = openDatabase(url.href);
  onTestFinished(impatient.close);
  const senders = await Promise.all(Array.from({ length: 10 }, () => addSender(database.db, tenant)));
  await addManyProspects(database.db, tenant.accountId, 3000);
  for (const [n, senderId] of senders.entries()) {
    const id = await addReservation(database.db, { ...tenant, senderId }, [], {
      sendAt: new Date(Date.now() - (20 - n) * 1000),
    });
    await sql`
      INSERT INTO reservation_target (account_id, sender_group_id, reservation_id, prospect_id, test_send_mode, pending)
      SELECT account_id, ${tenant.senderGroupId}, ${id}, id, false, true FROM prospect
      WHERE company_name LIKE '会社%' ORDER BY id LIMIT 300 OFFSET ${n * 300}`.execute(database.db);
  }
  await sql`
    UPDATE mail_template SET text_body = '{% for n in (1..10000) %}{% endfor %}'
    FROM sender WHERE sender.template_id = mail_template.id AND sender.id = ${senders[0]}`.execute(database.db);
  const told: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line) => void told.push(line) });
  onTestFinished(startReservationScheduler({ db: impatient.db, now: Date.now, log, transport: 'smtp' }));
  await eventually(runs, (started) => started.length === 10 || told.length > 0, 60_000);
  expect(told).toStrictEqual([]);
  expect(await runs()).toStrictEqual(senders.map(() => ({ targets: 300 })));
  expect(await countStates(database.db)).toStrictEqual({ queued: 3000 });
}, 90_000);

test('an account with many that take long does not hold up that of another, which is due last', async () => {
  const database = await testDatabase();
  const [busy, other] = [await addTenant(database.db), await addTenant(database.db)];
  const reserveFor = async (tenant: Tenant, companies: number, secondsAgo: number) => {
    const own = { ...tenant, senderId: await addSender(database.db, tenant) };
    const prospects = Array.from({ length: companies }, (_, n) => ({ company_email: `info${n}@a.example` }));
    const ids = await addProspects(database.db, tenant.accountId, prospects);
    return addReservation(database.db, own, ids, { sendAt: new Date(Date.now() - secondsAgo * 1000) });
  };
  for (let n = 0; n < 6; n += 1) await reserveFor(busy, 100, 20 - n);
  const last = await reserveFor(other, 1, 1);
  await database.db
    .updateTable('mail_template')
    .set({ text_body: '{% for n in (1..10000) %}{% endfor %}' })
    .where('account_id', '=', busy.accountId)
    .execute();
  const log = pino({ level: 'silent' });
  onTestFinished(startReservationScheduler({ db: database.service.db, now: Date.now, log, transport: 'smtp' }));
  const started = async () =>
    (await database.db.selectFrom('send_log').select('reservation_id').orderBy('id').execute()).map(
      (run) => run.reservation_id,
    );
  const order = await eventually(started, (runs) => runs.includes(last), 30_000);
  // No more than the two of the busy account that were under way before it was looked for.
  expect(order.indexOf(last)).toBeLessThanOrEqual(2);
  expect(await eventually(started, ({ length }) => length === 7, 60_000)).toHaveLength(7);
}, 100_000);
