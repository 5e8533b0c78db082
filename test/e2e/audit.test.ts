import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { demoClient, enter } from './demo.ts';
import { addColleague, shareScene } from './scene.ts';
import { field, press } from './walk-steps.ts';

const kaitaku = shareScene();

test('an admin finds who changed a template, opens it, and exports what the screen shows; others find no entry', async () => {
  const client = await demoClient(kaitaku.url);
  const { body } = await client.get('/mail_template/list?limit=1');
  const [template] = body as { id: number; name: string }[];
  const archive = (what: string) => client.post(`/mail_template/${template?.id}/${what}`, {});
  expect([(await archive('archive')).status, (await archive('restore')).status]).toStrictEqual([200, 200]);

  const { page } = await enter(kaitaku.browser, kaitaku.url, '/settings/groups');
  await page.getByRole('link', { name: '操作履歴' }).click();
  const rows = page.getByRole('grid').getByRole('row');
  await page.getByText('テンプレートをアーカイブから戻しました').waitFor();
  await field(page, '種類').selectOption({ label: 'ログイン' });
  await page
    .getByText(/^ログインしました（パスワード・接続元 127\.0\.0\.0\/24）$/)
    .first()
    .waitFor();
  await page.getByText('テンプレートをアーカイブから戻しました').waitFor({ state: 'detached' });
  await field(page, '種類').selectOption({ label: 'テンプレート' });
  await page.waitForURL(/\?kind=templates$/);
  await expect.poll(() => rows.nth(1).textContent()).toContain('田中 直樹テンプレートをアーカイブから戻しました');
  // The filter is in the address.
  await page.reload();
  await expect.poll(() => rows.nth(1).textContent()).toContain('テンプレートをアーカイブから戻しました');
  const shown = (await rows.allTextContents()).length - 1;

  await press(page, '書き出す');
  const dialog = page.getByRole('dialog', { name: '操作履歴の書き出し' });
  await dialog.getByRole('button', { name: '書き出す' }).click();
  const download = page.waitForEvent('download');
  await dialog.getByRole('button', { name: /^操作履歴_.*をダウンロード$/ }).click();
  const lines = (await readFile(await (await download).path(), 'utf8')).trim().split('\r\n');
  expect(lines[0]).toBe('日時,人,操作,対象');
  expect(lines).toHaveLength(shown + 1);
  expect(lines[1]).toMatch(/^\d{4}\/\d\d\/\d\d \d\d:\d\d:\d\d,田中 直樹,テンプレートをアーカイブから戻しました,.+$/);
  await page.keyboard.press('Escape');

  await rows.nth(1).getByRole('link').click();
  await page.waitForURL(`**/template/${template?.id}`);

  const viewer = await addColleague(kaitaku, 'audit-viewer@example.com', 'viewer');
  const { page: other } = await enter(kaitaku.browser, kaitaku.url, '/settings/audit', undefined, viewer);
  await other.getByText('操作履歴は、管理者だけが見られます').waitFor();
  expect(await other.getByRole('link', { name: '操作履歴' }).count()).toBe(0);
});
