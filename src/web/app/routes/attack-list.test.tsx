import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { CompanyPerson } from '#contract/companies/people.ts';
import { deferred, type FakeAnswer, type FakeRequest, fakeApi, ok, refused } from '#test/web/fake-api.ts';
import { renderApp, toastText } from '#test/web/render.tsx';
import { BLOCKED, company as companyOf, logInAs, prospect, run, target, USER } from '#test/web/samples.ts';
import { setAside, updateAttackListSettings, useAttackList } from '#web/features/attack-list/attack-list-state.ts';
import { selectSender } from '#web/features/senders/senders-state.ts';
import { queryClient } from '#web/lib/api/query-client.ts';
import { COMPANY, PROSPECT_LIST, RESERVATION_LIST, SEND_LOG_LIST } from '#web/lib/api/query-keys.ts';
import { usePaging } from '#web/lib/screen/paging-state.ts';
import { startSession } from '#web/lib/session/session-store.ts';
// Loads the screens before the tests, so that no wait within a test includes it.
import '../workspace.tsx';
import './attack-list.tsx';

const GROUPS = ok([{ id: 1, group_name: '営業部' }]);
const SENDERS = ok([
  {
    id: 5,
    subject: 'ご提案',
    template_name: 'ご提案',
    person_in_charge: '田中',
    email: 't@example.com',
    template_id: 15,
  },
]);

const PRIMARY: CompanyPerson = {
  id: 9,
  version: 'p1',
  name: '佐藤 一郎',
  department: '購買部',
  title: '',
  email: 'sato@example.jp',
  phone: null,
  met_on: null,
  is_primary: 1,
  archived: 0,
  suppressed: null,
  addressee: '購買部 佐藤 一郎 様',
  sent_at: null,
};

const NO_TARGETS = { rows: [], matched: 0, eligible: 0, left_out: {} };
const ONE_TARGET = { ...NO_TARGETS, rows: [target(1)], matched: 1, eligible: 1 };

type Handlers = Parameters<typeof fakeApi>[0];

const serve = (more: Handlers = {}): FakeRequest[] =>
  fakeApi({
    'GET /sender_group/list': () => GROUPS,
    'GET /sender/list': () => SENDERS,
    'GET /prospect/view': () => ok({ rows: [prospect(1)], total: 170 }),
    'GET /reservation/list': () => ok([]),
    ...more,
  });

const company = () => screen.findByRole('rowheader', { name: '第1商事' });
const retry = async () => userEvent.click(await screen.findByRole('button', { name: '再読み込み' }));
const shown = (label: string) => screen.getByLabelText<HTMLSelectElement>(label).selectedOptions[0]?.textContent;

beforeEach(() => logInAs());

describe('groups and templates that cannot be loaded', () => {
  it.each(['prospects', 'reservations', 'attack-list'])(
    'say so in the tab %s, and can be asked for again',
    async (tab) => {
      let groups: FakeAnswer = refused(403, '読めません');
      serve({ 'GET /sender_group/list': () => groups, 'GET /attack_list/preview': () => refused(403, '作れません') });
      await renderApp(`/?tab=${tab}`);
      const panel = within(await screen.findByRole('tabpanel'));
      expect(await panel.findByText('送信者グループを読み込めませんでした')).toBeDefined();
      // The cause is told once.
      expect(screen.getAllByText(/読めません。?$/)).toHaveLength(1);
      expect(screen.queryByText('読み込み中…')).toBeNull();
      expect([shown('送信者グループ'), shown('テンプレート')]).toEqual([
        '読み込めませんでした',
        '読み込めませんでした',
      ]);
      groups = GROUPS;
      await retry();
      await waitFor(() => expect(shown('テンプレート')).toBe('ご提案（田中）'));
    },
  );

  it('do not hide a list that needs none of them', async () => {
    let senders: FakeAnswer = refused(403, '読めません');
    serve({ 'GET /sender/list': () => senders });
    await renderApp('/');
    await company();
    await waitFor(() => expect(shown('テンプレート')).toBe('読み込めませんでした'));
    await userEvent.click(screen.getByRole('tab', { name: '予約リスト' }));
    senders = SENDERS;
    await retry();
    await company();
    expect(shown('テンプレート')).toBe('ご提案（田中）');
  });
});

