import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { WEEKDAYS } from '#domain/time/calendar.ts';
import { minuteOfDay } from '#domain/time/tokyo-time.ts';
import { emptyDatabase } from '#test/db.ts';
import { switchOffNoticeMails } from '#test/notices.ts';
import { addTenant } from '#test/prospects.ts';
import { acceptRun, testSink, untilSettled } from '#test/sending.ts';
import { form } from './form.ts';
import { report, watchRecovery } from './report.ts';
import { judge } from './truth.ts';
import { kill, startWorker, untilMerged, untilStarted } from './workers.ts';

const MINUTE_MS = 60_000;
const LAST_MINUTE = 24 * 60 - 1;
/** More than can be sent before the closing time: half a second each, over eight connections. */
const MAILS = 600;
const LATENCY_MS = 500;
/** The time in ms in which a mail begun before the closing time arrives. */
const HAND_OVER_MS = 2000;
const KILLS_BEFORE = 3;
const KILLS_AFTER = 2;

const until = (instant: number) => sleep(Math.max(0, instant - Date.now()));

/** Returns the start of a minute that is 20 s to 80 s ahead, and not about midnight in Tokyo. */
async function nextClosing(): Promise<number> {
  const closing = Math.ceil((Date.now() + 20_000) / MINUTE_MS) * MINUTE_MS;
  const minute = minuteOfDay(closing);
  if (minute > 0 && minute < LAST_MINUTE) return closing;
  await sleep(MINUTE_MS);
  return nextClosing();
}

/**
 * A group that holds mails is closed for one minute each day. Workers are killed before and in that minute, while
 * mails wait. With real clocks a round takes up to three minutes, so this is only in the long form.
 */
test.skipIf(!form.isLong)(
  `${form.closings} closing times with kill -9: no mail begins in them, and the rest is sent after (seed ${form.seed})`,
  async () => {
    const begun = performance.now();
    const random = form.random();
    const database = await emptyDatabase();
    const { db } = database;
    const sink = await testSink();
    sink.latencyMs = LATENCY_MS;
    const tenant = await addTenant(db);
    await switchOffNoticeMails(db, tenant);
    // Hours are in quarters of an hour, which is too long for this test.
    await sql`ALTER TABLE business_hours DROP CONSTRAINT business_hours_periods_check`.execute(db);
    const start = () => startWorker(database.url, sink.port);
    const workers = [start(), start()];
    await untilStarted(...workers);
    const recovered = watchRecovery(db);
    let kills = 0;
    async function killAt(instant: number): Promise<void> {
      await until(instant);
      const [victim] = workers.splice(kills % 2, 1, start());
      if (victim) await kill(victim);
      kills += 1;
    }

    const closed: { readonly from: number; readonly to: number; readonly left: number }[] = [];
    for (let n = 0; n < form.closings; n += 1) {
      const from = await nextClosing();
      const to = from + MINUTE_MS;
      const minute = minuteOfDay(from);
      const periods = WEEKDAYS.flatMap((_, weekday) => [
        { weekday, opens: 0, closes: minute },
        { weekday, opens: minute + 1, closes: LAST_MINUTE + 1 },
      ]);
      await sql`
        INSERT INTO business_hours (account_id, sender_group_id, periods, outside)
        VALUES (${tenant.accountId}, ${tenant.senderGroupId}, ${JSON.stringify(periods)}, 'hold')
        ON CONFLICT (account_id, sender_group_id) DO UPDATE SET periods = excluded.periods`.execute(db);
      await until(from - 18_000);
      await acceptRun(database, tenant, MAILS);
      const moments = Array.from({ length: KILLS_BEFORE }, () => from - random() * 12_000).toSorted(
        (one, other) => one - other,
      );
      for (const moment of moments) await killAt(moment);
      await until(from);
      for (let k = 0; k < KILLS_AFTER; k += 1) await killAt(from + (k + random()) * 15_000);
      await until(to);
      const { left } = await db
        .selectFrom('delivery')
        .select(({ fn }) => fn.countAll<number>().as('left'))
        .where('put_off', '=', 'hours')
        .executeTakeFirstOrThrow();
      closed.push({ from, to, left });
      await untilSettled(db, 180_000);
    }
    await untilMerged(database);
    const recovery = recovered();
    for (const worker of workers) await kill(worker);

    const { wrong, ...verdict } = await judge(
      db,
      sink.mails.map(({ messageId }) => messageId),
    );
    const seconds = (performance.now() - begun) / 1000;
    const mails = form.closings * MAILS;
    report({ run: `${form.closings} closing times`, mails, faults: kills, recovery, seconds, ...verdict });
    expect(wrong).toStrictEqual([]);
    expect(verdict.sent + verdict.unknown).toBe(mails);
    const isOutside = (at: number) => closed.some(({ from, to }) => at >= from + HAND_OVER_MS && at < to);
    expect(sink.mails.flatMap(({ at, messageId }) => (isOutside(at) ? messageId : []))).toStrictEqual([]);
    // Each closing time came during a run.
    for (const { from, left } of closed) {
      expect(left).toBeGreaterThan(0);
      expect(sink.mails.filter(({ at }) => at < from && at > from - 18_000).length).toBeGreaterThan(0);
    }
  },
  form.closings * 420_000,
);
