import { act, cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react';
import type { ComponentProps } from 'react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { reservationFault } from '#domain/sending/reservation-window.ts';
import { chooseDay, daysOf } from '#test/web/choose-day.ts';
import { type FakeAnswer, fakeApi, ok, refused } from '#test/web/fake-api.ts';
import { AtAnAddress, renderPart, toastText, toastTextNow } from '#test/web/render.tsx';
import { logInAs, prospect, target, USER } from '#test/web/samples.ts';
import { queryClient } from '#web/lib/api/query-client.ts';
import { ATTACK_LIST } from '#web/lib/api/query-keys.ts';
import { useSession } from '#web/lib/session/session-store.ts';
import { AttackListPanel } from './attack-list-panel.tsx';
import {
  bringAllBack,
  clearAsideOfOthers,
  listChosen,
  listCondition,
  setAside,
  updateAttackListSettings,
  useAttackList,
} from './attack-list-state.ts';

const onOrder = vi.fn();
const onCheck = vi.fn();
/** Friday 20 November 2026, 17:20 in Tokyo. */
const NOW = Date.parse('2026-11-20T17:20:00+09:00');
const TARGETS = [target(1), target(2), target(3)];

const preview = (rows = TARGETS, left_out = {}) => ({
  'GET /attack_list/preview': () => ok({ rows, matched: 1234, eligible: rows.length, left_out }),
});
const onTemplate = vi.fn();
const PROPS: ComponentProps<typeof AttackListPanel> = {
  base: { sender_group_id: 1 },
  sender: { subject: 'ご提案', name: '森 花子', isConfirmed: true },
  isLegal: true,
  parts: { renderName: ({ company_name }) => company_name, renderMend: () => null },
  isFilterWaiting: false,
  blocksFilter: () => false,
  onTemplate,
  onOrder,
  taken: 0,
  onCheck,
};
const show = (props: Partial<typeof PROPS> = {}) =>
  renderPart(
    <AtAnAddress>
      <AttackListPanel {...PROPS} {...props} />
    </AtAnAddress>,
  );
const type = (label: string, value: string) => fireEvent.change(screen.getByLabelText(label), { target: { value } });
const addresses = () =>
  screen.getAllByRole('gridcell').flatMap(({ textContent }) => textContent?.match(/.+@.+/)?.[0] ?? []);
const press = (name: string) => fireEvent.click(screen.getByRole('button', { name }));
/** Returns the one button that sends or reserves. */
const orderButton = () =>
  screen.getByRole('button', { name: /^(テスト送信(（.*）|を予約)?|.*社に送信|.*社への送信を予約)$/ });
const pressOrder = () => fireEvent.click(orderButton());
const choose = (label: string, value: string) => fireEvent.change(screen.getByLabelText(label), { target: { value } });
const chosen = (label: string) => (screen.getByLabelText(label) as HTMLSelectElement).value;
const offered = (label: string) =>
  [...(screen.getByLabelText(label) as HTMLSelectElement).options]
    .filter(({ disabled }) => !disabled)
    .map(({ value }) => value);

beforeEach(() => {
  onOrder.mockClear();
  onCheck.mockClear();
  vi.useFakeTimers({ toFake: ['Date'], now: NOW });
  localStorage.clear();
  logInAs();
});
afterEach(() => vi.useRealTimers());

describe('the address to which mails go', () => {
  const person = { id: 5, name: '佐藤 一郎', department: '購買部', title: '部長' };
  const TO_PERSON = {
    ...target(1),
    company_email: 'sato@c1.example.jp',
    person_in_charge: '購買部 部長 佐藤 一郎',
    person,
  };
  const withPeople = () => useSession.setState({ current_user: { ...USER, has_primary_email: 1 } });
  const last = (requests: ReturnType<typeof fakeApi>) => requests.at(-1)?.query.get('send_to');

  it('is no question before a main contact person has an address', async () => {
    const requests = fakeApi(preview());
    show();
    await screen.findByRole('rowheader', { name: '第1商事' });
    expect(screen.queryByLabelText('宛先')).toBeNull();
    expect(last(requests)).toBeNull();
  });

  it('is first that of the main contact person, then what the member has chosen, in later sessions too', async () => {
    withPeople();
    const requests = fakeApi(preview([TO_PERSON, target(2)]));
    show();
    await screen.findByRole('rowheader', { name: '第1商事' });
    expect([chosen('宛先'), last(requests)]).toEqual(['primary_or_company', 'primary_or_company']);
    expect(screen.getByRole('gridcell', { name: '購買部 部長 佐藤 一郎 様' })).toBeDefined();
    fireEvent.click(screen.getByLabelText('テストモード'));
    pressOrder();
    expect(onOrder.mock.lastCall?.[0]).toMatchObject({ sendTo: 'primary_or_company', toPrimary: 1 });
    choose('宛先', 'company');
    await waitFor(() => expect(last(requests)).toBe('company'));
    cleanup();
    logInAs('token-2');
    withPeople();
    show();
    expect(await screen.findByLabelText('宛先')).toHaveProperty('value', 'company');
  });

  it('is left to the server for a follow-up, which goes where its run went', async () => {
    withPeople();
    updateAttackListSettings({ follow_up: { sender_group_id: 1, send_log_id: 9 } });
    const requests = fakeApi(preview());
    show();
    await screen.findByRole('rowheader', { name: '第1商事' });
    const listed = requests.filter(({ path }) => path === '/attack_list/preview');
    expect(listed.map(({ query }) => [query.get('follow_up_of'), query.get('send_to')])).toEqual([['9', null]]);
    expect(screen.queryByLabelText('宛先')).toBeNull();
  });

  it('is offered where no company has an address', async () => {
    withPeople();
    updateAttackListSettings({ send_to: 'company' });
    const left_out = { no_email: 3 };
    const requests = fakeApi({
      'GET /attack_list/preview': ({ query }) =>
        query.get('send_to') === 'company'
          ? ok({ rows: [], matched: 3, eligible: 0, left_out })
          : ok({ rows: [TO_PERSON], matched: 3, eligible: 1, left_out: { no_email: 2 } }),
    });
    show();
    expect(await screen.findByText('代表メールのある会社がありません。')).toBeDefined();
    press('主担当に送る');
    expect(await screen.findByRole('rowheader', { name: '第1商事' })).toBeDefined();
    expect(last(requests)).toBe('primary_or_company');
  });
});

describe('attack list', () => {
  it('§2.19, 3.16, 4.8, 4.9, 4.11 starts as the specification says: test mode on, 7 days, 10 targets, mail to oneself', async () => {
    const requests = fakeApi(preview());
    show();
    await screen.findByRole('rowheader', { name: '第1商事' });
    expect(screen.getByLabelText('テストモード')).toHaveProperty('checked', true);
    expect(screen.getByLabelText('予約モード')).toHaveProperty('checked', true);
    expect(screen.getByLabelText('候補日を入れる')).toHaveProperty('checked', false);
    expect(screen.getByLabelText('再送信間隔（日）')).toHaveProperty('value', '7');
    expect(screen.getByLabelText('テスト件数')).toHaveProperty('value', '10');
    const limit = screen.getByLabelText('取得件数') as HTMLSelectElement;
    expect([...limit.options].map(({ value }) => value).join()).toBe('1,10,50,100,200,300,400,500,1000');
    expect(Object.fromEntries(requests[0]?.query ?? [])).toEqual({
      sender_group_id: '1',
      days_from_lastday: '7',
      limit_count: '10',
    });
    expect(addresses()).toEqual([USER.email, USER.email, USER.email]);
  });

  it('leaves out companies over the limit of their domain, names them, and includes one when another is excluded', async () => {
    const rows = ['a@x.jp', 'b@x.jp', 'c@y.jp'].map((company_email, n) => ({ ...target(n + 1), company_email }));
    const domain_rule = { per_domain: 1, shared_domains: [] };
    fakeApi({ 'GET /attack_list/preview': () => ok({ rows, matched: 3, eligible: 3, left_out: {}, domain_rule }) });
    show();
    await screen.findByRole('rowheader', { name: '第1商事' });
    fireEvent.click(screen.getByLabelText('テストモード'));
    fireEvent.click(screen.getByLabelText('予約モード'));
    const ordered = () => {
      pressOrder();
      return onOrder.mock.calls.at(-1)?.[0].targets.map(({ prospect_id }: { prospect_id: number }) => prospect_id);
    };
    expect([addresses(), ordered()]).toEqual([
      ['a@x.jp', 'c@y.jp'],
      [1, 3],
    ]);
    expect(screen.getByText(/^同じドメインへは1回に1通までのため、/).textContent).toBe(
      '同じドメインへは1回に1通までのため、1社を除いています。',
    );
    press('同じドメインの上限 1社');
    expect(await within(await screen.findByRole('dialog')).findByRole('rowheader', { name: '第2商事' })).toBeDefined();
    press('閉じる');
    expect(screen.getByLabelText('第2商事に送信').getAttribute('aria-disabled')).toBe('true');
    fireEvent.click(screen.getByLabelText('第2商事に送信'));
    fireEvent.click(screen.getByLabelText('第1商事に送信'));
    expect(ordered()).toEqual([2, 3]);
  });

  it('numbers the test addresses and cuts the list to the test limit', async () => {
    fakeApi(preview());
    show();
    await screen.findByRole('rowheader', { name: '第1商事' });
    type('テスト送信先', 'qa+[n]@example.com');
    type('テスト件数', '２');
    expect(addresses()).toEqual(['qa+0@example.com', 'qa+1@example.com']);
    expect(screen.getAllByRole('row').map(({ textContent }) => textContent?.slice(0, 5))).toEqual([
      '送信行番号',
      '1第1商事',
      '2第2商事',
    ]);
    expect(screen.getByText(/^\[n\] は、0から始まる番号/)).toBeDefined();
    expect(screen.getByRole('button', { name: '2社分' })).toBeDefined();
    pressOrder();
    expect(onOrder.mock.calls[0]?.[0]).toMatchObject({
      testTo: 'qa+[n]@example.com',
      targets: [
        { ...target(1), company_email: 'qa+0@example.com' },
        { ...target(2), company_email: 'qa+1@example.com' },
      ],
    });
  });

  it('mails the companies themselves without test mode', async () => {
    fakeApi(preview());
    show();
    await screen.findByRole('rowheader', { name: '第1商事' });
    fireEvent.click(screen.getByLabelText('テストモード'));
    expect(screen.queryByLabelText('テスト送信先')).toBeNull();
    expect(screen.queryByRole('columnheader', { name: '行番号' })).toBeNull();
    expect(addresses()).toEqual(TARGETS.map(({ company_email }) => company_email));
    pressOrder();
    expect(onOrder.mock.calls[0]?.[0]).toMatchObject({ targets: TARGETS, testTo: null });
  });

  it('shows in Japanese why companies are left out', async () => {
    fakeApi(preview(TARGETS, { inactive: 1200, recently_sent: 31, suppressed: 0 }));
    show();
    expect(await screen.findByText('該当 1,234社')).toBeDefined();
    expect(screen.getByText('対象外 1,231社')).toBeDefined();
    expect(screen.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual([
      '7日以内に送った会社は除いています。',
      '無効 1,200社',
      '再送信間隔内に送信済み 31社',
    ]);
  });

  it('previews the mails as they would be ordered', async () => {
    fakeApi(preview());
    show();
    await screen.findByRole('rowheader', { name: '第1商事' });
    fireEvent.click(screen.getByRole('button', { name: 'メールを確認' }));
    pressOrder();
    expect(onCheck.mock.calls).toHaveLength(1);
    expect(onCheck.mock.calls).toEqual(onOrder.mock.calls);
  });

  it('shows the companies behind a reason, page by page, and returns the focus', async () => {
    const requests = fakeApi({
      ...preview(TARGETS, { inactive: 1, no_email: 51 }),
      'GET /attack_list/left_out': ({ query }) => {
        const page = Number(query.get('pagenate_num'));
        const rows = [{ ...target(page), company_email: '' }];
        return ok({ rows, total: 51 });
      },
    });
    show();
    const reason = await screen.findByRole('button', { name: 'メールアドレスなし 51社' });
    reason.focus();
    fireEvent.click(reason);
    const dialog = await screen.findByRole('dialog', { name: '対象外の見込み客（メールアドレスなし）' });
    await within(dialog).findByRole('rowheader', { name: '第1商事' });
    expect(within(dialog).getByText('1–50 / 51件')).toBeDefined();
    fireEvent.click(within(dialog).getByRole('button', { name: '次のページ' }));
    await within(dialog).findByRole('rowheader', { name: '第2商事' });
    expect(Object.fromEntries(requests.at(-1)?.query ?? [])).toEqual({
      sender_group_id: '1',
      days_from_lastday: '7',
      reason: 'no_email',
      pagenate_count: '50',
      pagenate_num: '2',
    });
    fireEvent.click(within(dialog).getByRole('button', { name: '閉じる' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(document.activeElement).toBe(reason);
  });

  it.each([
    [true, true, 'テスト送信を予約'],
    [true, false, 'テスト送信'],
    [false, true, '送信を予約'],
    [false, false, '送信'],
  ])('sends no empty list (test: %s, reservation: %s): %s is not filled, and warns', async (isTest, isLater, name) => {
    updateAttackListSettings({ is_test_mode: isTest, is_reservation_mode: isLater });
    fakeApi(preview([], { recently_sent: 1234 }));
    show();
    await screen.findByText('アタックリストが0件です');
    const button = screen.getByRole('button', { name });
    expect(button.dataset).not.toHaveProperty('filled');
    fireEvent.click(button);
    expect(await toastText('alert')).toBe('アタックリストが0件です');
    expect(onOrder).not.toHaveBeenCalled();
  });

  it('says in the empty list alone why nobody can be mailed, and leads to the companies', async () => {
    const counts = { recently_sent: 30, suppressed: 12, inactive: 2, reserved: 1 };
    fakeApi({
      'GET /attack_list/preview': () =>
        ok({ rows: [], matched: 45, eligible: 0, left_out: counts, next_at: '2026/11/27 10:00' }),
      'GET /attack_list/left_out': () => ok({ rows: [{ ...target(2), company_email: '' }], total: 12 }),
    });
    show({ base: { sender_group_id: 1, address: '東京' }, onClear: vi.fn() });
    const title = await screen.findByText('アタックリストが0件です');
    expect(title.nextSibling?.textContent).toBe(
      '送れる会社がありません。おもな理由は、再送信間隔内に送信済み 30社と配信停止 12社です。' +
        '再送信間隔内の会社には、11/27（金）から順に送れます。',
    );
    // The bar has the other reasons, and nothing twice.
    expect(screen.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual(['無効 2社', '予約中 1社']);
    expect([...document.body.textContent.matchAll(/送れる会社がありません|12社|7日以内|送信できる/g)]).toHaveLength(2);
    press('配信停止 12社');
    await screen.findByRole('dialog', { name: '対象外の見込み客（配信停止）' });
  });

  it('names the only company of an empty list, and its reservation', async () => {
    const requests = fakeApi({
      'GET /attack_list/preview': () => ok({ rows: [], matched: 1, eligible: 0, left_out: { reserved: 1 } }),
      'GET /attack_list/left_out': () => ok({ rows: [target(2)], total: 1 }),
      'GET /prospect/view': () =>
        ok({
          rows: [prospect(1), { ...prospect(2), send_at: '2026/11/24 09:00', reservation_id: 77 }],
          total: 2,
        }),
    });
    listChosen([{ id: 2, name: '第2商事' }]);
    show();
    const title = await screen.findByText('アタックリストが0件です');
    const see = await screen.findByRole('link', { name: '予約を見る' });
    await waitFor(() => expect(see.getAttribute('href')).toBe('/reservations/77'));
    expect(see.dataset).toHaveProperty('filled');
    expect(title.nextSibling?.textContent).toBe('第2商事は、11/24（火）9:00に予約済みです。');
    expect(Object.fromEntries(requests.find(({ path }) => path === '/prospect/view')?.query ?? [])).toEqual({
      sender_group_id: '1',
      search: '第2商事',
      status: 'reserved',
    });
  });

  it('leads to all reservations where the one of the only company cannot be read', async () => {
    fakeApi({
      'GET /attack_list/preview': () => ok({ rows: [], matched: 1, eligible: 0, left_out: { reserved: 1 } }),
      'GET /attack_list/left_out': () => refused(403, '読めません'),
    });
    show();
    const see = await screen.findByRole('link', { name: '予約を見る' });
    expect(see.getAttribute('href')).toBe('/reservations');
    expect(await screen.findByText(/^は、予約済みです。$|1社は、予約済みです。/, { selector: 'p' })).toBeDefined();
    expect(toastTextNow('alert')).toBe('');
  });

  it('テスト and 本番 at the head are the switch テストモード', async () => {
    fakeApi(preview());
    show();
    await screen.findByRole('rowheader', { name: '第1商事' });
    const head = within(screen.getByRole('group', { name: '送信先の種類' }));
    const pressed = () => head.getAllByRole('button', { pressed: true }).map(({ textContent }) => textContent);
    const mode = () => screen.getByLabelText<HTMLInputElement>('テストモード').checked;
    expect([pressed(), mode()]).toEqual([['テスト'], true]);
    fireEvent.click(head.getByRole('button', { name: '本番' }));
    expect([pressed(), mode()]).toEqual([['本番'], false]);
    // Pressed again it stays.
    fireEvent.click(head.getByRole('button', { name: '本番' }));
    expect([pressed(), mode()]).toEqual([['本番'], false]);
    fireEvent.click(screen.getByLabelText('テストモード'));
    expect([pressed(), mode()]).toEqual([['テスト'], true]);
  });

  it.each([
    ['テスト送信先', '', 'テスト送信先が入力されていません'],
    ['テスト送信先', 'a@b@c', 'テスト送信先のメールアドレスが正しくありません'],
    ['テスト件数', '0', '1から1,000までの整数で入力してください'],
    ['再送信間隔（日）', '-1', '0から3,650までの整数で入力してください'],
    ['再送信間隔（日）', '', '0から3,650までの整数で入力してください'],
  ])('sends nothing while %s is %j', async (label, value, fault) => {
    fakeApi(preview());
    show();
    await screen.findByRole('rowheader', { name: '第1商事' });
    type(label, value);
    expect(screen.getByLabelText(label).getAttribute('aria-invalid')).toBe('true');
    pressOrder();
    // Told at the field, in view, and not once more over the list.
    expect(document.activeElement).toBe(screen.getByLabelText(label));
    expect(toastTextNow('alert')).toBe('');
    expect(onOrder).not.toHaveBeenCalled();
    // After another tab, a reload or a login the text and its error are still shown.
    cleanup();
    show();
    expect(screen.getByLabelText<HTMLInputElement>(label).value).toBe(value);
    expect(
      screen.getAllByText(fault).some(({ id }) => id === screen.getByLabelText(label).getAttribute('aria-describedby')),
    ).toBe(true);
  });

  it('§2.19 never orders the targets of an outdated interval', async () => {
    fakeApi(preview());
    show();
    await screen.findByRole('rowheader', { name: '第1商事' });
    type('再送信間隔（日）', '30');
    pressOrder();
    expect(onOrder).not.toHaveBeenCalled();
    await waitFor(() => expect(orderButton().getAttribute('aria-disabled')).not.toBe('true'));
    pressOrder();
    expect(onOrder.mock.calls[0]?.[0]).toMatchObject({ days: 30 });
  });

  it('§2.19 remembers its settings', async () => {
    fakeApi(preview());
    updateAttackListSettings({ days_from_lastday: 14, limit_count: 300 });
    show();
    expect(await screen.findByLabelText('再送信間隔（日）')).toHaveProperty('value', '14');
    type('再送信間隔（日）', '21');
    fireEvent.change(screen.getByLabelText('取得件数'), { target: { value: '1000' } });
    expect(useAttackList.getState().attack_list_settings).toMatchObject({ days_from_lastday: 21, limit_count: 1000 });
  });
});

describe('今回だけ外す', () => {
  const box = (id: number) => screen.getByRole<HTMLInputElement>('checkbox', { name: `第${id}商事に送信` });
  const shownNames = () => screen.getAllByRole('rowheader').map(({ textContent }) => textContent);

  async function open(): Promise<void> {
    fakeApi(preview());
    show();
    await screen.findByRole('rowheader', { name: '第1商事' });
  }

  it('leaves the row in its place, and orders the others, with new numbers', async () => {
    await open();
    type('テスト送信先', 'qa+[n]@example.com');
    fireEvent.click(screen.getByLabelText('予約モード'));
    fireEvent.click(box(1));
    expect(shownNames()).toEqual(['第1商事', '第2商事', '第3商事']);
    expect(screen.getByText('今回は外します')).toBeDefined();
    expect(addresses()).toEqual(['qa+0@example.com', 'qa+1@example.com']);
    expect(orderButton().textContent).toBe('テスト送信（2通）');
    pressOrder();
    expect(onOrder.mock.calls[0]?.[0].targets).toEqual([
      { ...target(2), company_email: 'qa+0@example.com' },
      { ...target(3), company_email: 'qa+1@example.com' },
    ]);
    // Opening the tab again shows the exclusion; 戻す and すべて戻す end it.
    cleanup();
    show();
    expect(await screen.findByText('今回は外します')).toBeDefined();
    press('第1商事を戻す');
    expect(orderButton().textContent).toBe('テスト送信（3通）');
    fireEvent.click(box(2));
    press('すべて戻す');
    expect(box(2).checked).toBe(true);
  });

  it('for all targets sends nothing', async () => {
    await open();
    for (const id of [1, 2, 3]) fireEvent.click(box(id));
    expect(screen.getByText('すべての会社を外しています。')).toBeDefined();
    pressOrder();
    expect(await toastText('alert')).toBe('アタックリストが0件です');
    expect(onOrder).not.toHaveBeenCalled();
  });

  it('applies in its group, up to the targets of one order', () => {
    for (let id = 1; id <= 1001; id += 1) setAside(1, id, true);
    const aside = () => useAttackList.getState().left_aside;
    expect([aside()?.ids.length, aside()?.ids[0]]).toEqual([1000, 2]);
    clearAsideOfOthers(1);
    expect(aside()).not.toBeNull();
    clearAsideOfOthers(2);
    expect(aside()).toBeNull();
  });
});

describe('the settings', () => {
  const fold = () => screen.getByRole('button', { name: '送信設定' });

  it('stay folded in this browser, and unfold for the part of the sentence that leads to one', async () => {
    fakeApi(preview());
    show();
    await screen.findByRole('rowheader', { name: '第1商事' });
    expect(fold().getAttribute('aria-expanded')).toBe('true');
    fireEvent.click(fold());
    cleanup();
    show();
    await screen.findByRole('rowheader', { name: '第1商事' });
    expect(fold().getAttribute('aria-expanded')).toBe('false');
    press(USER.email);
    expect(document.activeElement).toBe(screen.getByLabelText('テスト送信先'));
    expect(fold().getAttribute('aria-expanded')).toBe('true');
    press('「ご提案」');
    expect(onTemplate).toHaveBeenCalled();
    localStorage.clear();
  });
});

describe('chosen companies', () => {
  const CHOSEN = [1, 2, 3, 4].map((id) => ({ id, name: `第${id}商事` }));

  function open() {
    const requests = fakeApi({
      'GET /attack_list/preview': () =>
        ok({ rows: [target(1), target(2)], matched: 3, eligible: 2, left_out: { suppressed: 1 } }),
      'GET /attack_list/left_out': () => ok({ rows: [target(3)], total: 1 }),
    });
    listChosen(CHOSEN);
    show({ base: { sender_group_id: 1, address: '東京', sort: 'company_name', order: 'asc' } });
    return requests;
  }

  it('are listed alone, without the filters, and the left-out ones are named', async () => {
    updateAttackListSettings({ limit_count: 1, is_test_mode: false });
    const requests = open();
    await screen.findByRole('rowheader', { name: '第2商事' });
    expect(requests[0]?.query.get('prospect_ids')).toBe('1,2,3,4');
    expect([requests[0]?.query.get('address'), requests[0]?.query.get('sort')]).toEqual([null, null]);
    expect(screen.getByText('第3商事、第4商事には送れません。')).toBeDefined();
    pressOrder();
    expect(onOrder.mock.calls[0]?.[0]).toMatchObject({
      targets: [target(1), target(2)],
      source: { companies: CHOSEN },
    });
    press('選んだ会社のリストを終了');
    await waitFor(() => expect(requests.at(-1)?.query.get('address')).toBe('東京'));
  });

  it('that were deleted or archived meanwhile are named', async () => {
    open();
    fireEvent.click(await screen.findByRole('button', { name: 'リストにない会社 1社' }));
    const dialog = within(await screen.findByRole('dialog', { name: '対象外の見込み客（リストにない会社）' }));
    expect(await dialog.findByRole('rowheader', { name: '第4商事' })).toBeDefined();
    expect(dialog.getAllByRole('rowheader')).toHaveLength(1);
  });

  it('are at most a page, with names cut to a length, and none of them is excluded', () => {
    setAside(1, 2, true);
    listChosen(Array.from({ length: 300 }, (_, index) => ({ id: index + 1, name: '長'.repeat(1000) })));
    const { list_source, left_aside } = useAttackList.getState();
    expect([list_source?.companies?.length, list_source?.companies?.[0]?.name.length]).toEqual([200, 100]);
    expect(left_aside?.ids).toEqual([]);
  });

  it('all of a condition are 1,000 with its status', async () => {
    const requests = fakeApi(preview());
    listCondition('unsent');
    show({ base: { sender_group_id: 1, address: '東京' } });
    await screen.findByRole('rowheader', { name: '第1商事' });
    expect(Object.fromEntries(requests[0]?.query ?? [])).toMatchObject({
      address: '東京',
      status: 'unsent',
      limit_count: '1000',
    });
    press('送信状況の条件を外す');
    await waitFor(() => expect(requests.at(-1)?.query.get('status')).toBeNull());
  });
});

describe('after an accepted real order', () => {
  const button = (name: string) => screen.findByRole('button', { name });
  const sentence = () => screen.getByRole('region', { name: '送信の内容' }).querySelector('p')?.textContent;
  const panel = (change: Partial<typeof PROPS>) => (
    <AtAnAddress>
      <AttackListPanel {...PROPS} {...change} />
    </AtAnAddress>
  );

  async function order(answers: Record<string, unknown>[], change: Partial<typeof PROPS> = {}) {
    updateAttackListSettings({ is_test_mode: false, is_reservation_mode: false });
    const waiting = [...answers];
    fakeApi({ 'GET /attack_list/preview': () => ok(waiting.length > 1 ? waiting.shift() : waiting[0]) });
    const { rerender } = show(change);
    (await button('3社に送信')).focus();
    // As OrderDialogs does.
    act(bringAllBack);
    rerender(panel({ ...change, taken: 1 }));
    await act(() => queryClient.resetQueries({ queryKey: [ATTACK_LIST] }));
    return { change: (more: Partial<typeof PROPS>) => rerender(panel({ ...change, taken: 1, ...more })) };
  }

  const LISTED = { rows: TARGETS, matched: 3, eligible: 3, left_out: {} };
  const NEXT = { ...LISTED, rows: [target(4), target(5)], eligible: 2 };

  it('one more press does not send to the next companies: it prepares them first', async () => {
    setAside(1, 99, true);
    await order([LISTED, NEXT]);
    const next = await button('次の2社を準備');
    expect(next.dataset).not.toHaveProperty('filled');
    expect(screen.queryByRole('button', { name: /に送信$/ })).toBeNull();
    expect(sentence()).toBe('次の2社への送信を準備できます。');
    next.focus();
    fireEvent.click(next);
    expect(onOrder).not.toHaveBeenCalled();
    const send = await button('2社に送信');
    expect(send.dataset).toHaveProperty('filled');
    expect(document.activeElement).toBe(send);
    expect(sentence()).toMatch(/2社.*送ります。$/);
    fireEvent.click(send);
    expect(onOrder.mock.calls[0]?.[0].targets).toEqual([target(4), target(5)]);
  });

  it.each<[string, () => void]>([
    ['a setting', () => fireEvent.click(screen.getByLabelText('予約モード'))],
    ['the interval, as typed', () => type('再送信間隔（日）', '14')],
    ['a tick', () => fireEvent.click(screen.getByLabelText('第4商事に送信'))],
  ])('ends with a change of %s', async (_, change) => {
    await order([LISTED, NEXT]);
    await button('次の2社を準備');
    change();
    await waitFor(() => expect(screen.queryByRole('button', { name: /^次の/ })).toBeNull());
    expect(orderButton()).toBeDefined();
  });

  it('ends with another filter or template, and with テスト', async () => {
    const changes: Partial<typeof PROPS>[] = [
      { base: { sender_group_id: 1, address: '東京' } },
      { sender: { subject: '別のご提案', name: '森 花子', isConfirmed: true } },
    ];
    for (const change of changes) {
      const shown = await order([LISTED, NEXT]);
      await button('次の2社を準備');
      shown.change(change);
      expect(await button('2社に送信')).toBeDefined();
      cleanup();
      queryClient.clear();
    }
    await order([LISTED, NEXT]);
    await button('次の2社を準備');
    press('テスト');
    expect(orderButton().textContent).toBe('テスト送信（2通）');
  });

  it('stands no more after the tab was left', async () => {
    await order([LISTED, NEXT]);
    await button('次の2社を準備');
    cleanup();
    show({ taken: 1 });
    expect(await button('2社に送信')).toBeDefined();
  });

  it('has no button where nobody is left, until something changes', async () => {
    await order([LISTED, { ...LISTED, rows: [], eligible: 0, left_out: { open_delivery: 3 } }]);
    await screen.findByText('アタックリストが0件です');
    expect([screen.queryByRole('button', { name: /送信$|準備$/ }), sentence()]).toEqual([null, undefined]);
    expect(document.activeElement).toBe(screen.getByRole('button', { name: '送信設定' }));
    fireEvent.click(screen.getByLabelText('予約モード'));
    expect(await button('送信を予約')).toBeDefined();
  });

  it('has the end of a list of chosen companies in its place', async () => {
    listChosen([1, 2, 3].map((id) => ({ id, name: `第${id}商事` })));
    await order([LISTED, { ...LISTED, rows: [], eligible: 0, left_out: { open_delivery: 3 } }, NEXT]);
    const [, end] = await waitFor(() => {
      const both = screen.getAllByRole('button', { name: '選んだ会社のリストを終了' });
      expect(both).toHaveLength(2);
      return both;
    });
    expect(screen.queryByText(/送ります。$/)).toBeNull();
    fireEvent.click(end as HTMLElement);
    expect(useAttackList.getState().list_source).toBeNull();
    expect(await button('2社に送信')).toBeDefined();
  });

  it('does not trap the user where the next preview fails', async () => {
    let answer: FakeAnswer = ok(LISTED);
    updateAttackListSettings({ is_test_mode: false, is_reservation_mode: false });
    fakeApi({ 'GET /attack_list/preview': () => answer });
    const { rerender } = show();
    await button('3社に送信');
    answer = refused(403, '読めません');
    rerender(panel({ taken: 1 }));
    await act(() => queryClient.resetQueries({ queryKey: [ATTACK_LIST] }));
    expect(await button('送信')).toBeDefined();
    answer = ok(NEXT);
    fireEvent.click(await button('再読み込み'));
    fireEvent.click(await button('次の2社を準備'));
    expect((await button('2社に送信')).dataset).toHaveProperty('filled');
  });
});

describe('reservation mode', () => {
  const at = (clock: string) => Date.parse(`${clock}+09:00`);

  async function open(): Promise<void> {
    fakeApi(preview());
    show();
    await screen.findByRole('rowheader', { name: '第1商事' });
  }

  it('proposes one hour ahead, on the hour, in Tokyo', async () => {
    await open();
    expect([chosen('予約日時'), chosen('時刻')]).toEqual(['2026-11-20', '18:00']);
    expect(offered('時刻')).toEqual(['18:00']);
    pressOrder();
    expect(onOrder.mock.calls[0]?.[0]).toMatchObject({ sendAt: at('2026-11-20T18:00:00'), candidateDates: null });
  });

  it('proposes the next hour when this one is over, and keeps a chosen time', async () => {
    await open();
    vi.setSystemTime(at('2026-11-20T18:00:30'));
    await waitFor(() => expect(chosen('時刻')).toBe('19:00'));
    chooseDay('予約日時', '2026-11-24');
    choose('時刻', '9:15');
    vi.setSystemTime(at('2026-11-20T19:00:30'));
    expect(useAttackList.getState().attack_list_settings.send_at).toBe(at('2026-11-24T09:15:00'));
    expect([chosen('予約日時'), chosen('時刻')]).toEqual(['2026-11-24', '9:15']);
  });

  it.each([
    ['25 minutes fast', '2026-11-20T17:45:00'],
    ['45 minutes slow', '2026-11-20T16:35:00'],
    ['two days slow', '2026-11-18T17:20:00'],
  ])('bad-inputs 217: with a clock that is %s it proposes what the server accepts', async (_, clock) => {
    vi.setSystemTime(at(clock));
    const headers = { Date: new Date(NOW).toUTCString() };
    fakeApi({
      'GET /attack_list/preview': () =>
        Response.json({ rows: TARGETS, matched: 3, eligible: 3, left_out: {} }, { headers }),
    });
    show();
    await screen.findByRole('rowheader', { name: '第1商事' });
    await waitFor(() => expect([chosen('予約日時'), chosen('時刻')]).toEqual(['2026-11-20', '18:00']));
    pressOrder();
    const { sendAt } = onOrder.mock.calls[0]?.[0] ?? {};
    expect([sendAt, reservationFault(sendAt, NOW)]).toEqual([at('2026-11-20T18:00:00'), null]);
  });

  it('offers working days of three months, 8:00 to 20:45 every 15 minutes, and 8:00 alone at the end', async () => {
    await open();
    const days = daysOf('予約日時');
    expect(days.slice(0, 4)).toEqual(['2026-11-20', '2026-11-23', '2026-11-24', '2026-11-25']);
    expect(days).not.toContain('2026-11-28');
    chooseDay('予約日時', '2026-11-24');
    const times = offered('時刻');
    expect([times[0], times[1], times.at(-1), times.length]).toEqual(['8:00', '8:15', '20:45', 52]);
    expect(chosen('時刻')).toBe('18:00');
  });

  it('names the holidays', async () => {
    await open();
    fireEvent.click(screen.getByLabelText('予約日時'));
    expect(await screen.findByRole('button', { name: '11月23日（月） 勤労感謝の日' })).toBeDefined();
    expect(screen.getByText('23日 勤労感謝の日')).toBeDefined();
  });

  it('selects another time when the day does not offer the old one', async () => {
    vi.setSystemTime(at('2026-11-20T22:10:00'));
    await open();
    expect([chosen('予約日時'), chosen('時刻')]).toEqual(['2026-11-20', '23:00']);
    chooseDay('予約日時', '2026-11-24');
    expect(chosen('時刻')).toBe('8:00');
  });

  it('returns to the default with its day', async () => {
    await open();
    chooseDay('予約日時', '2026-11-24');
    choose('時刻', '9:15');
    chooseDay('予約日時', '2026-11-20');
    expect(chosen('時刻')).toBe('18:00');
    expect(useAttackList.getState().attack_list_settings.send_at).toBeNull();
  });

  it('shows at the field that a chosen time has passed, and reserves nothing', async () => {
    updateAttackListSettings({ send_at: at('2026-11-19T09:00:00') });
    await open();
    pressOrder();
    expect(screen.getByLabelText('予約日時').getAttribute('aria-invalid')).toBe('true');
    expect(document.activeElement).toBe(screen.getByLabelText('予約日時'));
    expect(screen.getAllByText(/^予約日時を過ぎています/).length).toBeGreaterThan(0);
    expect(onOrder).not.toHaveBeenCalled();
  });

  it('sends at once when it is off', async () => {
    await open();
    fireEvent.click(screen.getByLabelText('予約モード'));
    expect(screen.queryByLabelText('予約日時')).toBeNull();
    expect(orderButton().textContent).toBe('テスト送信（3通）');
    pressOrder();
    expect(onOrder.mock.calls[0]?.[0]).toMatchObject({ sendAt: null });
  });

  it('offers candidate dates from the next working day, and none that have passed when the mail is sent', async () => {
    await open();
    fireEvent.click(screen.getByLabelText('候補日を入れる'));
    // The day in between is a holiday.
    expect(chosen('候補日1')).toBe('2026-11-24');
    chooseDay('予約日時', '2026-11-25');
    pressOrder();
    expect(document.activeElement).toBe(
      screen.getByRole('combobox', { name: '候補日1', description: '候補日は予約日時より後にしてください' }),
    );
    expect(onOrder).not.toHaveBeenCalled();
    chooseDay('候補日1', '2026-11-26');
    pressOrder();
    expect(onOrder.mock.calls[0]?.[0]).toMatchObject({
      candidateDates: [{ date: '2026-11-26', start_time: '9:00', end_time: '18:00' }],
    });
  });

  it('proposes the day after the reservation as the first candidate date', async () => {
    await open();
    chooseDay('予約日時', '2026-11-27');
    fireEvent.click(screen.getByLabelText('候補日を入れる'));
    expect(chosen('候補日1')).toBe('2026-11-30');
  });

  it('keeps candidate dates that are switched off, and does not send them', async () => {
    await open();
    fireEvent.click(screen.getByLabelText('候補日を入れる'));
    choose('開始時刻', '13:30');
    fireEvent.click(screen.getByLabelText('候補日を入れる'));
    pressOrder();
    expect(onOrder.mock.calls[0]?.[0]).toMatchObject({ candidateDates: null });
    fireEvent.click(screen.getByLabelText('候補日を入れる'));
    expect(chosen('開始時刻')).toBe('13:30');
  });
});
