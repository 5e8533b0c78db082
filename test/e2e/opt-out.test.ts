import type { Page } from 'playwright-core';
import { beforeAll, onTestFinished, test } from 'vitest';
import { openDatabase } from '#server/platform/database/db.ts';
import { addDelivery } from '#test/prospect-history.ts';
import { shareScene } from './scene.ts';

/**
 * Tests the public page of the opt-out link, as recipients use it: without login and scripts. walk-opt-out.ts shows
 * each of its states.
 */
const scene = shareScene();

/** The key of a mail to the only company of its domain. */
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

async function open(): Promise<Page> {
  const viewport = { width: 390, height: 844 };
  const context = await scene.browser.newContext({ viewport, javaScriptEnabled: false });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  await page.goto(`${scene.url}/u/${key}`);
  return page;
}

test('a recipient without scripts opts out for the domain, and undoes it', async () => {
  const page = await open();
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

test('a recipient opts out and undoes it by keyboard only', async () => {
  const page = await open();
  const pressFocused = async (key: string, role: 'checkbox' | 'button', name: string) => {
    await page.getByRole(role, { name }).and(page.locator(':focus')).waitFor();
    await page.keyboard.press(key);
  };
  await page.keyboard.press('Tab');
  await pressFocused('Space', 'checkbox', '@only-one.example.jp のすべてのアドレスで停止する');
  // Skips the reasons, none of which is chosen.
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await pressFocused('Enter', 'button', '配信を停止する');
  await page.getByText('配信停止を受け付けました。').waitFor();
  await page.keyboard.press('Tab');
  await pressFocused('Enter', 'button', '配信停止を取り消す');
  await page.getByText('配信停止を取り消しました。').waitFor();
});