describe('an account without groups or templates', () => {
  it.each([
    ['prospects', '送信者グループがないため、見込み客を表示できません'],
    ['reservations', 'テンプレートがないため、予約を表示できません'],
    ['attack-list', '送信者グループがないため、アタックリストを作れません'],
  ])('shows in the tab %s what to do, and continues when it is done', async (tab, why) => {
    let groups = ok([]);
    serve({ 'GET /sender_group/list': () => groups, 'GET /attack_list/preview': () => ok(NO_TARGETS) });
    await renderApp(`/?tab=${tab}`);
    const panel = within(await screen.findByRole('tabpanel'));
    expect(await panel.findByText(why)).toBeDefined();
    expect(panel.getByText(/設定の「送信者グループ」で、グループと差出人を追加してください。/)).toBeDefined();
    expect(shown('送信者グループ')).toBe('送信者グループがありません');
    groups = GROUPS;
    await retry();
    await waitFor(() => expect(shown('送信者グループ')).toBe('営業部'));
    expect(panel.queryByText(why)).toBeNull();
  });

  it.each([
    ['prospects', 'admin', ok([]), [], true, '設定の「送信者グループ」で、グループと差出人を追加してください。'],
    ['prospects', 'sales', ok([]), [], false, '送信者グループと差出人の追加は、管理者に依頼してください。'],
    ['reservations', 'sales', GROUPS, null, true, '差出人が使うテンプレートを選んでください。'],
    ['reservations', 'sales', GROUPS, [2], false, 'テンプレートの設定を管理者に依頼してください。'],
    ['reservations', 'viewer', GROUPS, null, false, 'テンプレートの設定を管理者に依頼してください。'],
  ] as const)(
    'in the tab %s lead who may mend it to the settings, and tell others whom to ask (%s)',
    async (...row) => {
      const [tab, role, groups, ids, leads, words] = row;
      startSession('token-1', { ...USER, member: { id: 1, role, sender_group_ids: ids && [...ids], may_export: 1 } });
      serve({ 'GET /sender_group/list': () => groups, 'GET /sender/list': () => ok([]) });
      await renderApp(`/?tab=${tab}`);
      const panel = within(await screen.findByRole('tabpanel'));
      expect(await panel.findByText((text) => text.includes(words))).toBeDefined();
      const link = panel.queryByRole('link', { name: '送信者グループの設定' });
      expect(link?.getAttribute('href')).toBe(leads ? '/settings/groups' : undefined);
      expect(link?.matches('[data-filled]')).toBe(leads ? true : undefined);
      expect(panel.getByRole('button', { name: '再読み込み' })).toBeDefined();
    },
  );

  it('without a template offers another group, and shows why nothing can be sent', async () => {
    let senders = ok([]);
    serve({ 'GET /sender/list': () => senders, 'GET /attack_list/preview': () => ok(ONE_TARGET) });
    await renderApp('/?tab=reservations');
    expect(await screen.findByText(/ほかの送信者グループを選ぶか、設定の「送信者グループ」で/)).toBeDefined();
    expect(screen.getByLabelText('テンプレート').getAttribute('aria-describedby')).not.toBeNull();
    await userEvent.click(screen.getByRole('tab', { name: 'アタックリスト' }));
    await company();
    await userEvent.click(screen.getByRole('button', { name: 'テスト送信を予約' }));
    expect(await toastText('alert')).toBe(
      'テンプレートがありませんほかの送信者グループを選ぶか、設定で差出人のテンプレートを選んでください',
    );
    await userEvent.click(screen.getByRole('tab', { name: '予約リスト' }));
    senders = SENDERS;
    await retry();
    await waitFor(() => expect(shown('テンプレート')).toBe('ご提案（田中）'));
  });
});

describe('the number of matches', () => {
  it.each([
    ['prospects', 'GET /prospect/view', { rows: [prospect(1)], total: 170 }, '該当 170社'],
    ['reservations', 'GET /prospect/view', { rows: [prospect(1)], total: 3 }, '該当 3社'],
    ['attack-list', 'GET /attack_list/preview', { ...NO_TARGETS, matched: 170 }, '該当 170社'],
  ])('is shown in the tab %s while counting, after a failure and after the count', async (tab, call, body, words) => {
    const waiting = deferred();
    let answer: FakeAnswer | Promise<FakeAnswer> = waiting.answer;
    serve({ [call]: () => answer });
    await renderApp(`/?tab=${tab}`);
    expect(await screen.findByText('該当 …社')).toBeDefined();
    waiting.resolve(refused(403, '読めません'));
    expect(await screen.findByText('該当 社数不明')).toBeDefined();
    answer = ok(body);
    await retry();
    expect(await screen.findByText(words)).toBeDefined();
    // One place for all tabs, which stays visible.
    expect(screen.getByRole('tabpanel').contains(screen.getByText(words))).toBe(false);
  });
});

