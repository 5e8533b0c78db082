import type { Page } from 'playwright-core';
import { hold } from './browser.ts';
import { type Login, logIn } from './demo.ts';
import { intercept, letThrough } from './intercept.ts';
import { chosenCompanies, firstSteps, savedConditions } from './walk-companies.ts';
import { companies } from './walk-company.ts';
import { faultyDomain } from './walk-domains.ts';
import { doors } from './walk-doors.ts';
import { history } from './walk-history.ts';
import { imports } from './walk-imports.ts';
import { replies } from './walk-replies.ts';
import { reports } from './walk-reports.ts';
import { settings } from './walk-settings.ts';
import { shell, stoppedStrip } from './walk-shell.ts';
import { rareStates } from './walk-states.ts';
import {
  closeDialog,
  closeToasts,
  EVENTS,
  field,
  press,
  RUN,
  tab,
  tickWarnings,
  toggle,
  when,
  whenLoaded,
} from './walk-steps.ts';
import { suppressions } from './walk-suppressions.ts';
import { templates } from './walk-templates.ts';

/**
 * Walks through every screen and state of the client, and names each one while it is shown.
 * Begins and ends logged out; its reservations and mails go to the mail catcher.
 */
export async function* walk(page: Page, url: string, login?: Login): AsyncGenerator<string> {
  // Without its stream of events the page polls, so that the walk can show a run as it likes.
  await intercept(page, EVENTS, (route) => route.abort());
  yield* doors(page, url);
  await page.goto(`${url}/login`);
  yield* whenLoaded(page, 'login');
  await press(page, 'ログイン');
  await page.getByText('メールアドレスを入力してください').first().waitFor();
  yield* whenLoaded(page, 'login-missing');
  await field(page, 'メールアドレス').fill('demo@example.com');
  await field(page, 'パスワード').fill('tegami-ga-todokanai');
  await press(page, 'ログイン');
  yield* when(page, 'メールアドレスまたはパスワードが違います', 'login-wrong');
  await logIn(page, login);
  yield* prospects(page);
  yield* companies(page, url);
  yield* replies(page, url);
  yield* imports(page, url);
  await page.goto(url);
  yield* shell(page);
  yield* troubles(page, login);
  yield* attackList(page);
  yield* sending(page);
  yield* reservations(page);
  yield* history(page);
  yield* stoppedStrip(page);
  yield* reports(page, url);
  yield* templates(page, url);
  yield* suppressions(page, url);
  yield* settings(page, url);
  yield* account(page, url);
  yield* rareStates(page, url);
  yield* lastScreens(page, url, login);
}

const VIEW = '/prospect/view';
/** The second text appears where a reservation for that time already exists. */
const RESERVED = /^(メールが予約されました|メールの予約が更新されました)$/;
const PREVIEW = '/mail/preview/*';
const REMARKS = '/active_prospect/';
const REFUSED = { message: '備考を保存できませんでした。備考に使えない文字があります', code: 'invalid_request' };

async function openFilters(page: Page, open: boolean): Promise<void> {
  const heading = page.getByRole('button', { name: '絞り込み', exact: true });
  if ((await heading.getAttribute('aria-expanded')) !== String(open)) await heading.click();
}

async function* prospects(page: Page): AsyncGenerator<string> {
  await page.getByText('該当 1,000件').waitFor();
  await page.getByRole('rowheader').first().waitFor();
  await field(page, '表示件数').selectOption('20');
  yield* whenLoaded(page, 'logged-in');
  await closeToasts(page);
  await openFilters(page, false);
  yield* when(page, '該当 1,000件', 'prospects');
  await openFilters(page, true);
  await field(page, '業種').fill('製造、建設');
  await field(page, '売上高（下限）').fill('1億');
  await field(page, '従業員数（上限）').fill('多い');
  yield* when(page, /^該当 \d{3}件/, 'prospects-filters');
  await field(page, '地域').fill('此処には無い');
  yield* when(page, '条件に合う見込み客がありません', 'prospects-no-match');
  await press(page, '条件をクリア');
  await page.getByText('該当 1,000件').waitFor();
  await openFilters(page, false);
  await page
    .getByRole('button', { name: /の備考を編集$/ })
    .nth(1)
    .click();
  await page.locator('textarea').fill('11月25日の午後に電話する約束');
  yield* whenLoaded(page, 'prospects-remarks');
  await intercept(page, REMARKS, (route) => route.fulfill({ status: 400, json: REFUSED }));
  await page.locator('textarea').press('Enter');
  await page.locator('textarea[aria-invalid]').waitFor();
  yield* when(page, REFUSED.message, 'prospects-remarks-refused');
  letThrough(page, REMARKS);
  await page.locator('textarea').fill('11月25日に電話する約束');
  await page.locator('textarea').press('Enter');
  await page.getByRole('button', { name: /^11月25日に電話する約束/ }).waitFor();
  await press(page, '列の設定');
  yield* whenLoaded(page, 'columns');
  await closeDialog(page);
  yield* chosenCompanies(page);
  yield* savedConditions(page);
  yield* firstSteps(page);
}

