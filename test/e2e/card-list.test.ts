import { readFileSync } from 'node:fs';
import PostalMime from 'postal-mime';
import { expect, test } from 'vitest';
import { eventually } from '#test/sending.ts';
import { axeFaults } from './axe.ts';
import { enter } from './demo.ts';
import { shareScene } from './scene.ts';
import { field, press, pressOrder, tickWarnings } from './walk-steps.ts';

const kaitaku = shareScene();

/** Business cards of an exhibition: two companies, three persons. */
const CARDS = `会社名,部署,役職,氏名,担当者メール,名刺交換日,展示会名,ランク,担当者,携帯
株式会社東都カード,購買部,部長,佐藤 一郎,ichiro.sato@toto-card.example,2026/10/15,東京産業展,A,,090-0000-0001
株式会社東都カード,情報システム部,課長,鈴木 花子,hanako@toto-card.example,2026/10/15,東京産業展,A,,090-0000-0002
合同会社浪速カード,総務部,,高橋 次郎,jiro@naniwa-card.example,,東京産業展,B,,
`;

test('a list of cards is imported with its people and own fields, and mailed to the main contact persons', async () => {
  const { page, leave } = await enter(kaitaku.browser, kaitaku.url, '/imports/new');
  await page
    .getByLabel('ファイルを選ぶ')
    .setInputFiles({ name: '名刺.csv', mimeType: 'text/csv', buffer: Buffer.from(`\uFEFF${CARDS}`) });
  await field(page, 'ランクの項目').waitFor();
  for (const group of ['会社', '人', '自社の項目'])
    await page.getByRole('rowheader', { name: group, exact: true }).waitFor();
  expect(await field(page, '部署の項目').inputValue()).toBe('person_department');
  expect(await field(page, 'ランクの項目').inputValue()).toBe('new');
  await page.getByLabel('この取り込みの会社にタグを付ける').check();
  expect(await axeFaults(page, 'light')).toEqual([]);
  await press(page, '次へ');
  await page.getByRole('button', { name: '2社・3人を取り込む' }).waitFor();
  expect(await axeFaults(page, 'light')).toEqual([]);
  await press(page, '2社・3人を取り込む');
  await page.getByText('2社・3人を取り込みました').waitFor();
  await page.getByRole('link', { name: '取り込んだ項目を列に出して見る' }).click();
  for (const name of ['主担当', 'タグ', 'ランク', '展示会名']) await page.getByRole('columnheader', { name }).waitFor();

  await page.goto(`${kaitaku.url}/?tab=attack-list&search=${encodeURIComponent('カード')}`);
  await page.getByLabel('宛先', { exact: true }).waitFor();
  await page.getByRole('gridcell', { name: '購買部 部長 佐藤 一郎 様' }).waitFor();
  await page.getByLabel('テストモード').uncheck();
  await page.getByLabel('予約モード').uncheck();
  await page.getByRole('gridcell', { name: 'ichiro.sato@toto-card.example' }).waitFor();
  expect(await axeFaults(page, 'light')).toEqual([]);
  await pressOrder(page);
  const dialog = page.getByRole('dialog');
  await dialog.getByText('主担当 2社').waitFor();
  await dialog.getByText('根拠の記録なし 1社').waitFor();
  await tickWarnings(page);
  await dialog.getByRole('button', { name: '2社に送信' }).click();
  const mails = await eventually(
    () => kaitaku.mails(),
    (caught) => caught.length >= 2,
  );
  const toSato = mails.find(({ to }) => to[0]?.address === 'ichiro.sato@toto-card.example');
  expect(new Set(mails.map(({ to }) => to[0]?.address))).toEqual(
    new Set(['ichiro.sato@toto-card.example', 'jiro@naniwa-card.example']),
  );
  const { text } = await PostalMime.parse(await kaitaku.source(toSato?.id ?? ''));
  expect(text).toContain('購買部 部長 佐藤 一郎 様');

  // Out again, and in again without a change.
  await page.goto(`${kaitaku.url}/?search=${encodeURIComponent('カード')}`);
  await page.getByText('該当 2社', { exact: true }).waitFor();
  await press(page, '書き出す');
  await dialog.getByLabel('範囲').selectOption({ label: 'この条件の2社' });
  await dialog.getByLabel('列').selectOption({ label: 'すべての列（相手の人ごとに1行）' });
  await dialog.getByRole('button', { name: '書き出す' }).click();
  const download = page.waitForEvent('download');
  await dialog
    .getByRole('button', { name: /をダウンロード$/ })
    .first()
    .click();
  const path = await (await download).path();
  for (const card of ['佐藤 一郎', '090-0000-0002', '2026/10/15', '東京産業展']) {
    expect(readFileSync(path, 'utf8')).toContain(card);
  }
  await page.goto(`${kaitaku.url}/imports/new`);
  await page.getByLabel('ファイルを選ぶ').setInputFiles(path);
  await field(page, 'ランクの項目').waitFor();
  await press(page, '次へ');
  await page.getByText('取り込む会社がありません').waitFor();
  await leave();
});
