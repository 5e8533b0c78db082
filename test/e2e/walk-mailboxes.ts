import type { Page } from 'playwright-core';
import { MAILBOX_STEPS } from '#contract/senders/mailboxes-names.ts';
import { formatSecond } from '#domain/time/tokyo-time.ts';
import { HOUR_MS } from '#domain/time-units.ts';
import { intercept, letThrough, type Route } from './intercept.ts';
import { closeDialog, field, press, when, whenLoaded } from './walk-steps.ts';

const LIST = '/mailbox/list';
const ADD = '/mailbox';
const PUT = '/mailbox/2';
const CHECK = '/mailbox/2/check';

const mailbox = (id: number, name: string, address: string, more: object = {}) => ({
  id,
  kind: 'smtp',
  name,
  address,
  owner_id: 1,
  owner: name,
  is_mine: 1,
  may_change: 1,
  smtp_host: 'mail.kakuu-shoji.example.jp',
  smtp_port: 587,
  security: 'starttls',
  username: address,
  imap_host: 'mail.kakuu-shoji.example.jp',
  reads_replies: 1,
  takes_refusals: 0,
  other_from: [],
  ids: 'kept',
  state: 'ok',
  checked_at: formatSecond(Date.now() - HOUR_MS),
  paused_until: null,
  why: null,
  last_fault: null,
  read_at: formatSecond(Date.now()),
  read_fault: null,
  per_day: 500,
  per_minute: 30,
  used_today: 38,
  senders: [],
  version: 4,
  ...more,
});
const UNLOST = [
  mailbox(2, '鈴木 彩', 'suzuki@kakuu-shoji.example.jp', { other_from: ['recruit@kakuu-shoji.example.jp'] }),
  mailbox(5, '営業部', 'eigyo@kakuu-shoji.example.jp', {
    owner_id: null,
    reads_replies: 0,
    used_today: 1204,
    per_day: 5000,
  }),
  mailbox(7, '木村 健太郎', 'kentaro.kimura@sales.kakuu-shoji.example.jp', {
    kind: 'google',
    used_today: 300,
    per_day: 300,
    why: 'limited',
    paused_until: formatSecond(Date.now() + 20 * HOUR_MS),
    last_fault: '550 5.4.5 Daily user sending limit exceeded.',
    read_fault: 'IMAPサーバーにログインできません。',
  }),
  mailbox(8, '伊藤 翼', 'ito@kakuu-shoji.example.jp', { state: 'unchecked', used_today: 0, reads_replies: 0 }),
  mailbox(9, '旧窓口', 'old@kakuu-shoji.example.jp', { state: 'off', used_today: 0 }),
];
const LOST = mailbox(3, '田中 直樹', 'tanaka@kakuu-shoji.example.jp', {
  kind: 'smtp',
  state: 'reconnect',
  used_today: 0,
  last_fault: '535 5.7.8 Username and Password not accepted',
});

const TEXTS: Readonly<Record<string, string>> = {
  host: 'mail.kakuu-shoji.example.jp が見つかりました。',
  connect: 'mail.kakuu-shoji.example.jp のポート587に接続しました。',
  tls: '通信を暗号化しています。',
  login: 'ログインしました。',
  from: 'tanaka@example.com から送れます。',
  imap: '返信を読めます。',
  test_mail: '確認のメールが届きました。',
  message_id: 'メールの番号（Message-ID）は、そのまま届きます。返信を見分けられます。',
};
const FINE = {
  state: 'ok',
  version: 5,
  steps: MAILBOX_STEPS.map((step) => ({ step, state: 'ok', text: TEXTS[step] })),
};
const REFUSED = 'ユーザー名かパスワードが違います。（サーバーの返事：535 5.7.8 authentication failed）';
const FAULTY = {
  state: 'unchecked',
  version: 5,
  steps: MAILBOX_STEPS.map((step, place) =>
    place < 3
      ? { step, state: 'ok', text: TEXTS[step] }
      : {
          step,
          state: step === 'login' ? 'bad' : 'skipped',
          text: step === 'login' ? REFUSED : 'まだ確かめていません。',
        },
  ),
};
const OPEN = {
  code: 'has_open_mails',
  message: 'このメールボックスから送る予定の1,204通と予約2件は、送信されません。',
  details: [
    { path: 'mails', message: '1204' },
    { path: 'reservations', message: '2' },
  ],
};

