import PostalMime from 'postal-mime';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { API_BASE } from '#contract/call.ts';
import { clientAt } from '#test/client.ts';
import { createTestDatabase, type TestDatabase } from '#test/db.ts';
import { freePort, startProgram } from '#test/program.ts';
import { eventually } from '#test/sending.ts';
import { type SmtpSink, startSmtpSink } from '#test/smtp-sink.ts';
import { browserOfWorker, visit } from './browser.ts';
import { type RunningKaitaku, startFresh } from './fresh-start.ts';
import { FIRST_COMPANY, firstDay, OWNER } from './walk-first-day.ts';

/** Tests the way from an empty database to the first real mail. */
let database: TestDatabase;
let kaitaku: RunningKaitaku;
/** The mail server of the installation: with a catcher the owner connects a mailbox (mailboxes.test.ts). */
let sink: SmtpSink;
/** The output of a second `web`, and the key in its link. */
let webOutput = '';
let webPort = '';
let key = '';

beforeAll(async () => {
  database = await createTestDatabase();
  sink = await startSmtpSink();
  kaitaku = await startFresh({
    DATABASE_URL: database.url,
    SMTP_URL: `smtp://127.0.0.1:${sink.port}`,
    MAIL_FROM: 'kaitaku@hana.example.jp',
  });
  webPort = String(await freePort());
  const web = startProgram(['web'], { DATABASE_URL: database.url, SMTP_URL: 'smtp://127.0.0.1', PORT: webPort });
  await web.until('/setup/');
  web.child.kill('SIGKILL');
  await web.ended;
  webOutput = web.output();
  key = printedKey(webOutput);
});

afterAll(async () => {
  await kaitaku?.stop();
  await sink?.close();
  await database?.drop();
});

/** Returns the key in the printed link. */
const printedKey = (output: string) => /http:\/\/127\.0\.0\.1:\d+\/setup\/([\w-]{43})/.exec(output)?.[1] ?? '';

test('with several web processes the last start prints the valid link, outside of the log', async () => {
  const lines = webOutput.split('\n');
  expect(lines.filter((line) => line.includes(key))).toStrictEqual([
    `最初のアカウントを作るリンク（1時間、1回だけ使えます）: http://127.0.0.1:${webPort}/setup/${key}`,
  ]);
  const check = (tried: string) => clientAt(kaitaku.url + API_BASE, '').post('/setup/check', { key: tried });
  expect(await check(key)).toMatchObject({ status: 200 });
  const first = printedKey(kaitaku.program.output());
  expect(await check(first)).toMatchObject({ status: 400, body: { code: 'invalid_key' } });
});

test('a new owner gets to the first real mail using only the screen; the printed link is then invalid', async () => {
  const mailsTo = async (to: string) => {
    const caught = sink.mails.filter((mail) => mail.to.includes(to));
    return Promise.all(caught.map(({ source }) => PostalMime.parse(source)));
  };
  const mailedLink = (to: string, path: string) =>
    eventually(
      async () =>
        (await mailsTo(to)).map(({ text = '' }) => text.match(/http:\S+/g)?.find((link) => link.includes(path))),
      (links) => links.some((link) => link !== undefined),
    ).then((links) => links.find((link) => link !== undefined) ?? '');
  const setupLink = `${kaitaku.url}/setup/${key}`;
  const { page, leave } = await visit(browserOfWorker(), `${kaitaku.url}/icon.svg`);
  for await (const _step of firstDay(page, { setupLink, mailedLink }));
  await page.goto(setupLink);
  await page.getByText('最初のアカウントは、もう作られています。ログインしてください').waitFor();
  await leave(/status of 404/);
  const [mail] = await mailsTo(FIRST_COMPANY.email);
  expect(mail?.from?.address).toBe(OWNER.email);
  expect(mail?.text).toContain(`${FIRST_COMPANY.ceo} 様`);
  // The owner received the confirmation and one test.
  expect((await mailsTo(OWNER.email)).filter(({ subject = '' }) => subject.startsWith('【テスト】'))).toHaveLength(1);
});
