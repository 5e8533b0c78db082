import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { ProspectView } from '#contract/companies/prospects.ts';
import { demoClient, enter } from './demo.ts';
import { shareScene } from './scene.ts';

/** Tests two users who edit the remarks of one company at the same time (docs/decisions/concurrent-edits). */
const kaitaku = shareScene();

const HELP = '入力した内容は残っています。相手の内容は次のとおりです。';

/** Opens the remarks of a company in the list. @returns their field */
async function openRemarks(page: Page, company: string) {
  await page.getByRole('searchbox').fill(company);
  // A list that loads later would show the other user's remarks before this user's save, without a name.
  await page.getByText('該当 1社').waitFor();
  await page.getByRole('button', { name: `${company}の備考を編集` }).click();
  return page.getByRole('textbox', { name: `${company}の備考`, exact: true });
}

test('the second one is shown who wrote what, loses nothing, and keeps both', async () => {
  const client = await demoClient(kaitaku.url);
  const [group] = (await client.get('/sender_group/list')).body as { id: number }[];
  const path = `/prospect/view?sender_group_id=${group?.id}&pagenate_count=20`;
  const [company] = ((await client.get(path)).body as { rows: ProspectView[] }).rows;
  const name = company?.company_name ?? '';
  const stored = async () =>
    ((await client.get(`/prospect/${company?.id}`)).body as { groups: { remarks: string }[] }).groups[0]?.remarks;

  const [first, second] = [await enter(kaitaku.browser, kaitaku.url), await enter(kaitaku.browser, kaitaku.url)];
  const [ofFirst, ofSecond] = [await openRemarks(first.page, name), await openRemarks(second.page, name)];
  await ofFirst.fill('Aが電話した');
  await ofFirst.press('Enter');
  await ofFirst.waitFor({ state: 'detached' });
  await ofSecond.fill('Bが資料を送った');
  await ofSecond.press('Enter');
  const notice = second.page.getByRole('alert').filter({ hasText: HELP });
  await notice.getByText(/^田中 直樹さんが\d+\/\d+（.）\d+:\d{2}に備考を変更しました/).waitFor();
  await expect.poll(() => notice.getByRole('definition').innerText()).toBe('Aが電話した');
  expect([await ofSecond.inputValue(), await stored()]).toStrictEqual(['Bが資料を送った', 'Aが電話した']);

  // A blur decides nothing, so the text survives a reload of the page.
  await second.page.getByRole('searchbox').focus();
  await second.page.reload();
  await notice.waitFor();
  expect([await ofSecond.inputValue(), await stored()]).toStrictEqual(['Bが資料を送った', 'Aが電話した']);
  await notice.getByRole('button', { name: '両方を残す' }).click();
  await ofSecond.waitFor({ state: 'detached' });
  expect(await stored()).toBe('Aが電話した\nBが資料を送った');
  await first.leave();
  await second.leave(/status of 409/);
});
