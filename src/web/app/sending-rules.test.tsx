import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, it } from 'vitest';
import { DEFAULT_PERIODS } from '#domain/sending/sending-hours.ts';
import {
  accountRuleWith,
  type FakeAnswer,
  type FakeRequest,
  fakeApi,
  OPEN_RULES,
  ok,
  refused,
} from '#test/web/fake-api.ts';
import { renderApp, theirChanges } from '#test/web/render.tsx';
import { logInAs } from '#test/web/samples.ts';
// Loads the screens before the tests, so that no wait within a test includes it.
import '#web/app/workspace.tsx';
import '#web/app/routes/settings/sending.tsx';

beforeEach(() => logInAs());

/** Serves the rule, which a save replaces. */
function serve(undo_seconds: 0 | 30 | 60) {
  const stored = accountRuleWith({ undo_seconds });
  return fakeApi({
    'GET /account_rule': () => ok(stored),
    'PUT /account_rule': ({ body }) => {
      Object.assign(stored, (body as { update_info: object }).update_info);
      return ok({ status: 'updated' });
    },
  });
}
const changes = (requests: ReturnType<typeof serve>) =>
  requests.flatMap(({ method, body }) => (method === 'PUT' ? (body as { update_info: object }).update_info : []));

it('the time to undo a send is chosen in the settings, and saved at once', async () => {
  const requests = serve(0);
  await renderApp('/settings/sending');
  const select = await screen.findByRole<HTMLSelectElement>('combobox', { name: '送信の取り消し' });
  const choices = [...select.options].map(({ text }) => text);
  expect([choices, select.value]).toEqual([['しない', '10秒', '30秒', '60秒'], '0']);
  await userEvent.selectOptions(select, '30秒');
  await waitFor(() => expect(changes(requests)).toEqual([{ undo_seconds: 30 }]));
  expect(select.value).toBe('30');
});

it('a refused choice is not shown', async () => {
  fakeApi({
    'GET /account_rule': () => ok(accountRuleWith()),
    'PUT /account_rule': () => refused(403, 'この操作はできません。'),
  });
  await renderApp('/settings/sending');
  const select = await screen.findByRole<HTMLSelectElement>('combobox', { name: '送信の取り消し' });
  await userEvent.selectOptions(select, '60秒');
  await screen.findByText('この操作はできません');
  await waitFor(() => expect(select.value).toBe('0'));
});

it('a refused choice is not shown, even if the reload fails too', async () => {
  let answer = ok(accountRuleWith());
  fakeApi({
    'GET /account_rule': () => answer,
    'PUT /account_rule': () => {
      answer = refused(403, '読めません。');
      return refused(403, 'この操作はできません。');
    },
  });
  await renderApp('/settings/sending');
  const select = await screen.findByRole<HTMLSelectElement>('combobox', { name: '送信の取り消し' });
  await userEvent.selectOptions(select, '60秒');
  await screen.findByText('この操作はできません');
  await waitFor(() => expect(select.value).toBe('0'));
});

const RULES = { ...OPEN_RULES, now: { ...OPEN_RULES.now, left_today: 262 } };

/** Serves the rules of a group. @param answer returns the answer to the n-th save */
function serveRules(answers: readonly FakeAnswer[], stored: object = {}) {
  let rules = { ...RULES, ...stored };
  let saves = 0;
  const requests = fakeApi({
    'GET /account_rule': () => ok(accountRuleWith({ per_day: 500, per_domain: 3 })),
    'PUT /account_rule': () => ok({ status: 'updated' }),
    'GET /sender_group/list': () => ok([{ id: 4, group_name: '首都圏営業部' }]),
    'GET /sending_rules/4': () => ok(rules),
    'PUT /sending_rules/4': () =>
      answers[saves++] ?? ok({ status: 'updated', version: 1, affected: [], affected_count: 0, unchecked: 0 }),
  });
  return { requests, put: (part: object) => (rules = { ...rules, ...part }) };
}
const saves = (requests: readonly FakeRequest[]) =>
  requests.flatMap(({ method, path, body }) => (method === 'PUT' && path === '/sending_rules/4' ? [body] : []));
const save = () => userEvent.click(screen.getByRole('button', { name: '保存' }));
const time = (name: string) => screen.findByRole<HTMLSelectElement>('combobox', { name });
const openWeek = async () => userEvent.click(await screen.findByRole('button', { name: '曜日ごとに変える' }));
const note = (element: HTMLElement) =>
  document.getElementById(element.getAttribute('aria-describedby')?.split(' ')[0] ?? '')?.textContent;

it.each([
  [{}, 'いまは送信できます（21:00まで）今日はあと262通送れます。'],
  [{ left_today: 0 }, 'いまは送信できます（21:00まで）今日の上限まで送りました'],
  [
    { open: 0, reason: '土曜日', closes_at: null, next_open_at: '2026/11/30 08:00:00', left_today: null },
    'いまは送信時間外です（土曜日）次の送信時間は11/30（月）8:00からです。',
  ],
  [
    { open: 0, reason: '時間外', closes_at: null, next_open_at: '2026/11/30 08:00:00', left_today: null },
    'いまは送信時間外です次の送信時間は11/30（月）8:00からです。',
  ],
])('one sentence says what holds now %#', async (now, text) => {
  serveRules([], { now: { ...RULES.now, ...now } });
  await renderApp('/settings/sending');
  expect((await screen.findByRole('status', { name: 'いまの状態' })).textContent).toBe(text);
});

