import iconv from 'iconv-lite';
import { expect, test } from 'vitest';
import { enter } from './demo.ts';
import { shareScene } from './scene.ts';
import { field, press } from './walk-steps.ts';

const kaitaku = shareScene();

/** A list in which Excel has removed the first 0 of a telephone number. */
const LIST = `名前,売上(百万円),住所1,住所2,メール,FAX,TEL
㈱髙﨑精機,120,群馬県高崎市,岩押町1-1,info@takasaki.example,03,271234567
有限会社海猫,"3,400",青森県八戸市,鮫町2,umineko.example,03,
合同会社渚,,神奈川県鎌倉市,由比ガ浜3,,,
`;

test('a Shift_JIS file is uploaded, mapped, checked, imported and undone, using only the screen', async () => {
  const { page, leave } = await enter(kaitaku.browser, kaitaku.url);
  const matches = (text: string) => page.getByText(`該当 ${text}社`, { exact: true }).waitFor();
  await matches('1,000');
  await page.getByRole('link', { name: 'CSVを取り込む' }).click();
  const buffer = iconv.encode(LIST, 'cp932');
  await page.getByLabel('ファイルを選ぶ').setInputFiles({ name: '展示会.csv', mimeType: 'text/csv', buffer });
  await field(page, '名前の項目').waitFor();
  await press(page, '読み取りの設定');
  await page.getByText('自動で判定しました：Shift_JIS').waitFor();
  await page.getByRole('cell', { name: '㈱髙﨑精機' }).waitFor();
  await press(page, '次へ');
  await page.getByText('「会社名」の列がありません').first().waitFor();
  await field(page, '名前の項目').selectOption({ label: '会社名' });
  await expect.poll(() => field(page, '売上(百万円)の単位').inputValue()).toBe('百万円');
  await press(page, '次へ');

  await page.getByRole('button', { name: '2社を取り込む' }).waitFor();
  // A reload leads back to the step.
  await page.reload();
  await page.getByRole('tab', { name: '取り込めない行 1' }).waitFor();
  await page.getByRole('rowheader', { name: '3行目' }).waitFor();
  const saved = page.waitForEvent('download');
  await press(page, '取り込めない行をCSVでダウンロード');
  expect((await saved).suggestedFilename()).toBe('取り込めない行_展示会.csv');
  await page.getByText('電話番号が1個あります。0を補って取り込みます').waitFor();
  await press(page, '0を補わない');
  await page.getByText('電話番号1個を、先頭の0がないまま取り込みます').waitFor();
  await press(page, '0を補う');
  await page.getByText('電話番号が1個あります。0を補って取り込みます').waitFor();
  await press(page, '2社を取り込む');
  await page.getByText('追加2・変更0・除外1（取り込めない行1）').waitFor();
  await page.getByRole('link', { name: '見込み客を見る' }).click();
  await matches('1,002');
  await page.getByRole('searchbox', { name: '会社名・メールで探す' }).fill('髙﨑精機');
  await matches('1');
  await page.getByRole('gridcell', { name: '群馬県高崎市岩押町1-1' }).waitFor();
  await page.getByRole('link', { name: '㈱髙﨑精機' }).click();
  await page.getByRole('link', { name: '0271234567' }).waitFor();

  await page.goto(`${kaitaku.url}/imports`);
  await press(page, '展示会.csvの取り込みを取り消す');
  await page.getByText('追加した2社を外し、変更した0社を元の値に戻しますか？').waitFor();
  await press(page, '取り込みを取り消す');
  await page.getByText('取り消し済み').waitFor();
  await page.getByRole('link', { name: '展示会.csv' }).click();
  await page.getByText('外した会社').waitFor();
  await page.getByRole('link', { name: '見込み客を見る' }).click();
  await matches('1,000');
  await leave();
});
