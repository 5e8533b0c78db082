import type { Page } from 'playwright-core';
import { intercept, letThrough } from './intercept.ts';
import { closeDialog, press, when } from './walk-steps.ts';

const LIST = '/notice/list';
const UNREAD = '/notice/unread';

const notice = (id: number, kind: string, values: object = {}) => ({
  id,
  kind,
  count: 1,
  percent: null,
  subjects: [],
  first_at: '2026/11/23 09:00:00',
  last_at: '2026/11/23 12:05:00',
  is_read: 0,
  ...values,
});

const companies = ['株式会社みどり製作所', '有限会社あおば商事', '合同会社ながいながいなまえのかいしゃ'].map(
  (name, id) => ({ id: id + 1, name }),
);

const NOTICES = [
  notice(9, 'stopped', { subjects: [{ id: 3, name: '受発注業務の効率化のご提案（500通）' }] }),
  notice(8, 'reply', { subjects: companies, count: 3 }),
  notice(7, 'refusal', { subjects: companies, count: 1000 }),
  notice(6, 'failures', {
    percent: 10,
    subjects: [{ id: 3, name: '受発注業務の効率化のご提案（500通）' }],
    is_read: 1,
  }),
  notice(5, 'reservation_missed', { subjects: [{ id: 2, name: '11/23（月）8:00 関西営業部' }], is_read: 1 }),
  notice(4, 'run_ended', {
    subjects: [
      {
        id: 2,
        name: '展示会でお話しした、受発注業務の効率化と在庫の見える化のご提案（関西の製造業の皆さ… 116通送信・3通失敗・1通不明',
      },
    ],
    is_read: 1,
  }),
  notice(3, 'import_ended', { subjects: [{ id: 2, name: '顧客一覧2026.csv' }], is_read: 1 }),
  notice(2, 'domain_bad', { subjects: [{ id: 2, name: 'kaitaku-demo.example' }], is_read: 1 }),
];

/** Walks through the bell and its list, with and without notices, and the settings of notices. */
export async function* notices(page: Page, url: string): AsyncGenerator<string> {
  await intercept(page, LIST, (route) => route.fulfill({ json: NOTICES }));
  await intercept(page, UNREAD, (route) => route.fulfill({ json: { unread: 3 } }));
  await page.goto(`${url}/settings/notifications`);
  yield* when(page, '毎朝8時のまとめ', 'settings-notifications');
  await press(page, '通知（未読3件）');
  yield* when(page, '予約が送信されませんでした', 'notices');
  await closeDialog(page);
  for (const calls of [LIST, UNREAD]) letThrough(page, calls);
  await intercept(page, LIST, (route) => route.fulfill({ json: [] }));
  await intercept(page, UNREAD, (route) => route.fulfill({ json: { unread: 0 } }));
  await page.reload();
  await press(page, '通知');
  yield* when(page, '通知はありません', 'notices-none');
  await closeDialog(page);
  letThrough(page, LIST);
  letThrough(page, UNREAD);
}
