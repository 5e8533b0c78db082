import PostalMime from 'postal-mime';
import { expect, test } from 'vitest';
import { DEMO_LOGIN } from '#server/features/demo/demo.command.ts';
import { eventually } from '#test/sending.ts';
import { visit } from './browser.ts';
import { logIn } from './demo.ts';
import { addPerson, shareScene } from './scene.ts';
import { field, press } from './walk-steps.ts';

const kaitaku = shareScene();

const FORGETFUL = 'forgetful@example.com';
const NEW_PASSWORD = '夜の灯台と三匹の黒い子猫';

/** Returns the link in the last mail to an address. */
async function mailedLink(to: string): Promise<string> {
  const mails = await eventually(
    async () => (await kaitaku.mails()).filter((mail) => mail.to.some(({ address }) => address === to)),
    (found) => found.length > 0,
  );
  const mail = await PostalMime.parse(await kaitaku.source(mails.at(-1)?.id ?? ''));
  return /http:\/\/\S+\/password-reset\/[\w-]{43}/.exec(mail.text ?? '')?.[0] ?? '';
}

test('a user who forgot the password sets a new one by the mailed link, and logs in with it', async () => {
  await addPerson(kaitaku, FORGETFUL);
  const { page, leave } = await visit(kaitaku.browser, `${kaitaku.url}/account`);
  await page.getByRole('link', { name: 'パスワードをお忘れですか？' }).click();
  await page.getByRole('heading', { name: 'パスワードの再設定' }).waitFor();
  await field(page, 'メールアドレス').fill(FORGETFUL);
  await page.keyboard.press('Enter');
  await page.getByText('登録のあるアドレスなら、再設定のメールが届きます').waitFor();

  const link = await mailedLink(FORGETFUL);
  await page.goto(link);
  await field(page, '新しいパスワード').fill(NEW_PASSWORD);
  await field(page, '新しいパスワード（確認）').fill(NEW_PASSWORD);
  await press(page, '新しいパスワードを設定');
  await page.getByText('新しいパスワードを設定しました。ログインしてください').waitFor();
  await logIn(page, { email: FORGETFUL, password: NEW_PASSWORD });
  await page.getByText('該当 1,000社').waitFor();

  // The link has been used, and offers another mail.
  await page.goto(link);
  await field(page, '新しいパスワード').fill(DEMO_LOGIN.password);
  await field(page, '新しいパスワード（確認）').fill(DEMO_LOGIN.password);
  await press(page, '新しいパスワードを設定');
  await page.getByText('このリンクは使えません。もう一度、再設定のメールを送ってください').waitFor();
  await field(page, 'メールアドレス').waitFor();
  expect(new URL(page.url()).pathname).toBe('/password-reset');
  await leave(/status of 400/);
});
