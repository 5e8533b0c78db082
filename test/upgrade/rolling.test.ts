import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { makeDemo } from '#server/features/demo/demo.command.ts';
import { testDatabase } from '#test/db.ts';
import type { Program } from '#test/program.ts';
import { demoClient, enter } from '../e2e/demo.ts';
import { worker as ofWorker } from '../e2e/launch.ts';
import { LOOK_MS, replaceAll, scene } from './rolling.ts';
import { unpackVersions } from './versions.ts';

/** Starts processes of the package before a version with this migration. */
async function nextVersion(migration: string) {
  const versions = await unpackVersions(migration);
  const database = await testDatabase();
  await makeDemo(database.service);
  return scene({ ...versions, database });
}

/** Returns the browser of the environment. */
function browser() {
  if (!ofWorker.browser) throw new Error('the environment has no browser');
  return ofWorker.browser;
}

/** Opens the editor of a template, and types without saving. @returns what an upgrade of its `web` must keep */
async function typeInEditor(url: string) {
  const client = await demoClient(url);
  const [sender] = (await client.get('/sender/list')).body as { id: number }[];
  const opened = await enter(browser(), url, `/template/${sender?.id}`);
  onTestFinished(() => opened.page.context().close());
  const subject = opened.page.getByLabel('件名', { exact: true });
  await subject.fill('書きかけの件名');
  await opened.page.getByText('保存していない変更があります').waitFor();
  return { ...opened, subject };
}

test('a migration that permits older programs: both versions serve side by side, and an old page offers the new version', async () => {
  const all = await nextVersion('ALTER TABLE account ADD COLUMN added_after text');
  const { after, pairs, answers, startWorker, startWeb, untilWorkGoesOn, migrate, finish } = all;
  const [first] = pairs;
  const url = `http://127.0.0.1:${first?.port}`;
  const { page, subject } = await typeInEditor(url);
  await migrate();
  await sleep(LOOK_MS);
  for (const { web, worker } of pairs) expect([web.child.exitCode, worker.child.exitCode]).toStrictEqual([null, null]);
  await untilWorkGoesOn();

  const replace = async (old: Program, start: () => Promise<Program>): Promise<Program> => {
    old.child.kill('SIGTERM');
    await untilWorkGoesOn();
    expect(await old.ended, old.output()).toBe(0);
    const next = await start();
    await untilWorkGoesOn();
    return next;
  };
  const replaced: Program[] = [];
  for (const { worker } of pairs) replaced.push(await replace(worker, () => startWorker(after)));
  for (const { web, port } of pairs) replaced.push(await replace(web, () => startWeb(after, port)));

  await page.getByRole('button', { name: 'ログアウト', exact: true }).click();
  await page.getByText('新しい版があります').waitFor();
  expect(await subject.inputValue()).toBe('書きかけの件名');
  await page.reload();
  await page.getByText('保存していない変更があります').waitFor();
  expect(await page.locator('script[type=module][src]').first().getAttribute('src')).toContain('-after');
  expect(await subject.inputValue()).toBe('書きかけの件名');

  await finish('permits the version before');
  expect(answers).toMatchObject({ deferred: 0, unserved: 0 });
  for (const { child } of replaced) child.kill('SIGTERM');
  expect(await Promise.all(replaced.map(({ ended }) => ended))).toStrictEqual([0, 0, 0, 0]);
});

test('a migration that permits no older program: old processes end within a minute, and lose or double no mail', async () => {
  const all = await nextVersion(`UPDATE schema_migration SET oldest_program = version
    WHERE version = (SELECT max(version) FROM schema_migration)`);
  await replaceAll(all, 'permits no older program');
});