it('the hours of a group are saved as one form, and the reservations outside of them are named', async () => {
  const affected = [{ reservation_id: 7, send_at: '2026/11/24 09:00:00', reason: '火曜日' }];
  const { requests } = serveRules([
    ok({ status: 'updated', version: 1, affected, affected_count: 120, unchecked: 30 }),
  ]);
  await renderApp('/settings/sending');
  await openWeek();
  await userEvent.click(await screen.findByRole('checkbox', { name: '火曜日' }));
  await userEvent.click(screen.getByRole('button', { name: '月曜日：昼休みを入れる' }));
  await userEvent.selectOptions(await time('月曜日の2つ目の終わり'), '24:00');
  await userEvent.click(screen.getByRole('checkbox', { name: '祝日も送る' }));
  await userEvent.click(screen.getByRole('radio', { name: '次の送信時間になってから送る' }));
  await save();
  const saved = () => screen.queryByText('送信ルールを保存しました');
  await waitFor(() => expect(saved()?.closest('[role="status"]')).toBeTruthy());
  expect(saves(requests)).toEqual([
    {
      version: 0,
      update_info: {
        periods: [
          { weekday: 1, opens: 480, closes: 720 },
          { weekday: 1, opens: 780, closes: 1440 },
          ...DEFAULT_PERIODS.filter(({ weekday }) => weekday > 2),
        ],
        on_holidays: 0,
        outside: 'hold',
      },
    },
  ]);
  expect(await screen.findByText('予約120件が送信ルールの時間外です')).toBeDefined();
  const times = within(screen.getByRole('list', { name: '時間外の予約' }));
  expect(times.getByRole('listitem').textContent).toMatch(/11\/24（火）9:00（火曜日） 日時を変える$/);
  expect(times.getByRole<HTMLAnchorElement>('link').href).toMatch(/\/reservations\/7$/);
  expect(screen.getByText('ほか119件')).toBeDefined();
  expect(screen.getByText('ほか30件を確認できていません')).toBeDefined();
  const link = screen.getByRole<HTMLAnchorElement>('link', { name: '予約を見る' });
  expect(new URL(link.href).pathname).toBe('/reservations');
  // The message stays beside the button until the next change.
  await userEvent.selectOptions(await time('水曜日の始まり'), '9:00');
  expect(saved()).toBeNull();
});

it('a week of equal workdays opens as one line, whose change is that of five days', async () => {
  const { requests } = serveRules([]);
  await renderApp('/settings/sending');
  await userEvent.selectOptions(await time('平日の終わり'), '18:00');
  expect(screen.queryByRole('checkbox', { name: '月曜日' })).toBeNull();
  await openWeek();
  expect((await time('金曜日の終わり')).value).toBe('1080');
  await openWeek();
  expect(screen.queryByRole('combobox', { name: '金曜日の終わり' })).toBeNull();
  await save();
  await waitFor(() => expect(saves(requests)).toHaveLength(1));
  const periods = [1, 2, 3, 4, 5].map((weekday) => ({ weekday, opens: 480, closes: 1080 }));
  expect(saves(requests)[0]).toMatchObject({ update_info: { periods } });
});

it('a fault of the workdays stands at their one line, that of the server too', async () => {
  const details = [{ path: 'update_info.periods.3.closes', message: '終わりの時刻が正しくありません。' }];
  serveRules([{ status: 400, body: { code: 'invalid_input', message: '入力内容に誤りがあります。', details } }]);
  await renderApp('/settings/sending');
  await userEvent.selectOptions(await time('平日の終わり'), '7:00');
  await save();
  expect(note(await time('平日の終わり'))).toBe('終わりの時刻は、始まりの時刻より後にしてください');
  await userEvent.selectOptions(await time('平日の終わり'), '9:00');
  await save();
  await waitFor(async () => expect(note(await time('平日の終わり'))).toBe('終わりの時刻が正しくありません'));
});

it.each([
  ['a Saturday', [...DEFAULT_PERIODS, { weekday: 6, opens: 540, closes: 720 }]],
  ['another Friday', DEFAULT_PERIODS.map((period) => (period.weekday === 5 ? { ...period, closes: 1020 } : period))],
  ['no Monday', DEFAULT_PERIODS.filter(({ weekday }) => weekday !== 1)],
])('a week with %s shows each weekday, and folds under nobody’s hand', async (_, periods) => {
  serveRules([], { periods });
  await renderApp('/settings/sending');
  expect(await screen.findByRole('checkbox', { name: '土曜日' })).toBeDefined();
  expect(screen.queryByRole('button', { name: '曜日ごとに変える' })).toBeNull();
  for (const day of ['月', '土']) {
    const tick = screen.getByRole<HTMLInputElement>('checkbox', { name: `${day}曜日` });
    if (tick.checked !== (day === '月')) await userEvent.click(tick);
  }
  const same = screen.queryByRole('button', { name: 'すべての曜日を同じ時間にする' });
  if (same !== null) await userEvent.click(same);
  expect(screen.getByRole('button', { name: '曜日ごとに変える' }).getAttribute('aria-expanded')).toBe('true');
});

