import type { Page } from 'playwright-core';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { setSenderPace } from '#server/features/delivery/quota/sender-pace.command.ts';
import { type Database, openDatabase } from '#server/platform/database/db.ts';
import { eventually } from '#test/sending.ts';
import type { Visit } from './browser.ts';
import { enter } from './demo.ts';
import { shareScene } from './scene.ts';
import { companyName, tickWarnings } from './walk-steps.ts';

/** Tests the sent mails: a run that continues after the browser is closed, its mails, and links to each. */
const kaitaku = shareScene();
let opened: Visit;
let page: Page;

const open = async () => {
  opened = await enter(kaitaku.browser, kaitaku.url);
  page = opened.page;
  await page.getByText('該当 1,000社').waitFor();
};

beforeAll(async () => {
  await open();
});

const state = () =>
  page
    .getByRole('status')
    .filter({ hasText: /送信中|終了|一時停止中/ })
    .first()
    .innerText();

async function confirm(button: string): Promise<void> {
  await page.getByRole('main').getByRole('button', { name: button, exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: button, exact: true }).click();
}

/** Requests 100 real mails, and waits until they are accepted. */
async function send100(): Promise<void> {
  await page.getByRole('tab', { name: 'アタックリスト' }).click();
  await page.getByRole('switch', { name: '予約モード' }).click();
  await page.getByRole('switch', { name: 'テストモード' }).click();
  await page.getByLabel('取得件数').selectOption('100');
  await page.getByRole('button', { name: '100社に送信' }).click();
  const confirm = page.getByRole('dialog').getByRole('button', { name: '100社に送信' });
  await tickWarnings(page);
  await expect.poll(() => confirm.isDisabled()).toBe(true);
  await page.getByLabel('確認のため、会社の数（100）を入力してください').fill('100');
  await confirm.click();
  // A run that ends before a slow browser shows it has only a link to its result.
  await page.getByRole('link', { name: /^(送信の詳細|送信結果を見る)$/ }).waitFor();
}

test('a run of 100 continues when the browser is closed, and its owner finds it in the history', async () => {
  await send100();
  await opened.leave();
  await eventually(
    () => kaitaku.mails(),
    (mails) => mails.length === 100,
    90_000,
  );

  await open();
  await page.getByRole('link', { name: '送信履歴' }).click();
  const row = page.getByRole('row').nth(1);
  await eventually(
    () => row.innerText(),
    (text) => /受発注業務の効率化のご提案.*100\s+送信済み 100%\s+0\s+0\s+0\s+0\s+終了/s.test(text),
  );
});

test('each mail is shown as it was sent, with the reply of the server only in its dialog', async () => {
  await page.getByRole('row').nth(1).getByRole('link').click();
  await page.waitForURL('**/sends/*');
  const first = page.getByRole('row').nth(1);
  await first.getByText('送信済み', { exact: true }).waitFor();
  await expect.poll(() => first.textContent()).not.toMatch(/250/);
  const company = await companyName(first);
  await first.getByRole('button', { name: `${company}へのメールを表示` }).click();
  const dialog = page.getByRole('dialog', { name: `${company}へのメール` });
  await dialog.getByText('受発注業務の効率化のご提案').waitFor();
  await dialog.getByText(/^250 /).waitFor();
  const frame = page.frameLocator('iframe[sandbox=""]');
  await frame.getByText(company).first().waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
});

/** Returns a function that limits the last mail's sender to this many mails a minute; null: no limit. */
async function paceOfLast({ db }: Database) {
  const { account_id: accountId, sender_id: id } = await db
    .selectFrom('delivery')
    .select(['account_id', 'sender_id'])
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirstOrThrow();
  return async (perMinute: number | null) =>
    expect(await setSenderPace(db, { accountId, id }, { perMinute })).toStrictEqual([]);
}

