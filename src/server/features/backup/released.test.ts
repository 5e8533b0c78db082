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
    // Its members are told that what was open is held.
    Object.fromEntries(
      Object.entries(manifest.tables).map(([table, sum]) => [table, sum.rows + (table === 'notice_event' ? 1 : 0)]),
    ),
  );
  const open = `SELECT FROM send_log JOIN delivery ON send_log_id = send_log.id
    WHERE state IN ('queued', 'claimed') AND (paused_by, not_before) IS DISTINCT FROM ('restored', 'infinity')
    UNION ALL SELECT FROM reservation WHERE active AND NOT is_sent AND NOT held_by_restore`;
  expect(await ask(target.adminUrl, open)).toStrictEqual([]);
  expect((await runCommand(['account', 'list'], env)).out).toContain('released-1@example.com\treleased\t');
});