it('errors are shown at their weekdays, including those of the server, and the choices stay', async () => {
  const refusal = {
    status: 400,
    body: {
      code: 'invalid_input',
      message: '入力内容に誤りがあります。',
      details: [{ path: 'update_info.periods.1.closes', message: '終わりの時刻が正しくありません。' }],
    },
  };
  const { requests } = serveRules([refusal]);
  await renderApp('/settings/sending');
  await openWeek();
  await userEvent.selectOptions(await time('月曜日の終わり'), '7:00');
  await save();
  expect(note(await time('月曜日の終わり'))).toBe('終わりの時刻は、始まりの時刻より後にしてください');
  expect(saves(requests)).toEqual([]);
  await userEvent.selectOptions(await time('月曜日の終わり'), '9:00');
  await save();
  await waitFor(async () => expect(note(await time('火曜日の終わり'))).toBe('終わりの時刻が正しくありません'));
  expect((await time('月曜日の終わり')).value).toBe('540');
});

it('an error that no day would be open is shown above the form', async () => {
  serveRules([refused(400, '送信できる日がなくなります。', 'no_open_day')]);
  await renderApp('/settings/sending');
  await openWeek();
  await userEvent.click(await screen.findByRole('checkbox', { name: '火曜日' }));
  await save();
  const told = await screen.findByText('送信できる日がなくなります');
  expect(told.closest('[role="alert"]')).not.toBeNull();
  expect(screen.getByRole<HTMLInputElement>('checkbox', { name: '火曜日' }).checked).toBe(false);
});

it('what another member has saved meanwhile is shown, and the typed values stay', async () => {
  const told = '佐藤 花子さんが11/27（金）10:02に送信ルールを変更しました。内容を確かめてから、保存してください';
  const { requests, put } = serveRules([refused(409, `${told}。`, 'sending_rules_changed')]);
  await renderApp('/settings/sending');
  await openWeek();
  await userEvent.selectOptions(await time('月曜日の始まり'), '9:00');
  put({ version: 1, outside: 'hold', periods: DEFAULT_PERIODS.map((period) => ({ ...period, opens: 600 })) });
  await save();
  const notice = within(await theirChanges());
  expect(notice.getByText(told)).toBeDefined();
  expect(await notice.findByText('月曜日')).toBeDefined();
  expect((await time('月曜日の始まり')).value).toBe('540');
  expect((await time('火曜日の始まり')).value).toBe('600');
  await save();
  await waitFor(() => expect(saves(requests)).toHaveLength(2));
  expect(saves(requests)[1]).toMatchObject({
    version: 1,
    update_info: { outside: 'hold', periods: [{ weekday: 1, opens: 540 }, { opens: 600 }, {}, {}, {}] },
  });
});

it('the limits of the account are saved, and removed if they are blank', async () => {
  const { requests } = serveRules([]);
  await renderApp('/settings/sending');
  const field = (name: string) => screen.findByRole<HTMLInputElement>('textbox', { name });
  const [perDay, perDomain] = [await field('1日の上限（通）'), await field('1回の送信で同じドメインに送る上限（通）')];
  const press = () => userEvent.click(screen.getByRole('button', { name: 'アカウントの上限を保存' }));
  expect([perDay.value, perDomain.value]).toEqual(['500', '3']);
  for (const [limit, text] of [
    [perDay, '多め'],
    [perDomain, '1001'],
  ] as const) {
    await userEvent.clear(limit);
    await userEvent.type(limit, text);
  }
  await press();
  expect(note(perDay)).toBe('1以上の整数で入力してください');
  expect(note(perDomain)).toContain('1〜1,000の整数で入力してください');
  for (const limit of [perDay, perDomain]) await userEvent.clear(limit);
  await userEvent.type(perDay, '500');
  await press();
  await waitFor(() => expect(changes(requests)).toEqual([{ per_domain: 0 }]));
  await userEvent.clear(perDay);
  await press();
  await waitFor(() => expect(changes(requests)).toEqual([{ per_domain: 0 }, { per_day: null, per_domain: 0 }]));
});

it('the re-send interval counts mails of all groups after the press', async () => {
  const { requests } = serveRules([]);
  await renderApp('/settings/sending');
  const tick = await screen.findByRole('checkbox', { name: 'ほかのグループが送った会社も、間隔内なら外す' });
  await userEvent.click(tick);
  await waitFor(() => expect(changes(requests)).toEqual([{ across_groups: 1 }]));
  const told = within(screen.getByRole('region', { name: 'グループをまたぐ再送信間隔' }));
  await waitFor(() => expect(told.getByRole('status').textContent).toBe('保存済み'));
  const other = within(screen.getByRole('region', { name: '送信ボタンを押したあと' }));
  expect(other.getByRole('status').textContent).toBe('');
});