test('a paused run stays unchanged until it is resumed', async () => {
  const database = openDatabase(kaitaku.databaseUrl);
  onTestFinished(() => database.close());
  const setPace = await paceOfLast(database);
  // At full speed the run would end before a slow browser pauses it.
  await setPace(60);
  await page.getByRole('link', { name: 'Kaitaku' }).click();
  await send100();
  await page.getByRole('link', { name: '送信の詳細' }).click();
  await confirm('一時停止');
  await page.getByText('一時停止しています。').waitFor();
  await eventually(async () => (await page.getByLabel('ステータス').innerText()).includes('送信中（0通）'), Boolean);
  const before = (await kaitaku.mails()).length;
  expect(before).toBeLessThan(200);
  await setPace(null);
  await confirm('再開');
  await eventually(state, (text) => text === '終了', 90_000);
  expect(await kaitaku.mails()).toHaveLength(200);
});

/** Changes three mails of the last run that the catcher has received: one to failed, two to unknown. */
async function spoilThree({ db }: Database) {
  const mails = await db.selectFrom('delivery').selectAll().orderBy('id', 'desc').limit(3).execute();
  const [failed, again, settled] = mails;
  if (!(failed && again && settled)) throw new Error('there are no mails');
  // With another attempt number, so that no receipt of a worker gives the outcome.
  const spoil = ({ id, claim_no }: { id: number; claim_no: number }, state: 'failed' | 'unknown') =>
    db
      .updateTable('delivery')
      .set({ state, smtp_reply: null, claim_no: claim_no + 1 })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow();
  await db.deleteFrom('contact_state').where('prospect_id', '=', failed.prospect_id).execute();
  await db.deleteFrom('address_contact').where('address_key', '=', failed.address_key).execute();
  const row = (id: number) => db.selectFrom('delivery').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  return {
    failed: await spoil(failed, 'failed'),
    again: await spoil(again, 'unknown'),
    settled: await spoil(settled, 'unknown'),
    row,
  };
}

test('failed mails are retried, unknown ones sent again or counted as sent: each as its owner decides, and no other mail', async () => {
  const database = openDatabase(kaitaku.databaseUrl);
  onTestFinished(() => database.close());
  const { failed, again, settled, row } = await spoilThree(database);
  await page.reload();
  /** Returns the new mails once there are `count` of them. */
  const since = async (count: number) =>
    (await eventually(kaitaku.mails, ({ length }) => length >= 200 + count, 30_000)).slice(200);
  const untilSent = (id: number) =>
    eventually(
      () => row(id),
      ({ state }) => state === 'sent',
    );

  await page.getByRole('button', { name: 'その他の操作' }).click();
  await confirm('失敗したメールを再送信');
  await page.getByText('1通を再送信します').first().waitFor();
  await untilSent(failed.id);
  expect((await since(1)).map(({ to }) => to[0]?.address)).toStrictEqual([failed.mail_to]);

  const decide = async (company: string, button: string) => {
    const mail = page.getByRole('row').filter({ has: page.getByRole('rowheader', { name: company, exact: true }) });
    await mail.getByRole('button', { name: button, exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: button, exact: true }).click();
  };
  await page.getByLabel('ステータス').selectOption({ label: '不明（2通）' });
  await decide(again.company_name, 'もう一度送信');
  await page.getByText('もう一度送信します', { exact: true }).first().waitFor();
  await untilSent(again.id);
  const [, copy] = await since(2);
  // The same Message-ID, so that the recipient of the first copy can recognise it.
  expect(await kaitaku.source(copy?.id ?? '')).toContain(again.message_id);

  await decide(settled.company_name, '送信済みとして扱う');
  // Not the dialog's question, which begins with the same text.
  await page.getByText('送信済みとして扱います', { exact: true }).first().waitFor();
  await untilSent(settled.id);
  expect(await row(settled.id)).toMatchObject({ state: 'sent', reason: 'counted_as_sent', claim_no: settled.claim_no });
  expect(await row(again.id)).toMatchObject({ reason: null, maybe_sent: true, claim_no: again.claim_no + 1 });
  expect(await kaitaku.mails()).toHaveLength(202);
  const counts = await database.db.selectFrom('delivery').select('state').distinct().execute();
  expect(counts).toStrictEqual([{ state: 'sent' }]);
  await opened.leave();
});