/** Walks through a slow server, one that is down, and one that has ended the session. */
async function* troubles(page: Page, login: Login | undefined): AsyncGenerator<string> {
  const held = Promise.withResolvers<void>();
  await intercept(page, VIEW, async (route) => {
    await held.promise;
    await route.abort().catch(() => undefined);
  });
  await page.reload();
  await page.locator('[aria-busy=true]').first().waitFor();
  yield 'prospects-loading';
  held.resolve();
  yield* when(page, '読み込めませんでした', 'prospects-failed');
  letThrough(page, VIEW);
  const unknown = { message: 'ログインしてください', code: 'unauthorized' };
  await intercept(page, VIEW, (route) => route.fulfill({ status: 401, json: unknown }));
  await press(page, '再読み込み');
  yield* when(page, 'ログインの有効期限が切れました', 'login-expired');
  letThrough(page, VIEW);
  await logIn(page, login);
  await page.getByRole('rowheader').first().waitFor();
  await closeToasts(page);
}

/** Chooses a morning for sending and a day for meeting after it, whatever the hour of the walk. */
async function chooseDays(page: Page): Promise<void> {
  const offered = field(page, '予約日時').locator('option:enabled');
  const [day, later] = await Promise.all([offered.nth(2).getAttribute('value'), offered.nth(4).getAttribute('value')]);
  await field(page, '予約日時').selectOption(day);
  await field(page, '時刻').selectOption('9:00');
  await field(page, '候補日1').selectOption(later);
}

async function* attackList(page: Page): AsyncGenerator<string> {
  await tab(page, 'アタックリスト');
  await field(page, 'テスト送信先').fill('test+[n]@kaitaku-demo.example');
  yield* when(page, 'test+1@kaitaku-demo.example', 'attack-list');
  await toggle(page, '候補日を入れる');
  await chooseDays(page);
  await press(page, '候補日を追加');
  yield* whenLoaded(page, 'attack-list-candidate-dates');
  const end = page.getByRole('group', { name: '候補日1の日時' }).getByLabel('終了時刻');
  await end.selectOption('8:00');
  await end.and(page.locator('[aria-invalid]')).waitFor();
  yield* whenLoaded(page, 'attack-list-candidate-fault');
  await end.selectOption('18:00');
  await field(page, 'テスト送信先').fill('');
  await press(page, '予約');
  yield* when(page, 'テスト送信先が入力されていません', 'attack-list-fault');
  await field(page, 'テスト送信先').fill('test+[n]@kaitaku-demo.example');
  await page.getByRole('button', { name: /^メールアドレスなし \d+件$/ }).click();
  await page.getByRole('dialog').getByRole('rowheader').first().waitFor();
  yield* whenLoaded(page, 'left-out');
  await closeDialog(page);
  await press(page, 'メールを確認');
  yield* when(page, '差し込み項目と敬称に問題はありません', 'mail-preview');
  await tab(page, 'テキスト');
  yield* whenLoaded(page, 'mail-preview-text');
  await closeDialog(page);
  await intercept(page, PREVIEW, async (route) => {
    const response = await route.fetch();
    const answer = (await response.json()) as { mail: object };
    await route.fulfill({ json: { ...answer, mail: { ...answer.mail, warnings: WARNINGS } } });
  });
  await press(page, 'メールを確認');
  await page.getByRole('list', { name: '送信前に確認が必要な点' }).waitFor();
  yield* whenLoaded(page, 'mail-preview-warnings');
  await closeDialog(page);
  letThrough(page, PREVIEW);
  await intercept(page, PREVIEW, (route) => route.fulfill({ status: 400, json: REFUSED }));
  await press(page, 'メールを確認');
  yield* when(page, REFUSED.message, 'mail-preview-failed');
  await closeDialog(page);
  letThrough(page, PREVIEW);
}

