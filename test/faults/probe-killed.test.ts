import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { emptyDatabase } from '#test/db.ts';
import { acceptMails } from '#test/mails.ts';
import { eventually, testSink, untilSettled } from '#test/sending.ts';
import { form } from './form.ts';
import { judge } from './truth.ts';
import { kill, startWorker, untilStarted } from './workers.ts';

const MAILS = 20;
/** The limit in ms: its lease ends after 4 or 10 s; a fixed time for probes would be two minutes. */
const RECOVERY_MS_MAX = 60_000;

/** The probe's progress when its worker is killed, and the resulting states of the mails. */
const CASES = [
  // Claimed: the probe has not begun, and is sent later.
  ['DATA', { sent: MAILS }],
  // Sending: the mail server has it, but nobody knows. Takes the lease of ten seconds.
  ...(form.isLong ? ([['dot', { sent: MAILS - 1, unknown: 1 }]] as const) : []),
] as const;

test.each(CASES)(
  'a worker is killed while it probes a paused mail server (at %s): another worker probes, and all mails are sent',
  async (moment, states) => {
    const database = await emptyDatabase();
    const sink = await testSink();
    await acceptMails(database, MAILS);
    await sql`UPDATE transport SET faults = 5, pauses = 3, paused_until = now()`.execute(database.db);
    sink.fault = (at) => (at === moment ? 'wait' : null);
    const probing = startWorker(database.url, sink.port);
    await eventually(
      () => sink.waiting.length,
      (count) => count > 0,
      40_000,
    );
    const other = startWorker(database.url, sink.port);
    await untilStarted(other);
    expect(sink.waiting).toHaveLength(1);
    sink.fault = () => null;
    await kill(probing);
    expect(await untilSettled(database.db, RECOVERY_MS_MAX)).toStrictEqual(states);
    const arrived = sink.mails.map(({ messageId }) => messageId);
    expect((await judge(database.db, arrived)).wrong).toStrictEqual([]);
  },
);
