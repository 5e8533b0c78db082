import { expect, test } from 'vitest';
import { API_BASE } from '#contract/call.ts';
import { browserOfWorker, visit } from './browser.ts';
import { programOfWorker } from './scene.ts';

/** The script of the reference page adds a search over the calls, and a copy button at each example. */
test('finds calls by words of their description, and copies an example', async () => {
  const { url } = programOfWorker();
  const { page, leave } = await visit(browserOfWorker(), `${url}${API_BASE}/docs`);
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
