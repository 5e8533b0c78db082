import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { EXAMPLE_MAIL_KEY } from '#domain/refusal-place.ts';
import { openDatabase } from '#server/platform/db.ts';
import { addDelivery } from '#test/prospect-history.ts';
import { axeFaults, illFitting } from './page-checks.ts';
import { shareScene } from './scene.ts';

/** The public page of the link in each mail, as its reader sees it: without a login, and without scripts. */
const scene = shareScene();

/** Of a mail to the only company of its domain. */
let key: string;

beforeAll(async () => {
  const { db, close } = openDatabase(scene.databaseUrl);
  const sender = await db
    .selectFrom('sender')
    .select(['account_id as accountId', 'id as senderId', 'sender_group_id as senderGroupId'])
    .orderBy('id')
    .executeTakeFirstOrThrow();
  const { id: prospectId } = await db
    .selectFrom('prospect')
    .select('id')
    .where('account_id', '=', sender.accountId)
    .orderBy('id')
    .executeTakeFirstOrThrow();
  const mailTo = 'info@only-one.example.jp';
  const run = await addDelivery(db, { ...sender, memberId: 0 }, prospectId, { state: 'sent', mailTo });
  const { mail_key } = await db
    .selectFrom('delivery')
    .select('mail_key')
    .where('send_log_id', '=', run)
    .executeTakeFirstOrThrow();
  key = mail_key?.replaceAll('-', '') ?? '';
  await close();
});

async function open(path: string, width: number, options: { javaScriptEnabled?: boolean } = {}): Promise<Page> {
  const context = await scene.browser.newContext({ viewport: { width, height: 844 }, ...options });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  await page.goto(`${scene.url}/u/${path}`);
  return page;
}

test('a reader without scripts refuses for the domain, and undoes it', async () => {
  const page = await open(key, 390, { javaScriptEnabled: false });
  await page.getByText('in***@only-one.example.jp').waitFor();
  await page.getByLabel('@only-one.example.jp のすべてのアドレスで停止する').check();
  await page.getByLabel('覚えがない').check();
  await page.getByRole('button', { name: '配信を停止する' }).click();
  await page.getByText('配信停止を受け付けました。').waitFor();
  await page.goto(`${scene.url}/u/${key}`);
  await page.getByText('に受け付け済みです。').waitFor();
  await page.getByRole('button', { name: '配信停止を取り消す' }).click();
  await page.getByText('配信停止を取り消しました。').waitFor();
  await page.getByRole('link', { name: '配信停止の手続きに戻る' }).click();
  await page.getByRole('button', { name: '配信を停止する' }).waitFor();
});

describe.each([390, 1440])('%i px wide', (width) => {
  const check = async (page: Page) => {
    for (const scheme of ['light', 'dark'] as const) expect(await axeFaults(page, scheme)).toStrictEqual([]);
    expect(await illFitting(page, true)).toStrictEqual([]);
  };

  test.each([
    ['an example', () => EXAMPLE_MAIL_KEY],
    ['an unknown key', () => 'f'.repeat(32)],
  ])('the page of %s has no fault', async (_, keyOf) => {
    await check(await open(keyOf(), width));
  });

  test('the pages of a mail have none, by keyboard alone', async () => {
    const page = await open(key, width);
    await check(page);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Space');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByText('配信停止を受け付けました。').waitFor();
    await check(page);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByText('配信停止を取り消しました。').waitFor();
    await check(page);
  });
});
