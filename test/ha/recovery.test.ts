import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { acceptMails } from '#test/mails.ts';
import { countStates, eventually, untilSettled } from '#test/sending.ts';
import { startSinkProcess } from '#test/sink-process.ts';
import { judge } from '../faults/truth.ts';
import { type Cluster, type Node, pgbackrest, run, startCluster } from './cluster.ts';
import { openPools, startPrograms } from './programs.ts';

/** The number of mails that arrive before the backup, and of mails in the run during the recovery. */
const [BACKED_UP, MAILS] = [20, 200];
const ALL = BACKED_UP + MAILS;
const LATENCY_MS = 500;
/** The number of that run's mails that arrive before the recovery target time, and after it. */
const [KEPT, FORGOTTEN] = [40, 60];
const LONG_MS = 180_000;
/** The time in ms within which a worker would claim mails, if it could while sending is paused. */
const REST_MS = 10_000;

/** Recovers the cluster's database to a point in time, as docs/operations.md says. The programs keep running. */
async function recover({ site, nodes, patronictl, untilWhole }: Cluster, leader: Node, time: string): Promise<void> {
  for (const node of nodes) await node.stopPatroni();
  const to = ['--delta', '--type=time', `--target=${time}`, '--target-action=promote'];
  await site.run(pgbackrest(leader, ...to, 'restore'));
  const server = (...args: string[]) =>
    site.run(['/usr/lib/postgresql/15/bin/pg_ctl', '-w', '-D', leader.dataFolder, ...args]);
  await server('start', '-l', join(leader.root, 'recovery.log'), '-o', "-c listen_addresses=''");
  const ask = `host=${join(leader.root, 'var/run/postgresql')} port=${site.ports['5432']} dbname=postgres`;
  await eventually(
    () => site.run(['/usr/bin/psql', ask, '-Atc', 'SELECT pg_is_in_recovery()']),
    (answer) => answer.trim() === 'f',
    LONG_MS,
  );
  await server('stop');
  await patronictl(['remove', 'kaitaku'], 'kaitaku\nYes I am aware\n');
  leader.startPatroni();
  await eventually(leader.isPrimary, (isPrimary) => isPrimary, LONG_MS);
  for (const node of nodes.filter((other) => other !== leader)) {
    rmSync(node.dataFolder, { recursive: true });
    node.startPatroni();
  }
  await untilWhole();
}

test('a database recovered by pgBackRest to an earlier time pauses all sending; no mail is sent twice, none is lost', async () => {
  const cluster = await startCluster();
  onTestFinished(cluster.stop);
  const sink = await startSinkProcess(LATENCY_MS);
  onTestFinished(() => sink.stop());
  const programs = await startPrograms(cluster, sink);
  const { db, ...pools } = openPools(cluster);
  const untilArrived = (more: number) => {
    const before = sink.count();
    return eventually(sink.count, (count) => count >= before + more, LONG_MS);
  };
  const rewoundAt = async () => {
    const rows = await run<{ at: Date | null }>(cluster.adminUrl, 'SELECT rewound_at AS at FROM installation').catch(
      () => [],
    );
    return rows[0]?.at ?? null;
  };

  await acceptMails({ db, ...pools }, BACKED_UP);
  await untilSettled(db, LONG_MS);
  const leader = await cluster.untilWhole();
  await cluster.site.run(pgbackrest(leader, 'backup'));
  await acceptMails({ db, ...pools }, MAILS);
  await untilArrived(KEPT);
  const [time] = await run<{ now: string }>(cluster.adminUrl, 'SELECT now()::text AS now');
  await untilArrived(FORGOTTEN);
  await recover(cluster, leader, time?.now ?? '');

  await eventually(rewoundAt, (at) => at !== null, LONG_MS);
  await eventually(
    () => countStates(db),
    ({ claimed = 0, sending = 0 }) => claimed + sending === 0,
    LONG_MS,
  );
  const atRest = sink.count();
  const waiting = (await countStates(db)).queued ?? 0;
  // Some waiting mails have been sent: receipts prevent sending them again.
  expect(waiting).toBeGreaterThan(ALL - atRest);
  await programs.kaitaku('receipts', 'merge');
  await sleep(REST_MS);
  expect(sink.count()).toBe(atRest);
  await programs.kaitaku('receipts', 'resume', '--nothing-taken-back');
  await untilSettled(db, LONG_MS);
  await programs.stop();

  const mails = sink.mails();
  const { wrong, ...verdict } = await judge(
    db,
    mails.map(({ messageId }) => messageId),
  );
  process.stdout.write(
    `Set back by pgBackRest to ${time?.now}: ${waiting - (ALL - atRest)} mails waited again, ${verdict.lost} lost, ${verdict.duplicates} doubled.\n`,
  );
  expect({ wrong, ...verdict }).toMatchObject({ wrong: [], sent: ALL, unknown: 0, lost: 0, duplicates: 0 });
  expect(mails).toHaveLength(ALL);
});
