import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { eventually } from '#test/sending.ts';
import { logIn } from './demo.ts';
import { fillLegalForm } from './legal-form.ts';
import { shareScene } from './scene.ts';
import { field, press, pressOrder, tickWarnings, toggle } from './walk-steps.ts';

const scene = shareScene();

const ADDRESS = 'hanako@kaitaku-demo.example';

/** Returns the link in the last mail to an address. */
async function mailedLink(to: string): Promise<string> {
  const mails = await eventually(
    async () => (await scene.mails()).filter((mail) => mail.to.some(({ address }) => address === to)),
    (found) => found.length > 0,
  );
  const source = await scene.source(mails.at(-1)?.id ?? '');
  const [, text = ''] = /Content-Transfer-Encoding: base64\r?\n\r?\n([\s\S]*?)\r?\n--/.exec(source) ?? [];
  return /http\S+\/sender-confirmation\/[\w-]{43}/.exec(Buffer.from(text, 'base64').toString())?.[0] ?? '';
}

/** Opens the dialog of a real send to one company, and confirms it. */
async function sendReal(page: Page): Promise<void> {
  await tickWarnings(page);
  await page.getByRole('dialog').getByRole('button', { name: '1社に送信' }).click();
}

/** Fills in the legal details of the new group; without them no real mail can be sent. */
async function fillLegalProfile(page: Page): Promise<void> {
  await page.getByRole('link', { name: '法定表示を入力' }).click();
  await field(page, '送信者グループ').selectOption({ label: '関西営業部（不足あり）' });
  await fillLegalForm(page);
  await expect.poll(() => field(page, '郵便番号（必須）').inputValue()).toBe('530-0001');
  await page.getByRole('link', { name: '法定表示を入力' }).waitFor({ state: 'detached' });
}

test('a group and a person with two texts are created on the screen; its real mail is sent after the mailed link was used', async () => {
  const page = await scene.browser.newPage();
  await page.goto(`${scene.url}/settings/groups`);
  await logIn(page);
  await page.getByRole('heading', { name: '首都圏営業部' }).waitFor();

  await press(page, 'グループを追加');
  await field(page, 'グループ名').fill('首都圏営業部');
  await press(page, '追加');
  await page.getByText('同じ名前のグループがあります').waitFor();
  await field(page, 'グループ名').fill('関西営業部');
  await press(page, '追加');
  const group = page.getByRole('region', { name: '関西営業部' });
  await group.getByText('このグループには差出人がいません').waitFor();

  await group.getByRole('button', { name: '差出人を追加' }).click();
  await field(page, 'メールアドレス（必須）').fill('hanako');
  await press(page, '保存');
  await page.getByText('差出人名が入力されていません').waitFor();
  await page.getByText('メールアドレスに@がありません').waitFor();
  await field(page, '差出人名（必須）').fill('佐藤 花子');
  await field(page, 'メールアドレス（必須）').fill(ADDRESS);
  await page.getByText('テンプレートを1つ以上選んでください').waitFor();
  const templates = page.getByRole('group', { name: /^テンプレート（/ }).getByRole('checkbox');
  await templates.nth(0).check();
  await templates.nth(1).check();
  const signature = '株式会社架空商事 関西営業部\n佐藤 花子';
  await page.getByText('詳細設定', { exact: true }).click();
  await field(page, '署名').fill(signature);
  await page.keyboard.press('Escape');
  await press(page, '編集を続ける');
  await expect.poll(() => field(page, '署名').inputValue()).toBe(signature);
  await press(page, '保存');
  await group.getByText('確認待ち').waitFor();
  await group.getByText(/^\d{1,2}\/\d{1,2}（.）\d{1,2}:\d\dに確認メールを送りました$/).waitFor();
  await page.getByText(`確認メールを${ADDRESS}に送りました`).waitFor();

  const chips = group.getByRole('list', { name: '使うテンプレート' }).getByRole('link');
  const [, chosen = ''] = await eventually(
    () => chips.allInnerTexts(),
    (names) => names.length === 2,
  );

  await fillLegalProfile(page);

  // The attack list marks the sender; a real send is refused with the remedy.
  await page.goto(`${scene.url}/?tab=attack`);
  await field(page, '送信者グループ').selectOption({ label: '関西営業部' });
  const offered = page.getByRole('option', { name: chosen });
  await offered.filter({ hasText: '（佐藤 花子・確認待ち）' }).waitFor({ state: 'attached' });
  await field(page, 'テンプレート').selectOption({ label: await offered.innerText() });
  await page.getByRole('tab', { name: 'アタックリスト' }).click();
  await field(page, '取得件数').selectOption('1');
  await toggle(page, 'テストモード');
  await toggle(page, '予約モード');
  await pressOrder(page);
  await page
    .getByRole('dialog')
    .getByText(/差出人のアドレスの確認が済んでいないため、会社には送れません/)
    .waitFor();
  await sendReal(page);
  await page.getByText(/このアドレスはまだ確認されていません/).waitFor();

  // The mailbox's owner needs no login, and opening the link changes nothing.
  const watching = await scene.browser.newPage();
  await watching.goto(`${scene.url}/settings/groups`);
  await logIn(watching);
  const watched = watching.getByRole('region', { name: '関西営業部' });
  await watched.getByText('確認待ち').waitFor();
  const visitor = await scene.browser.newPage();
  await visitor.goto(await mailedLink(ADDRESS));
  await visitor.getByRole('button', { name: 'このアドレスを確認' }).waitFor();
  await visitor.reload();
  await visitor.getByRole('button', { name: 'このアドレスを確認' }).click();
  await visitor.getByText(`${ADDRESS} を確認しました`).waitFor();
  expect(new URL(visitor.url()).pathname).toBe('/sender-confirmation');
  await visitor.close();

  // No screen has been reloaded.
  await watched.getByText('確認済み').waitFor();
  await watching.close();
  await page
    .getByRole('dialog')
    .getByText(/差出人のアドレスの確認が済んでいないため、会社には送れません/)
    .waitFor({ state: 'detached' });
  await offered.filter({ hasText: '（佐藤 花子）' }).waitFor({ state: 'attached' });

  await sendReal(page);
  await eventually(
    async () => (await scene.mails()).filter(({ from, subject }) => from[0]?.address === ADDRESS && subject !== ''),
    (found) => found.length === 1,
  );
  await page.close();
});