describe('a typed filter that is not applied yet', () => {
  const open = async (address = '/?tab=attack-list') => {
    const requests = serve({
      'GET /attack_list/preview': ({ query }) =>
        ok({ ...ONE_TARGET, rows: [target(query.get('address') === '大阪' ? 2 : 1)] }),
      'POST /mail/preview/5': () => deferred().answer,
      'POST /mail/check/5': () => deferred().answer,
    });
    const app = await renderApp(address);
    await company();
    await waitFor(() => expect(shown('テンプレート')).toBe('ご提案（田中）'));
    return { ...app, requests };
  };
  const type = (label: string, value: string) => fireEvent.change(screen.getByLabelText(label), { target: { value } });
  const button = (name: string) => screen.getByRole('button', { name });
  const dialog = () => screen.queryByRole('dialog');

  it('blocks sending and previewing until it is applied', async () => {
    await open();
    type('地域', '大阪');
    for (const name of ['テスト送信を予約', 'メールを確認']) {
      expect(button(name).getAttribute('aria-disabled')).toBe('true');
      fireEvent.click(button(name));
      expect(dialog()).toBeNull();
    }
    expect(await screen.findByRole('rowheader', { name: '第2商事' })).toBeDefined();
    await waitFor(() => expect(button('テスト送信を予約').getAttribute('aria-disabled')).not.toBe('true'));
    fireEvent.click(button('テスト送信を予約'));
    expect(await screen.findByRole('dialog')).toBeDefined();
  });

  it.each(['テスト送信を予約', 'メールを確認'])('blocks %s while it is faulty, and focuses its field', async (name) => {
    await open();
    type('従業員数（下限）', '多い');
    fireEvent.click(button('絞り込み'));
    fireEvent.click(button(name));
    expect(await toastText('alert')).toBe('絞り込みの条件に誤りがあります。修正するか、空にしてください');
    expect(dialog()).toBeNull();
    expect(document.activeElement).toBe(screen.getByLabelText('従業員数（下限）'));
    type('従業員数（下限）', '');
    fireEvent.click(button(name));
    await waitFor(() => expect(dialog()).not.toBeNull());
  });

  it('is discarded when another address replaces it', async () => {
    const { router, goBack } = await open();
    type('従業員数（下限）', '多い');
    await act(() => router.navigate('/?tab=attack-list&address=%E5%A4%A7%E9%98%AA'));
    await goBack();
    await company();
    expect(screen.getByLabelText('従業員数（下限）')).toHaveProperty('value', '');
    fireEvent.click(button('テスト送信を予約'));
    expect(await screen.findByRole('dialog')).toBeDefined();
  });

  it('survives a change of tab in the same moment', async () => {
    const { router } = await open('/');
    vi.useFakeTimers({ shouldAdvanceTime: true });
    type('地域', '大阪');
    await act(async () => {
      vi.advanceTimersByTime(300);
      fireEvent.click(screen.getByRole('tab', { name: 'アタックリスト' }));
    });
    expect(await screen.findByRole('rowheader', { name: '第2商事' })).toBeDefined();
    expect(new URLSearchParams(router.state.location.search).get('address')).toBe('大阪');
  });
});

