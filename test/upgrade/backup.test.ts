import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { makeDemo } from '#server/features/demo/demo.command.ts';
import { testDatabase } from '#test/db.ts';
import { ask, makeInstallation } from '#test/installation.ts';
import { freePort } from '#test/program.ts';
import { TEST_SECRET_KEY } from '#test/secrets.ts';
import { eventually, testSink } from '#test/sending.ts';
import { addFullTenant } from '../authorization/full-tenant.ts';
import { demoClient } from '../e2e/demo.ts';
import { unpackVersions } from './versions.ts';

/** The migration changes rows, which exist only if it runs after the load. It permits no older program. */
const MIGRATION = `
  UPDATE schema_migration SET oldest_program = version WHERE version = (SELECT max(version) FROM schema_migration);
  ALTER TABLE prospect ADD COLUMN name_after text;
  ALTER TABLE prospect NO FORCE ROW LEVEL SECURITY;
  UPDATE prospect SET name_after = company_name;
  ALTER TABLE prospect FORCE ROW LEVEL SECURITY`;
const LIST = 'SELECT company_name FROM prospect ORDER BY id';
/** The time in ms within which a worker would send, if it could while sending is paused. */
const REST_MS = 2000;

test('the next version restores a backup, migrates its rows, and works', async () => {
  const { before, after, version } = await unpackVersions(MIGRATION);
  const folder = mkdtempSync(join(tmpdir(), 'kaitaku-upgrade-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const database = await testDatabase();
  await makeDemo(database.service);
  // Below, only the pause after a restore may hold a mail back.
  await database.db.updateTable('account_rule').set({ undo_seconds: 0 }).execute();
  for (const marker of ['one', 'two']) await addFullTenant(database.db, marker);
  const file = join(folder, 'backup');
  await before.run(['backup', file], { DATABASE_URL: database.url, DATA_DIR: join(folder, 'before') });

  const target = await makeInstallation();
  onTestFinished(target.drop);
  const sink = await testSink();
  const port = await freePort();
  const env = {
    DATABASE_URL: target.url,
    DATABASE_ROLE_PREFIX: target.prefix,
    DATA_DIR: join(folder, 'after'),
    SMTP_URL: `smtp://127.0.0.1:${sink.port}`,
    PORT: `${port}`,
    SECRET_KEY: TEST_SECRET_KEY,
  };
  await after.run(['restore', file], env);
  const newest = 'SELECT max(version) AS version FROM schema_migration';
  expect(await ask(target.adminUrl, newest)).toStrictEqual([{ version }]);
  const companies = await ask<{ company_name: string }>(database.url, LIST);
  const migrated = LIST.replace('company_name', 'name_after AS company_name');
  expect(await ask(target.adminUrl, migrated)).toStrictEqual(companies);
  const old = before.start(['web'], env);
  expect(await old.ended).toBe(1);
  expect(old.output()).toContain('データベースはこのプログラムより新しい版です');

  const [web, worker] = [after.start(['web'], env), after.start(['worker'], env)];
  await Promise.all([web.until('web started'), worker.until('worker started')]);
  const client = await demoClient(`http://127.0.0.1:${port}`);
  const [sender] = (await client.get('/sender/list')).body as { id: number; sender_group_id: number }[];
  const list = `/prospect/view?sender_group_id=${sender?.sender_group_id}&pagenate_count=20`;
  type Company = { id: number; company_email: string | null; sent_at: string | null };
  const look = async () => ((await client.get(list)).body as { rows: Company[] }).rows;
  const company = (await look()).find(({ company_email }) => company_email !== null);
  const order = { test_send_mode: 0, attack_list: [{ prospect_id: company?.id }] };
  expect(await client.post(`/mail/send/${sender?.id}`, order)).toMatchObject({ status: 200, body: { accepted: 1 } });
  await sleep(REST_MS);
  expect(sink.mails.map(({ to }) => to)).toStrictEqual([]);
  await after.run(['receipts', 'resume', '--receipts-complete'], env);
  await eventually(
    () => sink.mails.filter(({ to }) => to.includes(company?.company_email ?? '')),
    ({ length }) => length === 1,
    60_000,
  );
  await eventually(look, (rows) => rows.some(({ id, sent_at }) => id === company?.id && sent_at !== null));
  for (const program of [web, worker]) {
    program.child.kill('SIGTERM');
    expect(await program.ended, program.output()).toBe(0);
  }
});
