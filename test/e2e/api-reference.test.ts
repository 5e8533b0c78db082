import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { API_BASE } from '#contract/call.ts';
import { visit } from './browser.ts';
import { tooWide } from './page-checks.ts';
import { shareScene } from './scene.ts';

const scene = shareScene();

/** The script of the reference page adds a search over the calls, and a copy button at each example. */
test('finds calls by words of their description, and copies an example', async () => {
  const { url, browser } = scene;
  const { page, leave } = await visit(browser, `${url}${API_BASE}/docs`);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: url });
  const shown = page.locator('article.call:visible');
  const all = await shown.count();
  expect(all).toBeGreaterThan(20);

  const search = page.getByRole('searchbox', { name: '呼び出しを検索' });
  await search.fill('ＰＯＳＴ /reservation');
  await page
    .getByRole('status')
    .filter({ hasText: /^\d+件$/ })
    .waitFor();
  const found = await shown.count();
  expect([found > 0, found < all]).toStrictEqual([true, true]);
  await expect.poll(() => page.locator('nav li li:visible').count()).toBe(found);
  await expect.poll(() => page.locator('#postReservation').isVisible()).toBe(true);

  await search.fill('そのような呼び出しはない');
  await page.getByRole('status').filter({ hasText: '見つかりませんでした' }).waitFor();
  await expect.poll(() => shown.count()).toBe(0);
  await search.fill('');
  await expect.poll(() => shown.count()).toBe(all);

  const example = page.locator('#postAuthLogin figure').first();
  await example.getByRole('button', { name: 'コピー' }).click();
  await example.getByRole('button', { name: 'コピーしました' }).waitFor();
  const copied = await page.evaluate('navigator.clipboard.readText()');
  expect(copied).toBe(await example.locator('code').textContent());
  expect(copied).toContain('"$BASE/auth/login"');
  await leave();
});

test('fits a tablet and a phone', async () => {
  const { page, leave } = await visit(scene.browser, `${scene.url}${API_BASE}/docs`, { width: 1024, height: 768 });
  expect(await tooWide(page)).toStrictEqual([]);
  await page.setViewportSize({ width: 390, height: 844 });
  expect(await tooWide(page)).toStrictEqual([]);
  await leave();
});

test('runs its quick start as it is pasted, from the log-in to a caught test mail and its result', async () => {
  const { page, leave } = await visit(scene.browser, `${scene.url}${API_BASE}/docs`);
  const steps = await page.locator('#quick-start pre code').allTextContents();
  await leave();
  expect(steps.length).toBe(5);

  const last = steps.pop() ?? '';
  // As a reader does, it repeats the last step until the run has ended.
  const script = [
    ...steps,
    `RESULT=; until echo "$RESULT" | grep -q '"finished":true'; do RESULT=$(${last}); done; echo "$RESULT"`,
  ].join('\necho\n');
  const { stdout } = await promisify(execFile)('sh', ['-euc', script], { timeout: 60_000 });
  const lines = stdout.split('\n').filter((line) => line !== '');
  expect(lines.map((line) => line.replace(/[=:].*/, ''))).toStrictEqual([
    'TOKEN',
    'COMPANY',
    '{"total"',
    'RUN',
    '{"id"',
  ]);
  const [preview, result] = [lines[2], lines[4]].map((line = '') => JSON.parse(line) as object);
  expect(preview).toMatchObject({ total: 1, mail: { company_name: '株式会社はじめの一歩', to: 'demo@example.com' } });
  expect(result).toMatchObject({ test_send_mode: 1, targets: 1, sent: 1 });
  const { mail } = preview as { mail: { subject: string } };
  const caught = await scene.mails();
  expect(caught.map(({ to, subject }) => [to[0]?.address, subject])).toStrictEqual([
    ['demo@example.com', mail.subject],
  ]);
});
