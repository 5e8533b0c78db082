import type { Page } from 'playwright-core';
import { intercept, letThrough } from './intercept.ts';
import { closeToasts, field, openTools, press, when } from './walk-steps.ts';

const CHECK = '/prospect/check';
const SAVE = /\/api\/v1\/prospect\/\d+$/;
const TIMELINE = /\/api\/v1\/prospect\/\d+\/timeline\?/;

const NOTHING = { addressee: '', similar: [], sharing: [], sharing_total: 0, suppressed: null };
const AFFECTED = { reserved: 1, queued: 2, sending: 1, failed: 3 };
const OTHER = { id: 2, company_name: '㈱あおば商会', address: '東京都千代田区丸の内1-2-3', archived: 0 };
const SIMILAR = { ...OTHER, is_same: 0 };
const BLOCKED = {
  id: 3,
  kind: 'address',
  class: 'blocked',
  source: 'manual',
  reason: '自社で禁止',
  created_at: '2026/11/20 09:00:00',
};
const KNOWN = {
  ...NOTHING,
  sharing: [OTHER],
  sharing_total: 2,
  suppressed: BLOCKED,
  affected: AFFECTED,
};
const CHANGED = {
  message: '鈴木 一郎さんが11/22（日）10:00に変更しました。内容を確かめてから、保存してください。',
  code: 'company_changed',
};

const EVENT = {
  member_name: '田中 直樹',
  sender_group_id: null,
  send_log_id: null,
  delivery_id: null,
  subject: null,
  mail_to: null,
  person: null,
  state: null,
  reason: null,
  cause: null,
  smtp_reply: null,
  test_send_mode: null,
  import_run_id: null,
  file_name: null,
  changes: [],
};
const MAIL = {
  ...EVENT,
  kind: 'mail',
  send_log_id: 1,
  delivery_id: 1,
  subject: '受発注業務の効率化のご提案',
  mail_to: 'info@midori.example.jp',
  test_send_mode: 0,
};
const REPLY = '550 5.1.1 <info@midori.example.jp>: Recipient address rejected: User unknown in virtual mailbox table';
const EVENTS = [
  {
    ...EVENT,
    kind: 'edited',
    at: '2026/11/22 10:00:00',
    changes: [
      {
        field: 'address',
        old: '東京都千代田区丸の内1-2-3 丸の内ビルディング12階',
        new: '神奈川県横浜市西区みなとみらい2-3-4',
      },
      { field: 'amount_of_sales', old: null, new: 1_200_000_000 },
    ],
  },
  { ...MAIL, at: '2026/11/21 09:00:03', state: 'failed', cause: 'unknown_address', smtp_reply: REPLY },
  { ...MAIL, at: '2026/11/20 09:00:03', state: 'sent', smtp_reply: '250 OK', test_send_mode: 1 },
  { ...EVENT, kind: 'imported', at: '2026/11/19 09:00:00', import_run_id: 1, file_name: '首都圏の製造業.csv' },
];

async function closeForm(page: Page, name: string): Promise<void> {
  await page.keyboard.press('Escape');
  await page.getByRole('dialog', { name, exact: true }).waitFor({ state: 'detached' });
}

/** Walks through one company: beside the list and as a page, its forms and confirmations. It changes nothing. */
export async function* companies(page: Page, url: string): AsyncGenerator<string> {
  await page.goto(url);
  const link = page.getByRole('rowheader').nth(1).getByRole('link');
  const path = (await link.getAttribute('href')) ?? '';
  await link.click();
  yield* when(page, 'まだ送信していません', 'company');
  yield* suppressing(page);
  yield* adding(page, url);
  await intercept(page, TIMELINE, (route) => route.fulfill({ json: EVENTS }));
  await page.goto(url + path);
  yield* when(page, '首都圏の製造業.csv', 'company-page');
  yield* editing(page);
  letThrough(page, TIMELINE);
}

/** Shows in the drawer the dialog that suppresses its address, and the suppressed address. */
async function* suppressing(page: Page): AsyncGenerator<string> {
  await press(page, 'その他の操作');
  await press(page, '配信停止に登録');
  await press(page, '内容を確認');
  yield* when(page, '登録する 1件', 'company-suppress');
  await closeForm(page, '配信停止の追加');
  await intercept(page, SAVE, async (route) => {
    const company = (await (await route.fetch()).json()) as { groups: object[] };
    // A suppression takes the company out of its reservations.
    const none = { status: 'suppressed', send_at: null, reservation_id: null };
    const groups = company.groups.map((group) => ({ ...group, ...none }));
    await route.fulfill({ json: { ...company, groups, suppressed: BLOCKED } });
  });
  await page.reload();
  yield* when(page, /配信停止に登録されています（自社で禁止・手動・.*11\/20（金）9:00）/, 'company-suppressed');
  letThrough(page, SAVE);
}

async function* adding(page: Page, url: string): AsyncGenerator<string> {
  await page.goto(url);
  await page.getByRole('rowheader').first().waitFor();
  await openTools(page);
  await press(page, '会社を追加');
  await press(page, '追加');
  yield* when(page, '会社名が入力されていません', 'company-add');
  // No address is typed yet.
  await intercept(page, CHECK, (route) =>
    route.fulfill({ json: { ...NOTHING, similar: [SIMILAR], affected: AFFECTED } }),
  );
  await page
    .getByLabel(/^会社名/)
    .and(page.locator('input[aria-required]'))
    .fill('株式会社あおば商会');
  await page.getByRole('dialog').getByLabel('代表者').fill('代表取締役 青葉 花子');
  yield* when(page, '似た会社があります', 'company-similar');
  letThrough(page, CHECK);
  await page.keyboard.press('Escape');
  yield* when(page, '保存していない変更を破棄しますか？', 'company-discard');
  await press(page, '破棄');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
}

async function* editing(page: Page): AsyncGenerator<string> {
  await intercept(page, CHECK, (route) => route.fulfill({ json: KNOWN }));
  await press(page, '編集');
  await field(page, '代表メール').fill('eigyo@midori.example.jp');
  yield* when(page, '予約中 1件：配信停止のアドレスのため、送りません', 'company-edit');
  let isRefused = true;
  await intercept(page, SAVE, async (route) => {
    if (route.method === 'PUT') {
      if (isRefused) return route.fulfill({ status: 409, json: CHANGED });
      return route.fulfill({ json: { status: 'updated', id: 1, version: 'of this test' } });
    }
    const response = await route.fetch();
    const theirs = { version: 'of another', address: '大阪府大阪市北区梅田1-1-1', changed_by: '鈴木 一郎' };
    return route.fulfill({ json: { ...((await response.json()) as object), ...theirs } });
  });
  await press(page, '保存');
  yield* when(page, '大阪府大阪市北区梅田1-1-1', 'company-conflict');
  isRefused = false;
  await press(page, '保存');
  yield* when(page, 'を保存しました', 'company-saved');
  letThrough(page, SAVE);
  letThrough(page, CHECK);
  await press(page, 'その他の操作');
  await press(page, 'アーカイブ');
  yield* when(page, '送信の記録は残り、いつでも戻せます。', 'company-archive');
  await closeForm(page, '会社のアーカイブ');
  await closeToasts(page);
}
