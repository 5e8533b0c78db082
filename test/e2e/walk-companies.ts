import type { Page } from 'playwright-core';
import { intercept, letThrough } from './intercept.ts';
import { closeDialog, field, openFilters, press, pressFurther, unfold, when, whenLoaded } from './walk-steps.ts';

const BULK = '/prospect/bulk';
const UNCHANGED = { already: 2, not_found: 0, no_email: 3, too_long: 0, too_many: 0 };
const CHANGED = { matched: 1000, changed: 995, unchanged: UNCHANGED, reserved: 4, queued: 1 };

const EXPORT = { what: 'prospects', format: 'csv_utf8', created_at: '2099/11/20 12:00:00', file: null };
const FILE = { name: '見込み客_20991120_1200.csv', bytes: 25_000, rows: 1000, replaced: 3 };
const EXPORTS = [
  { ...EXPORT, id: 9, state: 'running' },
  {
    ...EXPORT,
    id: 8,
    format: 'csv_cp932',
    state: 'done',
    file: { ...FILE, expires_at: '2099/11/27 12:00:00' },
  },
  { ...EXPORT, id: 7, what: 'deliveries', format: 'xlsx', state: 'cancelled' },
  { ...EXPORT, id: 6, what: 'runs', state: 'failed' },
];
const NO_ROOM = {
  code: 'account_storage_full',
  message:
    '保存できるファイルは、アカウント全体で1 GB・1,000件までです。書き出し「見込み客_20991120_1200.csv」（600 MB）、取り込み「展示会_来場者リスト_2026年11月….csv」（300 MB）など5件のうち、使わないものを、書き出しの一覧か取り込みの履歴で削除してから、やり直してください。',
};
const JOB = { kind: 'export', created_at: EXPORT.created_at };
const JOBS: Readonly<Record<string, object>> = {
  9: { ...JOB, id: 9, state: 'running', done: 620, total: 1000, message: null, finished_at: null },
  6: {
    ...JOB,
    id: 6,
    state: 'failed',
    done: 0,
    total: null,
    message: 'データベースに接続できませんでした',
    finished_at: EXPORT.created_at,
  },
};

const SAVED = '/saved_condition/list';
const CONDITION = { is_shared: 0, gone: [], updated_by: '田中 直樹', updated_at: '2026/11/20 12:00:00' };
const GONE = [
  { field: 'sender_group_id', value: '関西営業部' },
  { field: 'tags', value: '展示会' },
];

const STEPS = {
  legal_profile_ready: 0,
  sender_confirmed: 1,
  companies_imported: 0,
  template_edited: 0,
  test_sent: 0,
  mail_sent: 0,
};

/** Loads the list of companies with a session that has no first steps stored, and has not opened the list. */
async function reloadUnknowing(page: Page, query = ''): Promise<void> {
  await page.evaluate(`{
    const stored = JSON.parse(sessionStorage.getItem('kaitaku-session'));
    delete stored.state.first_steps;
    delete stored.state.is_list_opened;
    sessionStorage.setItem('kaitaku-session', JSON.stringify(stored));
  }`);
  await page.goto(`${new URL(page.url()).origin}/${query}`);
}

/** Shows the first sight of a new account, and the bar of its first steps. */
export async function* firstSteps(page: Page): AsyncGenerator<string> {
  const sender = { id: 1, email: 'hanako@example.jp', template_id: 1, is_asked: 0 };
  const facts = { dismissed: 0, sample_companies: 0, is_empty: 1, companies: 0, sender };
  const none = { ...STEPS, sender_confirmed: 0 };
  await intercept(page, '/first_steps', (route) => route.fulfill({ json: { ...facts, steps: none } }));
  await reloadUnknowing(page);
  yield* when(page, '見込み客リストを開く', 'first-sight');
  await intercept(page, '/first_steps', (route) =>
    route.fulfill({ json: { ...facts, is_empty: 0, sample_companies: 10, steps: STEPS } }),
  );
  await reloadUnknowing(page);
  await page.getByRole('region', { name: 'はじめかた' }).waitFor();
  // Phones show one line first.
  await unfold(page, 'はじめかたを開く');
  yield* when(page, '1 / 6 完了', 'first-steps');
  await page.getByRole('button', { name: 'はじめかたを折りたたむ' }).click();
  yield* when(page, '次：法定表示を入力', 'first-steps-folded');
  await page.evaluate(
    `Object.keys(localStorage).filter((key) => key.startsWith('kaitaku-first-steps')).forEach((key) => localStorage.removeItem(key))`,
  );
  const ready = { ...STEPS, legal_profile_ready: 1, companies_imported: 1, template_edited: 1, test_sent: 1 };
  await intercept(page, '/first_steps', (route) => route.fulfill({ json: { ...facts, is_empty: 0, steps: ready } }));
  await reloadUnknowing(page, '?tab=attack-list');
  yield* when(page, 'オフにする', 'last-step');
  letThrough(page, '/first_steps');
  await reloadUnknowing(page);
}