describe('the page of the prospect list', () => {
  const asked = (requests: readonly FakeRequest[]) =>
    requests
      .filter(({ path }) => path === '/prospect/view')
      .map(({ query }) => `${query.get('sort') ?? ''} ${query.get('status') ?? ''} ${query.get('pagenate_num')}`);

  it('is the first page after a change of order in the same moment', async () => {
    const requests = serve();
    await renderApp('/?page=3');
    await screen.findByText('101–150 / 170件');
    const lastAsked = (list: string) => waitFor(() => expect(asked(requests).at(-1)).toBe(list));
    await userEvent.click(within(screen.getByRole('columnheader', { name: /会社名/ })).getByRole('button'));
    await lastAsked('company_name  1');
    await waitFor(() => expect(usePaging.getState().pagenate_num).toBe(1));
    await userEvent.selectOptions(screen.getByLabelText('送信状況'), '送信済み');
    await lastAsked('company_name sent 1');
    await userEvent.selectOptions(screen.getByLabelText('並べ替え'), '登録順');
    await lastAsked(' sent 1');
    await userEvent.selectOptions(screen.getByLabelText('送信状況'), 'すべて');
    await lastAsked('  1');
    expect(asked(requests)).toEqual(['  3', 'company_name  1', 'company_name sent 1', ' sent 1', '  1']);
  });

  it('is kept when the screen is left, but not when another tab changes the order', async () => {
    serve();
    await renderApp('/?page=3');
    await screen.findByText('101–150 / 170件');
    await userEvent.click(screen.getByRole('tab', { name: '予約リスト' }));
    await userEvent.click(screen.getByRole('tab', { name: '見込み客リスト' }));
    await screen.findByText('101–150 / 170件');
    await userEvent.click(screen.getByRole('tab', { name: '予約リスト' }));
    await company();
    await userEvent.click(within(screen.getByRole('columnheader', { name: /会社名/ })).getByRole('button'));
    await userEvent.click(screen.getByRole('tab', { name: '見込み客リスト' }));
    await screen.findByText('1–50 / 170件');
  });
});

describe('a real send that was accepted', () => {
  // Office hours, so that the dialog asks for no confirmation.
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-11-24T10:00:00+09:00') }));

  it('empties the list at once, and reloads every list that depends on it', async () => {
    updateAttackListSettings({ is_test_mode: false, is_reservation_mode: false });
    const next = deferred();
    const previews: (FakeAnswer | Promise<FakeAnswer>)[] = [ok(ONE_TARGET), next.answer];
    serve({
      'GET /attack_list/preview': () => previews.shift() ?? ok(NO_TARGETS),
      'POST /mail/check/5': () =>
        ok({ total: 1, checked: 1, warnings: [], skipped: [], legal_faults: [], without_source: 1 }),
      'POST /mail/send/5': () => ok({ status: 'accepted', send_log_id: 55, accepted: 1, skipped: [] }),
      'GET /send_log/55': () => ok(run(55)),
      'GET /legal_profile/list': () =>
        ok([{ sender_group_id: 1, active: 1, ready: 1, basis: 'published', faults: [] }]),
    });
    await renderApp('/?tab=attack-list&address=%E6%9D%B1%E4%BA%AC');
    await company();
    const others = [PROSPECT_LIST, RESERVATION_LIST, SEND_LOG_LIST].map((name) => [name, 'seen before']);
    for (const key of others) queryClient.setQueryData(key, []);
    const send = () => screen.getByRole('button', { name: /社に送信$/ });
    setAside(1, 99, true);
    fireEvent.click(send());
    const dialog = within(await screen.findByRole('dialog'));
    expect(dialog.getByText('地域: 東京')).toBeDefined();
    expect(dialog.getByText('田中（t@example.com）')).toBeDefined();
    expect((await dialog.findByText('公開元の記録なし 1社')).closest('li')?.dataset.kind).toBe('note');
    const confirm = dialog.getByRole('button', { name: '1社に送信' });
    await waitFor(() => expect(confirm.getAttribute('aria-disabled')).not.toBe('true'));
    fireEvent.click(confirm);

    expect(await screen.findByText('2 / 10通')).toBeDefined();
    // Before the second preview has loaded, and while the run is in progress.
    expect(screen.queryByText('第1商事')).toBeNull();
    expect(screen.queryByText('アタックリストが0件です')).toBeNull();
    expect(screen.getByRole('button', { name: '次の会社を準備' }).getAttribute('aria-disabled')).toBe('true');
    expect(useAttackList.getState().left_aside).toBeNull();
    expect(others.map((key) => queryClient.getQueryState(key)?.isInvalidated)).toEqual([true, true, true]);
    await act(async () => next.resolve(ok({ ...ONE_TARGET, rows: [target(2)] })));
    expect(await screen.findByText('第2商事')).toBeDefined();
    await userEvent.click(screen.getByRole('button', { name: '次の1社を準備' }));
    expect(send()).toBeDefined();
  });

  it('of another tab of the screen is over: its button is the usual one', async () => {
    updateAttackListSettings({ is_test_mode: false, is_reservation_mode: true });
    serve({
      'GET /attack_list/preview': () => ok(ONE_TARGET),
      'POST /mail/check/5': () =>
        ok({ total: 1, checked: 1, warnings: [], skipped: [], legal_faults: [], without_source: 0 }),
      'POST /reservation': () => ok({ status: 'added', id: 7, skipped: [] }),
    });
    await renderApp('/?tab=attack-list');
    await company();
    const reserve = () => screen.getByRole('button', { name: '1社への送信を予約' });
    fireEvent.click(reserve());
    const dialog = within(await screen.findByRole('dialog'));
    const confirm = dialog.getByRole('button', { name: '1社への送信を予約' });
    await waitFor(() => expect(confirm.getAttribute('aria-disabled')).not.toBe('true'));
    fireEvent.click(confirm);
    expect(await screen.findByRole('button', { name: '次の1社を準備' })).toBeDefined();
    await userEvent.click(screen.getByRole('tab', { name: '見込み客リスト' }));
    await userEvent.click(screen.getByRole('tab', { name: 'アタックリスト' }));
    await company();
    expect(reserve()).toBeDefined();
  });
});

