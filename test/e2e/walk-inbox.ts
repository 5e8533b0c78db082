import type { Page } from 'playwright-core';
import { intercept, letThrough } from './intercept.ts';
import { when } from './walk-steps.ts';

const INBOX = '/inbox';
const READING = {
  state: 'reading',
  last_read_at: '2026/11/23 12:00:00',
  fault: null,
  mails: 1234,
  unmatched: 12,
  skipped: 1,
};

/** Walks through the state of the inbox: not configured, read, with an error, and never read. */
export async function* inbox(page: Page, url: string): AsyncGenerator<string> {
  await page.goto(`${url}/settings/domains`);
  yield* when(page, '受信の設定がありません', 'settings-inbox-off');
  const states = [
    ['settings-inbox', /^最終確認 .*11\/23（月）12:00$/, {}],
    ['settings-inbox-failing', /^メールサーバーにログインできません/, { state: 'failing', fault: 'login' }],
    [
      'settings-inbox-waiting',
      'まだ一度も読み終えていません。',
      { last_read_at: null, mails: 0, unmatched: 0, skipped: 0 },
    ],
  ] as const;
  for (const [name, text, state] of states) {
    await intercept(page, INBOX, (route) => route.fulfill({ json: { ...READING, ...state } }));
    await page.reload();
    yield* when(page, text, name);
    letThrough(page, INBOX);
  }
}