/** Walks through the mailboxes, from the first to what members do about them. Connects to no server. */
export async function* mailboxes(page: Page, url: string): AsyncGenerator<string> {
  await page.goto(`${url}/settings/mailboxes`);
  yield* when(page, /^お試しのアカウントのメールは/, 'settings-mailboxes-demo');
  await asDemo(page, 0);
  yield* when(page, 'メールボックスはまだありません', 'settings-mailboxes-none');
  yield* first(page);
  await intercept(page, LIST, (route) => route.fulfill({ json: [LOST, ...UNLOST] }));
  await page.reload();
  yield* when(page, '田中 直樹の接続が切れました', 'settings-mailboxes');
  yield* edited(page);
  yield* acts(page);
  letThrough(page, LIST);
  await asDemo(page, 1);
}

/** Loads the page anew in a session that takes its account for the demo, or for another: the demo has no mailboxes. */
async function asDemo(page: Page, is_demo: 0 | 1): Promise<void> {
  await page.evaluate(
    ([key, flag]) => {
      const session = JSON.parse(sessionStorage.getItem(key) ?? '{}');
      session.state.current_user.is_demo = flag;
      sessionStorage.setItem(key, JSON.stringify(session));
    },
    ['kaitaku-session', is_demo] as const,
  );
  await page.reload();
}

/** Adds a mailbox: a log-in that is refused, then one that works. */
async function* first(page: Page): AsyncGenerator<string> {
  await intercept(page, ADD, (route) => route.fulfill({ json: { status: 'added', id: 2, version: 1 } }));
  await intercept(page, PUT, (route) => route.fulfill({ json: { status: 'updated', id: 2, version: 2 } }));
  const waiting: Route[] = [];
  await intercept(page, CHECK, (route) => waiting.push(route));
  await press(page, 'メールボックスを追加');
  await field(page, 'SMTPサーバー（必須）').fill('mail.kakuu-shoji.example.jp');
  await field(page, 'パスワード（必須）').fill('naisho');
  await page.getByLabel('返信を読む').check();
  yield* whenLoaded(page, 'settings-mailbox-add');
  await field(page, 'パスワード（必須）').fill('');
  await press(page, '接続を確かめる');
  yield* when(page, 'パスワードを入力してください', 'settings-mailbox-missing');
  await field(page, 'パスワード（必須）').fill('naisho');
  await press(page, '接続を確かめる');
  await page
    .getByText(/^ ?確認中…$/)
    .first()
    .waitFor();
  yield 'settings-mailbox-checking';
  await waiting[0]?.fulfill({ json: FAULTY });
  yield* when(page, /^ユーザー名かパスワードが違います。（サーバーの返事：/, 'settings-mailbox-refused');
  letThrough(page, CHECK);
  await intercept(page, CHECK, (route) => route.fulfill({ json: FINE }));
  await press(page, '接続を確かめる');
  yield* when(page, 'つながりました', 'settings-mailbox-connected');
  await closeDialog(page);
  for (const call of [ADD, PUT, CHECK]) letThrough(page, call);
}

async function* edited(page: Page): AsyncGenerator<string> {
  await press(page, '鈴木 彩を編集');
  await field(page, 'SMTPサーバー（必須）').fill('smtp.kakuu-shoji.example.jp');
  yield* when(page, 'ほかの差出人のアドレス', 'settings-mailbox-edit');
  await press(page, 'recruit@kakuu-shoji.example.jpを外す');
  yield* when(page, /から送る予定のメールは取り消されます。$/, 'settings-mailbox-from');
  await page.keyboard.press('Escape');
  await press(page, '破棄');
  await press(page, '木村 健太郎を編集');
  yield* when(page, /^サーバーの送信の上限に達したため/, 'settings-mailbox-waits');
  await closeDialog(page);
  await page.getByRole('link', { name: 'つなぎ直す' }).click();
  yield* when(page, /^ログインできなくなりました。/, 'settings-mailbox-reconnect');
  await closeDialog(page);
}

async function* acts(page: Page): AsyncGenerator<string> {
  const act = async (entry: string) => {
    await press(page, '鈴木 彩の操作');
    await page.getByRole('button', { name: entry, exact: true }).last().click();
  };
  await press(page, '鈴木 彩の操作');
  yield* whenLoaded(page, 'settings-mailboxes-menu');
  await page.keyboard.press('Escape');
  await intercept(page, CHECK, (route) => route.fulfill({ json: FAULTY }));
  await act('確かめる');
  yield* when(page, 'もう一度確かめる', 'settings-mailbox-check');
  await closeDialog(page);
  letThrough(page, CHECK);
  await intercept(page, PUT, (route) => route.fulfill({ status: 409, json: OPEN }));
  await act('切断');
  await page.getByRole('dialog').getByRole('button', { name: '切断' }).click();
  yield* when(page, OPEN.message, 'settings-mailbox-off');
  await closeDialog(page);
  letThrough(page, PUT);
}
