import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { HOUR_MS } from '#domain/time-units.ts';
import { backupName, expiredBackups, timeOfBackup } from '#server/features/backup/backup-names.ts';
import { checkBackup } from '#server/features/backup/check-backup.ts';
import { testDatabase } from '#test/db.ts';
import { startProgram } from '#test/program.ts';
import { addManyProspects, addTenant } from '#test/prospects.ts';
import { form } from './form.ts';
import { kill } from './workers.ts';

const random = form.random();
const KEEP = { daily: 2, weekly: 1 };

test(`${form.backups} × kill -9 of backup --to: no kept file is lost, none is broken (seed ${form.seed})`, async () => {
  const database = await testDatabase();
  const { accountId } = await addTenant(database.db);
  await addManyProspects(database.db, accountId, 20_000);
  const place = mkdtempSync(join(tmpdir(), 'kaitaku-backup-killed-'));
  onTestFinished(() => rmSync(place, { recursive: true }));
  const folder = join(place, 'backups');
  let now = Date.parse('2026-12-01T03:00:00+09:00');
  /** Starts a backup, six hours after the one before. */
  const start = async () => {
    now += 6 * HOUR_MS;
    const env = { DATABASE_URL: database.url, DATA_DIR: join(place, 'data') };
    const program = startProgram([folder, String(now)], env, { file: 'test/faults/backup-to.process.ts' });
    await program.until('begins');
    return program;
  };
  const files = () => readdirSync(folder).toSorted();
  const kept = () => files().filter((name) => timeOfBackup(name) !== null);
  const run = async () => {
    const program = await start();
    const begin = performance.now();
    expect(await program.ended, program.output()).toBe(0);
    return performance.now() - begin;
  };
  let longest = 0;
  for (let runs = 0; runs < 4; runs += 1) longest = Math.max(longest, await run());

  const seen = { before: 0, after: 0, parts: 0 };
  for (let kills = 0; kills < form.backups; kills += 1) {
    const before = kept();
    const program = await start();
    await sleep(random() * longest * 1.1);
    await kill(program);
    const after = kept();
    const written = backupName(now);
    const mayGo = after.includes(written) ? expiredBackups([...before, written], { ...KEEP, written }) : [];
    expect(before.filter((name) => !after.includes(name) && !mayGo.includes(name))).toStrictEqual([]);
    for (const name of after) await checkBackup(join(folder, name));
    seen[after.includes(written) ? 'after' : 'before'] += 1;
    const parts = files().length - after.length;
    expect(parts).toBeLessThanOrEqual(1);
    seen.parts += parts;
  }
  process.stdout.write(
    `backup --to, ${form.backups} kills: ${JSON.stringify(seen)} of at most ${Math.round(longest)} ms\n`,
  );
  // Of a few kills all may come late.
  if (form.backups >= 50) expect(seen.before).toBeGreaterThan(0);

  const before = kept();
  await run();
  const written = backupName(now);
  const gone = expiredBackups([...before, written], { ...KEEP, written });
  expect(files()).toStrictEqual([...before.filter((name) => !gone.includes(name)), written]);
}, 600_000);
