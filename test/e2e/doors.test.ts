import PostalMime from 'postal-mime';
import { expect, test } from 'vitest';
import { API_BASE } from '#contract/call.ts';
import { DEMO_LOGIN } from '#server/features/demo/demo.command.ts';
import { clientAt } from '#test/client.ts';
import { createTestDatabase } from '#test/db.ts';
import { freePort, type Program, startProgram } from '#test/program.ts';
import { eventually } from '#test/sending.ts';
import { visit } from './browser.ts';
import { logIn } from './demo.ts';
import { type RunningKaitaku, startFresh } from './fresh-start.ts';
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

test('whoever forgot the password sets a new one by the mailed link, and logs in with it', async () => {
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
  await page.getByText('該当 1,000件').waitFor();

  // The link is spent, and leads to another mail.
  await page.goto(link);
  await field(page, '新しいパスワード').fill(DEMO_LOGIN.password);
  await field(page, '新しいパスワード（確認）').fill(DEMO_LOGIN.password);
  await press(page, '新しいパスワードを設定');
  await page.getByText('このリンクは使えません。もう一度、再設定のメールを送ってください').waitFor();
  await field(page, 'メールアドレス').waitFor();
  expect(new URL(page.url()).pathname).toBe('/password-reset');
  await leave(/status of 400/);
});

/** Returns the link that a start has printed. */
const printedLink = (output: string) => /http:\/\/127\.0\.0\.1:\d+\/setup\/[\w-]{43}/.exec(output)?.[0] ?? '';

/** Starts a `web` process on a database, as one of several. */
async function startWeb(databaseUrl: string): Promise<{ program: Program; url: string; key: string }> {
  const port = String(await freePort());
  const program = startProgram(['web'], { DATABASE_URL: databaseUrl, SMTP_URL: 'smtp://127.0.0.1', PORT: port });
  await program.until('/setup/');
  return { program, url: `http://127.0.0.1:${port}`, key: printedLink(program.output()).split('/').at(-1) ?? '' };
}

test('of several web processes the last start prints the valid link, outside of the log', async () => {
  const database = await createTestDatabase();
  const started: Program[] = [];
  try {
    const first = await startWeb(database.url);
    started.push(first.program);
    const second = await startWeb(database.url);
    started.push(second.program);
    const check = (key: string) => clientAt(first.url + API_BASE, '').post('/setup/check', { key });
    expect(await check(second.key)).toMatchObject({ status: 200 });
    expect(await check(first.key)).toMatchObject({ status: 400, body: { code: 'invalid_key' } });
    const lines = second.program.output().split('\n');
    expect(lines.filter((line) => line.includes(second.key))).toStrictEqual([
      `最初のアカウントを作るリンク（1時間、1回だけ使えます）: ${second.url}/setup/${second.key}`,
    ]);
  } finally {
    for (const { child } of started) child.kill('SIGKILL');
    await Promise.all(started.map(({ ended }) => ended));
    await database.drop();
  }
});

test('an empty database of one’s own: the printed link makes the first account on the screen', async () => {
  const database = await createTestDatabase();
  let program: RunningKaitaku | undefined;
  try {
    program = await startFresh({ DATABASE_URL: database.url });
    const link = printedLink(program.program.output());
    const { page, leave } = await visit(kaitaku.browser, link);
    await field(page, '会社名').fill('株式会社花');
    await field(page, '氏名').fill('山田 花子');
    await field(page, 'メールアドレス').fill('hana@example.jp');
    await field(page, '新しいパスワード').fill(NEW_PASSWORD);
    await field(page, '新しいパスワード（確認）').fill(NEW_PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByText('アカウントを作成しました').waitFor();
    await page.getByRole('banner').getByText('山田 花子').waitFor();
    await page.waitForURL(`${program.url}/`);
    await page.goto(link);
    await page.getByText('最初のアカウントは、もう作られています。ログインしてください').waitFor();
    await leave(/status of 404/);
  } finally {
    await program?.stop();
    await database.drop();
  }
});
