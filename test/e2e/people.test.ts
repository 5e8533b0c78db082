import { expect, test } from 'vitest';
import { enter } from './demo.ts';
import { shareScene } from './scene.ts';

const kaitaku = shareScene();

test('two people are added to a company, and the second one becomes the 主担当', async () => {
  const { page, leave } = await enter(kaitaku.browser, kaitaku.url);
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const dialog = (name: string) => page.getByRole('dialog', { name, exact: true });
  await page.getByRole('grid').getByRole('rowheader').first().getByRole('link').click();
  const drawer = dialog('会社の詳細');

  async function add(values: Readonly<Record<string, string>>): Promise<void> {
    await drawer.getByRole('button', { name: '人を追加' }).click();
    const form = dialog('人の追加');
    for (const [label, value] of Object.entries(values)) await form.getByLabel(label, { exact: true }).fill(value);
    await form.getByRole('button', { name: '追加', exact: true }).click();
    await form.waitFor({ state: 'detached' });
  }

  await add({ 氏名: '佐藤 一郎', 部署: '購買部', 役職: '部長', 担当者メール: 'ichiro.sato@midori.example.jp' });
  await add({ 氏名: '鈴木 花子', 部署: '情報システム部', 担当者メール: 'hanako@midori.example.jp' });
  const people = drawer.getByRole('region', { name: '相手の人 2人' });
  await people.getByText(/購買部 部長 佐藤 一郎 様$/).waitFor();
  const primary = people.getByRole('listitem').filter({ has: page.getByRole('img', { name: '主担当' }) });
  expect(await primary.innerText()).toContain('佐藤 一郎');
  await people.getByRole('button', { name: '鈴木 花子の操作' }).click();
  await button('主担当にする').click();
  await people.getByText(/情報システム部 鈴木 花子 様$/).waitFor();
  expect(await primary.innerText()).toContain('鈴木 花子');
  await drawer.getByText('主担当を変更しました：佐藤 一郎 → 鈴木 花子').waitFor();

  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: /探す$/ }).fill('鈴木');
  await page.getByRole('option', { name: /^鈴木 花子 情報システム部/ }).waitFor();
  await leave();
});