it('a real send without any target shows the same left-out companies as before', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-11-24T10:00:00+09:00') });
  updateAttackListSettings({ is_test_mode: false, is_reservation_mode: false });
  const skipped = [{ prospect_id: 1, reason: 'recently_sent' }];
  serve({
    'GET /attack_list/preview': () => ok(ONE_TARGET),
    'POST /mail/check/5': () =>
      ok({ total: 1, checked: 1, warnings: [], skipped: [], legal_faults: [], without_source: 0 }),
    'POST /mail/send/5': () => ok({ status: 'no-added', send_log_id: null, accepted: 0, skipped }),
  });
  await renderApp('/?tab=attack-list');
  await company();
  setAside(1, 99, true);
  fireEvent.click(screen.getByRole('button', { name: /社に送信$/ }));
  const confirm = within(await screen.findByRole('dialog')).getByRole('button', { name: '1社に送信' });
  await waitFor(() => expect(confirm.getAttribute('aria-disabled')).not.toBe('true'));
  fireEvent.click(confirm);
  expect(await toastText('alert')).toMatch(/^送信できる会社がありません/);
  expect(useAttackList.getState().left_aside).toEqual({ sender_group_id: 1, ids: [99] });
});

it('a chosen template that no longer exists is reported as missing, not as loading', async () => {
  selectSender(99);
  serve({ 'GET /attack_list/preview': () => ok(ONE_TARGET) });
  await renderApp('/?tab=attack-list');
  await company();
  const order = within(screen.getByRole('region', { name: '送信の内容' }));
  expect(order.getByText(/がないため、送れません。$/)).toBeDefined();
});

describe('chosen companies', () => {
  it('open the attack list with only these, and with all that match', async () => {
    const requests = serve({ 'GET /attack_list/preview': () => ok(ONE_TARGET) });
    const { router } = await renderApp('/?address=%E6%9D%B1%E4%BA%AC&status=unsent');
    await company();
    await userEvent.click(screen.getByRole('checkbox', { name: '第1商事を選択' }));
    await userEvent.click(await screen.findByRole('button', { name: '1社に送る' }));
    expect(await screen.findByText('選んだ1社')).toBeDefined();
    const previews = () => requests.filter(({ path }) => path === '/attack_list/preview');
    expect([...(previews().at(-1)?.query.keys() ?? [])]).not.toContain('address');
    expect(previews().at(-1)?.query.get('prospect_ids')).toBe('1');

    await act(() => router.navigate('/?address=%E6%9D%B1%E4%BA%AC&status=unsent'));
    await company();
    await userEvent.click(screen.getByRole('checkbox', { name: 'このページのすべてを選択' }));
    await userEvent.click(await screen.findByRole('button', { name: 'この条件の170社をすべて選択' }));
    await userEvent.click(screen.getByRole('button', { name: '170社に送る' }));
    expect(await screen.findByText('送信状況：未送信')).toBeDefined();
    expect(Object.fromEntries(previews().at(-1)?.query ?? [])).toMatchObject({
      address: '東京',
      status: 'unsent',
      limit_count: '1000',
    });
  });
});

