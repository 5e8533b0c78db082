import { expect, test } from 'vitest';
import { axeFaults, changeColors } from './axe.ts';
import { enter } from './demo.ts';
import { shareScene } from './scene.ts';
import { field, press } from './walk-steps.ts';

const kaitaku = shareScene();

test('a field and a tag are made, companies get the tag at once, are found by it, and show both', async () => {
  const { page, leave } = await enter(kaitaku.browser, kaitaku.url);
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const dialog = (name: string) => page.getByRole('dialog', { name, exact: true });

  await page.goto(`${kaitaku.url}/settings/fields`);
  await button('項目を追加').click();
  const adding = dialog('項目の追加');
  await adding.getByLabel('項目名（必須）').fill('展示会名');
  await adding.getByLabel('差し込み名').fill('event');
  await adding.getByRole('button', { name: '追加', exact: true }).click();
  await page.getByRole('rowheader', { name: '展示会名' }).waitFor();
  await page.getByRole('gridcell', { name: '{{ custom.event }}' }).waitFor();
  await button('タグを追加').click();
  await dialog('タグの追加').getByLabel('タグ名（必須）').fill('重点');
  await dialog('タグの追加').getByRole('button', { name: '追加', exact: true }).click();
  await page.getByRole('rowheader', { name: '重点' }).waitFor();

  await page.goto(`${kaitaku.url}/?company_email=example`);
  // The first box is that of the page.
  for (const row of [1, 2])
    await page
      .getByRole('checkbox', { name: /を選択$/ })
      .nth(row)
      .check();
  await button('タグを付ける').click();
  const tagging = dialog('タグの変更');
  await tagging.getByRole('option', { name: '重点' }).click();
  await tagging.getByRole('combobox', { name: 'タグ' }).pressSequentially('秋の名簿');
  await tagging.getByRole('combobox', { name: 'タグ' }).press('Enter');
  await tagging.getByRole('button', { name: 'タグ「秋の名簿」を選択から外す' }).waitFor();
  await tagging.getByRole('button', { name: 'タグを付ける', exact: true }).click();
  await page.getByText('2社のタグを変更しました').waitFor();

  await page.goto(kaitaku.url);
  await button('絞り込み').click();
  await button('タグを選ぶ').click();
  await page.getByRole('combobox', { name: 'タグを選ぶ' }).fill('重点');
  await page.getByRole('combobox', { name: 'タグを選ぶ' }).press('Enter');
  await page.getByText('該当 2社', { exact: true }).waitFor();
  await page.getByText('タグ: 重点', { exact: true }).waitFor();
  expect(new URL(page.url()).searchParams.get('tags')).toMatch(/^\d+$/);

  await page.getByRole('grid').getByRole('rowheader').first().getByRole('link').click();
  const drawer = dialog('会社の詳細');
  await drawer.getByRole('list', { name: 'タグ' }).getByText('秋の名簿').waitFor();
  await drawer.getByRole('button', { name: '自社の項目の編集' }).click();
  await dialog('自社の項目の編集').getByLabel('展示会名').fill('東京産業展');
  await dialog('自社の項目の編集').getByRole('button', { name: '保存', exact: true }).click();
  await drawer.getByRole('region', { name: '自社の項目' }).getByText('東京産業展').waitFor();
  await drawer.getByText('展示会名を変更しました：（なし） → 東京産業展').waitFor();
  await leave();
});

test('companies are found by ランク A and 展示会名 東京 with these columns, also from the saved condition', async () => {
  const { page, leave } = await enter(kaitaku.browser, kaitaku.url, '/imports/new');
  const cards = `会社名,代表メール,展示会名,ランク,導入日
株式会社項目東,a@east-own.example,東京産業展,A,2026/10/15
株式会社項目西,b@west-own.example,大阪産業展,A,2026/10/16
株式会社項目南,c@south-own.example,東京産業展,B,
`;
  await page
    .getByLabel('ファイルを選ぶ')
    .setInputFiles({ name: '名簿.csv', mimeType: 'text/csv', buffer: Buffer.from(`\uFEFF${cards}`) });
  await field(page, 'ランクの項目').waitFor();
  const rank = page.getByRole('group', { name: 'ランクの新しい項目' });
  await rank.getByLabel('種類').selectOption('choice');
  await press(page, '次へ');
  await press(page, '3社を取り込む');
  await page.getByText('3社を取り込みました').waitFor();

  await page.goto(kaitaku.url);
  await press(page, '絞り込み');
  const add = async (name: string) => {
    await press(page, '条件を追加');
    await press(page, name);
  };
  await add('ランク');
  await press(page, 'A');
  await add('展示会名');
  await page.getByRole('textbox', { name: '展示会名', exact: true }).fill('東京');
  await add('導入日');
  await page.getByLabel('導入日（始まり）').fill('2026-10-15');
  await page.getByText('該当 1社', { exact: true }).waitFor();
  for (const chip of ['ランク: A', '展示会名: 東京', '導入日: 2026/10/15〜']) {
    await page.getByText(chip, { exact: true }).waitFor();
  }
  await press(page, '列の設定');
  const columns = page.getByRole('dialog', { name: '列の設定' });
  for (const name of ['ランク', '導入日']) await columns.getByRole('checkbox', { name, exact: true }).check();
  for (const scheme of ['light', 'dark'] as const) {
    await changeColors(page, scheme);
    expect(await axeFaults(page, scheme)).toEqual([]);
  }
  await columns.getByRole('button', { name: '閉じる' }).last().click();
  await page.getByRole('gridcell', { name: '2026/10/15', exact: true }).waitFor();
  for (const scheme of ['dark', 'light'] as const) {
    await changeColors(page, scheme);
    expect(await axeFaults(page, scheme)).toEqual([]);
  }
  await press(page, '条件を保存');
  await page.getByLabel('条件の名前').fill('東京のA');
  await page.getByRole('dialog').locator('button[type=submit]').click();
  await page.getByText('条件を保存しました').waitFor();

  await page.goto(kaitaku.url);
  await page.getByRole('columnheader', { name: '導入日' }).waitFor();
  await page.getByRole('button', { name: /^東京のA/ }).click();
  await page.getByText('該当 1社', { exact: true }).waitFor();
  await page.getByRole('gridcell', { name: '2026/10/15', exact: true }).waitFor();
  await page.getByText('展示会名: 東京', { exact: true }).waitFor();
  await leave();
});