/** The text of a real send's dialog once the first mail has been checked. */
const CHECKED = '差し込み項目と敬称に問題はありません（1通目）';
const LEGAL_FAULTS = [
  {
    code: 'L2',
    level: 'error',
    path: 'legal_profile.postal_address',
    message: '法定表示の「住所」を入力してください。',
  },
  {
    code: 'L6',
    level: 'error',
    path: 'mail_template.html_body',
    message: '配信停止のURLのすぐ前か後に、受信を拒否できることを書いてください。',
  },
  { code: 'L11', level: 'warning', path: 'sender.subject', message: '件名が返信や取引の連絡に見えます。' },
  { code: 'L13', level: 'warning', path: 'attack_list', message: '個人宛てと思われるアドレスが12件あります。' },
];
const WARNINGS = [
  { kind: 'blank_field', text: 'person_in_charge' },
  { kind: 'doubled_honorific', text: '御中様' },
];

async function confirm(page: Page, action: string, answer = action): Promise<void> {
  await press(page, action);
  await tickWarnings(page);
  await page.getByRole('dialog').getByRole('button', { name: answer, exact: true }).click();
}

async function* sending(page: Page): AsyncGenerator<string> {
  // Of another domain than the sender's.
  await field(page, 'テスト送信先').fill('test+[n]@example.com');
  await page.getByRole('gridcell', { name: 'test+1@example.com' }).waitFor();
  yield* unlawful(page, '予約', '法律の求める表示が足りません。テスト送信はできますが', 'reserve-dialog-unlawful');
  await press(page, '予約');
  yield* when(page, 'テスト送信先が自社のアドレスではありません', 'reserve-dialog');
  await closeDialog(page);
  const slow = await hold(page, /api\/v1\/reservation$/);
  await confirm(page, '予約');
  yield* when(page, /^メール(を予約|予約を更新)中$/, 'reserve-dialog-busy');
  slow.letGo();
  yield* when(page, RESERVED, 'reserved');
  await press(page, '予約');
  yield* when(page, '予約済みの日時です', 'reserve-dialog-joins');
  await closeDialog(page);
  await toggle(page, 'テストモード');
  await press(page, '予約');
  yield* when(page, CHECKED, 'reserve-dialog-real');
  await tickWarnings(page);
  await press(page, '10社への送信を予約');
  await page.getByText(RESERVED).waitFor();
  await toggle(page, '候補日を入れる');
  await toggle(page, '予約モード');
  await press(page, '送信');
  yield* when(page, CHECKED, 'send-dialog');
  await closeDialog(page);
  yield* unlawful(page, '送信', '法律の求める表示が足りないため、送信と予約ができません', 'send-dialog-unlawful');
  yield* faultyDomain(page);
  await field(page, '取得件数').selectOption('100');
  await page.getByText('送信対象 100件').waitFor();
  await press(page, '送信');
  await page.getByText(CHECKED).waitFor();
  await field(page, '確認のため、件数（100）を入力してください').fill('10');
  await page.keyboard.press('Tab');
  yield* when(page, '件数が違います。', 'send-dialog-many');
  await closeDialog(page);
  await field(page, '取得件数').selectOption('10');
  await page.getByText('送信対象 10件').waitFor();
  yield* run(page);
}

/** Walks through an order whose mails lack what the law asks, and one that is to be looked at. */
async function* unlawful(page: Page, action: string, text: string, name: string): AsyncGenerator<string> {
  await intercept(page, PREVIEW, async (route) => {
    const answer = (await (await route.fetch()).json()) as object;
    await route.fulfill({ json: { ...answer, legal_faults: LEGAL_FAULTS } });
  });
  await press(page, action);
  yield* when(page, text, name);
  await closeDialog(page);
  letThrough(page, PREVIEW);
}