describe('a left-out company', () => {
  const open = async (reason: string, more: Handlers = {}) => {
    let left = 1;
    const requests = serve({
      'GET /attack_list/preview': () => ok({ ...ONE_TARGET, matched: 2, left_out: { [reason]: left } }),
      'GET /attack_list/left_out': () => ok({ rows: left === 0 ? [] : [target(2)], total: left }),
      'POST /active_prospect/': () => {
        left = 0;
        return ok({ status: 'updated', version: 'r2' });
      },
      ...more,
    });
    const { router } = await renderApp('/?tab=attack-list');
    await userEvent.click(await screen.findByRole('button', { name: /[^分に] 1社$/ }));
    return { requests, router, dialog: within(await screen.findByRole('dialog')) };
  };

  it('is activated in the dialog, and disappears from it', async () => {
    const { requests, dialog } = await open('inactive');
    await userEvent.click(await dialog.findByRole('switch', { name: /第2商事/ }));
    expect(await dialog.findByText('この理由の見込み客は、もうありません')).toBeDefined();
    expect(requests.find(({ path }) => path === '/active_prospect/')?.body).toMatchObject({
      add_info: { prospect_id: 2, sender_group_id: 1, active: 1 },
    });
  });

  it('has its suppression lifted in the dialog, which asks for the reason after an opt-out', async () => {
    const suppressed = { ...BLOCKED, class: 'refused' as const };
    const answers: (FakeAnswer | Promise<FakeAnswer>)[] = [ok(companyOf(2, { suppressed }))];
    const { dialog } = await open('suppressed', { 'GET /prospect/2': () => answers.shift() ?? deferred().answer });
    await userEvent.click(await dialog.findByRole('button', { name: '第2商事：配信停止を解除' }));
    const reason = await screen.findByLabelText('解除の理由（必須）');
    // A reload, as after each focus of the tab, keeps the dialog and the typed text.
    await act(async () => {
      void queryClient.invalidateQueries({ queryKey: [COMPANY, 2] });
      // The query library notifies its readers of a fetch in a separate task.
      await new Promise((resolve) => setTimeout(resolve));
    });
    expect(queryClient.isFetching({ queryKey: [COMPANY, 2] })).toBe(1);
    expect(reason.isConnected).toBe(true);
  });

  it('disappears from the dialog if somebody else has lifted its suppression', async () => {
    let isKnown = false;
    const { dialog } = await open('suppressed', {
      'GET /attack_list/left_out': () => ok(isKnown ? { rows: [], total: 0 } : { rows: [target(2)], total: 1 }),
      'GET /prospect/2': () => {
        isKnown = true;
        return ok(companyOf(2, { suppressed: null }));
      },
    });
    await userEvent.click(await dialog.findByRole('button', { name: '第2商事：配信停止を解除' }));
    expect(await dialog.findByText('この理由の見込み客は、もうありません')).toBeDefined();
    expect(screen.queryByLabelText('解除の理由（必須）')).toBeNull();
  });

  it.each([
    ['primary_or_company', '人の編集'],
    ['company', '会社の編集'],
  ] as const)('without an address, where mails go to %s, opens %s', async (send_to, title) => {
    startSession('token-1', { ...USER, has_primary_email: 1 });
    updateAttackListSettings({ send_to });
    const primary = { ...PRIMARY, email: null };
    const { dialog } = await open('no_email', {
      'GET /prospect/2': () => ok(companyOf(2, { people: [primary] })),
      'GET /person/check': () => deferred().answer,
      'GET /prospect/check': () => deferred().answer,
    });
    await userEvent.click(await dialog.findByRole('button', { name: '第2商事：アドレスを入力' }));
    expect(await screen.findByRole('dialog', { name: title })).toBeDefined();
  });

  it('opens beside the list, in place of the dialog', async () => {
    const { dialog, router } = await open('reserved', { 'GET /prospect/2': () => deferred().answer });
    await userEvent.click(await dialog.findByRole('link', { name: '第2商事' }));
    expect(new URLSearchParams(router.state.location.search).get('company')).toBe('2');
    expect(screen.queryByText('対象外の見込み客（予約中）')).toBeNull();
  });
});
