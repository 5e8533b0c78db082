import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ask, makeInstallation } from '#test/installation.ts';
import { runCommand } from '#test/run-command.ts';
import { newestVersion } from '../../platform/database/migrate.ts';
import { checkBackup } from './check-backup.ts';

/** Backups that released versions have made, each of one made-up account with a row in every table of its time. */
const FOLDER = join(import.meta.dirname, '../../../../test/released');

test.each(readdirSync(FOLDER))('the backup %s is restored, and migrated', async (name) => {
  const file = join(FOLDER, name);
  const target = await makeInstallation();
  onTestFinished(target.drop);
  const dataDir = mkdtempSync(join(tmpdir(), 'kaitaku-released-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true }));
  const env = { DATABASE_URL: target.url, DATABASE_ROLE_PREFIX: target.prefix, DATA_DIR: dataDir };
  expect(await runCommand(['restore', file], env)).toMatchObject({ code: 0, err: '' });
  const { head, manifest } = await checkBackup(file);
  const newest = await newestVersion();
  expect(head.migrations.at(-1)?.version).toBeLessThan(newest);
  const [migrated] = await ask<{ version: number }>(
    target.adminUrl,
    'SELECT max(version) AS version FROM schema_migration',
  );
  expect(migrated).toStrictEqual({ version: newest });
  await ask(target.adminUrl, `DELETE FROM audit_event WHERE kind = 'restored'`);
  const counts = Object.keys(manifest.tables).map(
    (table) => `SELECT '${table}' AS name, count(*)::integer AS rows FROM ${table}`,
  );
  const rows = await ask<{ name: string; rows: number }>(target.adminUrl, counts.join(' UNION ALL '));
  expect(Object.fromEntries(rows.map((one) => [one.name, one.rows]))).toStrictEqual(
    Object.fromEntries(Object.entries(manifest.tables).map(([table, sum]) => [table, sum.rows])),
  );
  expect((await runCommand(['account', 'list'], env)).out).toContain('released-1@example.com\treleased\t');
});
