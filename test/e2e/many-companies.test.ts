import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { ProspectView } from '#contract/companies/prospects.ts';
import { demoClient, enter } from './demo.ts';
import { shareScene } from './scene.ts';

/** Tests actions on many companies at once: search, choose, change, export. */
const kaitaku = shareScene();

interface Page {
  readonly rows: readonly ProspectView[];
  readonly total: number;
}

test('companies are found, selected, changed, exported, archived and restored', async () => {
  const client = await demoClient(kaitaku.url);
  const [group] = (await client.get('/sender_group/list')).body as { id: number }[];
  const ask = async (more: string) =>
    (await client.get(`/prospect/view?sender_group_id=${group?.id}&pagenate_count=200${more}`)).body as Page;
  const word = '合同会社';
  const found = await ask(`&search=${encodeURIComponent(word)}`);
  // Companies on more than one page, so that choosing all takes two steps.
  expect(found.total).toBeGreaterThan(50);
  expect(found.total).toBeLessThanOrEqual(200);

  const { page, leave } = await enter(kaitaku.browser, kaitaku.url);
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const dialog = page.getByRole('dialog');
  const act = async (name: string) => {
    await button(name).click();
    await dialog.getByRole('button', { name, exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
  };
  const chooseAll = async () => {
    await page.getByRole('checkbox', { name: 'このページのすべてを選択' }).press('Space');
    await button(`この条件の${found.total}社をすべて選択`).click();
    await page.getByText(`${found.total}社を選択中`).waitFor();
  };
  await page.getByText('該当 1,000社').waitFor();
  await page.getByRole('searchbox').fill(word);
  await page.getByText(`該当 ${found.total}社`, { exact: true }).waitFor();
  expect(new URL(page.url()).searchParams.get('search')).toBe(word);

  await chooseAll();
  await button('備考を追記').click();
  await dialog.getByLabel('追記する備考').fill('展示会の名簿');
  await dialog.getByRole('button', { name: '備考を追記' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page
    .getByRole('button', { name: /^展示会の名簿/ })
    .first()
    .waitFor();

  await chooseAll();
  await button('書き出す').click();
  await dialog.getByLabel('列').selectOption({ label: 'すべての列' });
  await dialog.getByRole('button', { name: '書き出す' }).click();
  const download = page.waitForEvent('download');
  await dialog
    .getByRole('button', { name: /をダウンロード$/ })
    .first()
    .click();
  const file = await download;
  expect(file.suggestedFilename()).toMatch(/^見込み客_\d{8}_\d{4}\.csv$/);
  const [header = '', ...lines] = readFileSync(await file.path(), 'utf8')
    .trimEnd()
    .split('\r\n');
  expect(header).toMatch(/^\ufeff有効,/);
  expect(lines).toHaveLength(found.total);
  expect(lines.every((line) => line.includes('展示会の名簿'))).toBe(true);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });

  await act('アーカイブ');
  await page.getByText('条件に合う見込み客がありません').waitFor();
  expect((await ask('')).total).toBe(1000 - found.total);
  await page.getByLabel('送信状況').selectOption({ label: 'アーカイブ済み' });
  await page.getByRole('gridcell', { name: 'アーカイブ済み' }).first().waitFor();
  await chooseAll();
  await act('リストに戻す');
  await page.getByText('条件に合う見込み客がありません').waitFor();
  expect((await ask('')).total).toBe(1000);
  await leave();
});