/** Walks through saved conditions, without saving one. */
export async function* savedConditions(page: Page): AsyncGenerator<string> {
  const rows = [
    { ...CONDITION, id: 1, name: '製造・東京', where_info: { address: '東京' } },
    { ...CONDITION, id: 2, name: '取引のない卸売業', is_shared: 1, where_info: { address: '大阪' }, gone: GONE },
  ];
  await intercept(page, SAVED, (route) => route.fulfill({ json: rows }));
  await page.reload();
  const chips = page.getByRole('list', { name: '保存した条件' });
  await openFilters(page, false);
  await chips.getByRole('button', { name: '製造・東京' }).click();
  yield* when(page, '地域: 東京', 'saved-condition');
  await page.getByRole('button', { name: '保存した条件「製造・東京」を編集' }).click();
  await page.getByLabel('条件の名前').waitFor();
  yield* whenLoaded(page, 'saved-condition-edit');
  await pressFurther(page, '削除');
  yield* when(page, '「製造・東京」を削除しますか？', 'saved-condition-remove');
  await page.keyboard.press('Escape');
  await page.getByRole('dialog', { name: '保存した条件の削除' }).waitFor({ state: 'detached' });
  // Chromium closes both at one Escape where it saw no press of a person between them.
  if ((await page.getByRole('dialog').count()) > 0) await closeDialog(page);
  await page.getByRole('searchbox', { name: '会社名・メールで探す' }).fill('株式会社');
  await chips.getByText('製造・東京（変更あり）').waitFor();
  await press(page, '条件を保存');
  yield* when(page, '保存する条件', 'saved-condition-save');
  await closeDialog(page);
  await chips.getByRole('button', { name: '取引のない卸売業' }).click();
  yield* when(page, /使えなくなった条件を外しています/, 'saved-condition-gone');
  letThrough(page, SAVED);
  await press(page, '条件をクリア');
  await openFilters(page, false);
}

/** Presses an act on the chosen companies, which phones have under ⋯. */
async function pressOfChosen(page: Page, name: string): Promise<void> {
  const bar = page.getByRole('group', { name: '一括操作' });
  const act = bar.getByRole('button', { name, exact: true });
  if (!(await act.isVisible())) await bar.getByRole('button', { name: 'その他の操作' }).click();
  await act.click();
}

/** Walks through the search, the actions on chosen companies, and exports. It changes nothing. */
export async function* chosenCompanies(page: Page): AsyncGenerator<string> {
  const search = page.getByRole('searchbox', { name: '会社名・メールで探す' });
  await search.fill('株式会社');
  yield* when(page, /^該当 \d{3}社/, 'prospects-search');
  await search.fill('一 二 三 四 五 六 七 八 九 十 十一');
  yield* when(page, '語は10個までにしてください', 'prospects-search-fault');
  await search.fill('');
  await page.getByText('該当 1,000社').waitFor();
  await page
    .getByRole('checkbox', { name: /を選択$/ })
    .nth(1)
    .check();
  yield* when(page, '1社を選択中', 'prospects-chosen');
  // Uses the box for all: a phone renders only cards near the window, but this chooses the others too.
  const wholePage = { name: 'このページのすべてを選択', exact: true };
  // A button on phones, a box in the table's head on desktops.
  await page.getByRole('button', wholePage).or(page.getByRole('checkbox', wholePage)).first().click();
  await press(page, 'この条件の1,000社をすべて選択');
  yield* when(page, '1,000社を選択中', 'prospects-all-chosen');
  await intercept(page, BULK, (route) => route.fulfill({ json: CHANGED }));
  await pressOfChosen(page, '配信停止に登録');
  yield* when(page, '予約中の4件からも外れます。', 'bulk-suppress');
  await page.getByRole('dialog').getByRole('button', { name: '配信停止に登録' }).click();
  yield* when(page, '3社は変更できませんでした（代表メールなし）', 'bulk-result');
  await closeDialog(page);
  await page
    .getByRole('checkbox', { name: /を選択$/ })
    .nth(1)
    .check();
  await pressOfChosen(page, '備考を追記');
  await field(page, '追記する備考').fill('長'.repeat(1001));
  yield* when(page, '備考は1,000文字までです（現在1,001文字）', 'bulk-remarks-fault');
  await field(page, '追記する備考').fill('');
  await closeDialog(page);
  letThrough(page, BULK);
  yield* exports(page);
  await press(page, '選択を解除');
}

async function* exports(page: Page): AsyncGenerator<string> {
  await intercept(page, '/export/list', (route) => route.fulfill({ json: EXPORTS }));
  await intercept(page, /\/api\/v1\/job\/\d+$/, (route) =>
    route.fulfill({ json: JOBS[route.url.split('/').at(-1) ?? ''] ?? {} }),
  );
  await intercept(page, '/job/*/events', (route) => route.abort());
  await pressOfChosen(page, '書き出す');
  await page.getByText('620 / 1,000行').waitFor();
  yield* whenLoaded(page, 'export');
  await press(page, `${FILE.name}を削除`);
  yield* when(page, '書き出したファイルを消します。元に戻せません。', 'export-delete');
  await press(page, 'キャンセル');
  await intercept(page, '/export', (route) => route.fulfill({ status: 409, json: NO_ROOM }));
  await page.getByRole('dialog').getByRole('button', { name: '書き出す', exact: true }).click();
  yield* when(page, /^保存できるファイルは/, 'export-no-room');
  letThrough(page, '/export');
  await closeDialog(page);
  letThrough(page, '/export/list');
  await intercept(page, '/export/list', (route) => route.fulfill({ json: [] }));
  await pressOfChosen(page, '書き出す');
  yield* when(page, 'まだ書き出していません', 'export-none');
  await closeDialog(page);
  letThrough(page, '/export/list');
  letThrough(page, '/job/*/events');
  letThrough(page, /\/api\/v1\/job\/\d+$/);
}
