import type { Page } from 'playwright-core';
import { intercept, letThrough } from './intercept.ts';
import { closeDialog, closeToasts, field, press, when, whenLoaded } from './walk-steps.ts';

const GROUPS = '/sender_group/list';
const CONFIRM = '/sender_confirmation';

/** Walks through the settings of groups and senders, and the page of a mailed link. */
export async function* settings(page: Page, url: string): AsyncGenerator<string> {
  await page.goto(`${url}/settings/groups`);
  await page.getByRole('heading', { name: '首都圏営業部' }).waitFor();
  yield* whenLoaded(page, 'settings-groups');
  await press(page, 'グループを追加');
  await press(page, '追加');
  yield* when(page, 'グループ名が入力されていません', 'settings-group-refused');
  await closeDialog(page);
  await press(page, '送信者を追加');
  yield* whenLoaded(page, 'settings-sender');
  await field(page, 'メールアドレス（必須）').fill('hanako');
  await press(page, '保存');
  yield* when(page, '差出人名が入力されていません', 'settings-sender-refused');
  await press(page, 'キャンセル');
  yield* when(page, '保存していない変更を破棄しますか？', 'settings-sender-discard');
  await press(page, '破棄');
  await intercept(page, GROUPS, (route) => route.abort());
  await page.reload();
  yield* when(page, '読み込めませんでした', 'settings-groups-failed');
  letThrough(page, GROUPS);
  yield* confirmation(page, url);
  await closeToasts(page);
}

async function* confirmation(page: Page, url: string): AsyncGenerator<string> {
  const link = `${url}/sender-confirmation/${'A'.repeat(43)}`;
  await page.goto(link);
  await page.getByRole('button', { name: 'このアドレスを確認' }).waitFor();
  yield* whenLoaded(page, 'sender-confirmation');
  await press(page, 'このアドレスを確認');
  yield* when(page, 'このリンクは使えません。もう一度、確認メールを送ってください', 'sender-confirmation-refused');
  await intercept(page, CONFIRM, (route) =>
    route.fulfill({ json: { status: 'confirmed', email: 'hanako@example.jp' } }),
  );
  await page.goto(link);
  await press(page, 'このアドレスを確認');
  yield* when(page, 'hanako@example.jp を確認しました', 'sender-confirmation-done');
  letThrough(page, CONFIRM);
}