/** Walks through a run; it is shown half-way first, however fast it is. */
async function* run(page: Page): AsyncGenerator<string> {
  let isHalfWay = true;
  await intercept(page, RUN, async (route) => {
    const answer = await route.fetch();
    const json = (await answer.json()) as object;
    const halfWay = { queued: 6, sending: 0, sent: 4, finished: false };
    await route.fulfill({ json: isHalfWay ? { ...json, ...halfWay } : json });
  });
  await confirm(page, '送信', '10社に送信');
  yield* when(page, '4 / 10件', 'sending');
  await tab(page, '見込み客リスト');
  yield* when(page, '4 / 10件', 'sending-prospects');
  isHalfWay = false;
  yield* when(page, 'メールが送信されました', 'sent');
  letThrough(page, RUN);
  await page.reload();
  yield* when(page, '送信結果を見る', 'sent-reloaded');
  await page.getByRole('button', { name: /の進み具合を閉じる$/ }).click();
  await openFilters(page, true);
  await field(page, '業種').fill('製造、建設、小売、宿泊');
  await field(page, 'メール').selectOption({ label: 'あり' });
  yield* when(page, /^該当 \d{3}件/, 'prospects-contacted');
  await press(page, '条件をクリア');
  await page.getByText('該当 1,000件').waitFor();
}

async function* reservations(page: Page): AsyncGenerator<string> {
  await tab(page, '予約リスト');
  await page.getByRole('rowheader').first().waitFor();
  yield* whenLoaded(page, 'reservations');
  await press(page, '予約を削除');
  yield* when(page, '削除対象が選択されていません', 'reservations-nothing-chosen');
  await field(page, '予約').selectOption({ index: 1 });
  await press(page, '予約を削除');
  yield* when(page, '本当に予約を削除しますか？', 'delete-dialog');
  await closeDialog(page);
  await field(page, 'テンプレート').selectOption({ index: 1 });
  yield* when(page, 'このテンプレートの予約はありません', 'reservations-none');
}

async function* account(page: Page, url: string): AsyncGenerator<string> {
  await page.goto(`${url}/account`);
  await page.getByRole('heading', { name: 'プロフィール' }).waitFor();
  yield* whenLoaded(page, 'account');
  await page.getByRole('button', { name: '編集' }).first().click();
  await field(page, 'メールアドレス').fill('naoki.tanaka@example.jp');
  yield* whenLoaded(page, 'account-edit');
  await press(page, '変更を保存');
  await page.getByText('確認メールが送信されました').waitFor();
  yield* when(page, 'への変更は、まだ完了していません', 'account-pending');
  await press(page, 'パスワードを変更');
  for (const label of ['現在のパスワード', '新しいパスワード', '新しいパスワード（確認）']) {
    await field(page, label).fill('夜の灯台と三匹の黒い子猫');
  }
  await press(page, '保存');
  yield* when(page, '現在のパスワードと新規パスワードは違うものにしてください', 'account-password');
}

async function* lastScreens(page: Page, url: string, login: Login | undefined): AsyncGenerator<string> {
  await page.goto(`${url}/nowhere`);
  yield* when(page, 'ページが見つかりません', 'not-found');
  await page.route(SCREEN, (route) => route.abort());
  await page.goto(`${url}/account`);
  yield* when(page, '画面を表示できませんでした', 'screen-failed');
  await page.unroute(SCREEN);
  await page.goto(`${url}/confirmation/wrong`);
  yield* when(page, 'メールアドレスは有効になりませんでした', 'confirmation');
  const checked = Promise.withResolvers<void>();
  await intercept(page, CONFIRM, async (route) => {
    await checked.promise;
    await route.fulfill({ json: { status: 'confirmed' } });
  });
  let isTaken = true;
  await intercept(page, ACCOUNT, (route) => {
    if (route.method !== 'PUT') return route.continue();
    return route.fulfill(isTaken ? { status: 409, json: TAKEN } : { json: { status: 'updated', id: 1 } });
  });
  await page.goto(`${url}/confirmation/right`);
  await logIn(page, login);
  yield* when(page, 'メールアドレスを確認しています…', 'confirmation-checking');
  checked.resolve();
  yield* when(page, 'メールアドレスを変更できませんでした。', 'confirmation-not-updated');
  isTaken = false;
  await page.goto(`${url}/confirmation/right`);
  await logIn(page, login);
  yield* when(page, 'メールアドレスの変更が有効になりました', 'confirmed');
  letThrough(page, CONFIRM);
  letThrough(page, ACCOUNT);
}

/** The code of one screen, which a new version of the client has removed. */
const SCREEN = /\/assets\/account-[^/]+\.js$/;
const TAKEN = {
  message: 'このメールアドレスはほかのアカウントで使われているため、変更できません。',
  code: 'email_taken',
};
const CONFIRM = '/auth/confirmation_token/*/confirm';
const ACCOUNT = /\/api\/v1\/account\/\d+$/;
