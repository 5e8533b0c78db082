import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it } from 'vitest';
import type { ReservationDetail, ReservationRow } from '#contract/sending/reservations-page.ts';
import { firstAllowedDay } from '#domain/sending/picker-window.ts';
import { DEFAULT_PERIODS } from '#domain/sending/sending-hours.ts';
import { addDays, skipWeekend } from '#domain/time/calendar.ts';
import { dayOf } from '#domain/time/tokyo-time.ts';
import {
  accountRuleWith,
  deferred,
  type FakeAnswer,
  type FakeRequest,
  fakeApi,
  ok,
  refused,
} from '#test/web/fake-api.ts';
import { renderApp, toastText } from '#test/web/render.tsx';
import { logInAs, run } from '#test/web/samples.ts';
// Loads the screens before the tests, so that no wait within a test includes it.
import '#web/app/workspace.tsx';
import '#web/app/routes/one-reservation.tsx';
import '#web/app/routes/reservations.tsx';

/** A weekday that can be reserved today. */
const DAY = firstAllowedDay(Date.now());
const LATER = skipWeekend(addDays(DAY, 3));
const at = (day: string, time = '08:00:00') => `${day.replaceAll('-', '/')} ${time}`;

const row = (values: Partial<ReservationRow> = {}): ReservationRow => ({
  id: 5,
  send_at: at(DAY),
  state: 'pending',
  refused_reason: null,
  put_off_until: null,
  sender: { id: 2, subject: '受発注業務の効率化', person_in_charge: '田中 直樹', template_name: 'ご提案' },
  group: { id: 4, group_name: '首都圏営業部' },
  targets: 3,
  leaving: { suppressed: 1, replied: 1 },
  maybe_refused: 0,
  datetime_list: null,
  test_send_mode: 0,
  send_to: 'company',
  member_name: '田中 直樹',
  changed_by: null,
  changed_at: null,
  version: 1,
  send_log_id: null,
  ...values,
});
const detail = (values: Partial<ReservationDetail> = {}): ReservationDetail => ({
  ...row(),
  history: [{ at: at(DAY), member_name: '田中 直樹', kind: 'made', changes: { added: 3 } }],
  notes: [],
  ...values,
});
const TARGETS = [1, 2, 3].map((id) => ({
  prospect_id: id,
  company_name: `会社${id}`,
  company_email: `info@c${id}.example.jp`,
  person_in_charge: '',
  state: id === 3 ? 'suppressed' : 'will_send',
}));

/** The rules of a group without its own hours. */
const RULES = { periods: DEFAULT_PERIODS, on_holidays: 1, outside: 'warn', version: 0, closing_days: [] };

type Handlers = Parameters<typeof fakeApi>[0];

async function open(address: string, handlers: Handlers = {}) {
  const requests = fakeApi({
    'GET /reservation/view': ({ query }) =>
      ok(query.get('state') === 'pending' ? { rows: [], total: 7 } : { rows: [row()], total: 1 }),
    'GET /reservation/5': () => ok(detail()),
    'GET /reservation/5/targets': () => ok({ rows: TARGETS, total: 3 }),
    'GET /sender/list': () => ok([]),
    'GET /sending_rules/4': () => ok(RULES),
    ...handlers,
  });
  const { router } = await renderApp(address);
  return { requests, router };
}
const changes = (requests: readonly FakeRequest[]) =>
  requests.filter(({ method, path }) => method === 'PUT' && path === '/reservation/5').map(({ body }) => body);
const conflict = (code: string, details?: object[]) => ({
  status: 409,
  body: { message: '鈴木さんが10:02に変更しました。', code, ...(details && { details }) },
});
const dialog = () => screen.findByRole('dialog', { name: '予約の変更' });
const save = () => userEvent.click(screen.getByRole('button', { name: '変更を保存' }));
const untick = async (company: string) => userEvent.click(await screen.findByRole('checkbox', { name: company }));

beforeEach(() => logInAs());

describe('the list of all reservations', () => {
  it('shows the real ones that are not sent, their number in the navigation, and the left-out companies', async () => {
    const { requests } = await open('/reservations');
    const name = await screen.findByRole('rowheader', { name: '受発注業務の効率化（ご提案）' });
    const cells = within(name.closest('tr') as HTMLElement);
    expect(screen.queryByRole('columnheader', { name: '宛先' })).toBeNull();
    expect(cells.getByTitle('送信日時に外れる会社 2社：配信停止 1社、返信あり 1社').textContent).toBe('3−2');
    await screen.findByRole('link', { name: '予約（本番の予約中7件）' });
    const [asked] = requests.filter(({ path, query }) => path === '/reservation/view' && query.get('state') === null);
    expect(Object.fromEntries(asked?.query ?? [])).toMatchObject({ test_send_mode: '0', pagenate_num: '1' });
  });

  it('says where the mails of each go, once some go to 主担当', async () => {
    const rows = [row(), row({ id: 6, send_to: 'primary_or_company' })];
    await open('/reservations', { 'GET /reservation/view': () => ok({ rows, total: 2 }) });
    await screen.findByRole('columnheader', { name: '宛先' });
    expect(screen.getByRole('gridcell', { name: '代表メール' })).toBeTruthy();
    expect(screen.getByRole('gridcell', { name: '主担当' }).title).toBe('主担当（いなければ代表メール）');
  });

  it('stores its filters in the address, and opens a row in a dialog above it', async () => {
    const { router, requests } = await open('/reservations');
    await screen.findByRole('rowheader');
    await userEvent.selectOptions(screen.getByLabelText('ステータス'), '送信開始済み');
    await waitFor(() => expect(requests.some(({ query }) => query.get('state') === 'sent')).toBe(true));
    await userEvent.click(screen.getByRole('link', { name: /を変更$/ }));
    await dialog();
    expect(router.state.location).toMatchObject({ pathname: '/reservations/5', search: '?state=sent' });
    await userEvent.keyboard('{Escape}');
    await waitFor(() => expect(router.state.location.pathname).toBe('/reservations'));
  });

  it('shows the reservations of the day that the calendar links to, until this filter is removed', async () => {
    const { router, requests } = await open('/reservations?state=all&day=2026-12-01');
    await screen.findByText('12/1（火）の予約');
    const asked = requests.filter(
      ({ query }) => query.get('from') === '2026-12-01' && query.get('to') === '2026-12-01',
    );
    expect(asked).toHaveLength(1);
    await userEvent.click(screen.getByRole('button', { name: 'この日だけの表示を終了' }));
    await waitFor(() => expect(router.state.location.search).toBe('?state=all'));
  });

  it('says that it is empty, and links to the attack list, or to the sent and test ones', async () => {
    await open('/reservations', { 'GET /reservation/view': () => ok({ rows: [], total: 0 }) });
    expect(await screen.findByText('予約はありません')).toBeDefined();
    expect(screen.getByRole('link', { name: 'アタックリストを開く' }).getAttribute('href')).toContain('attack-list');
    expect(screen.queryByLabelText('ステータス')).toBeNull();
    await userEvent.click(screen.getByRole('button', { name: '送信済み・テストの予約も見る' }));
    expect((screen.getByLabelText('ステータス') as HTMLSelectElement).value).toBe('all');
  });
});

describe('the change of a reservation', () => {
  it('sends the changed fields with the version, and shows the result', async () => {
    const saved = () => ok({ status: 'updated', id: 5, version: 2, skipped: [] });
    const { requests } = await open('/reservations/5', { 'PUT /reservation/5': saved });
    await dialog();
    expect(screen.getByRole('button', { name: '変更を保存' })).toHaveProperty('disabled', true);
    await untick('会社2');
    await userEvent.selectOptions(screen.getByLabelText('時刻'), '10:30');
    expect(screen.getByText('変更後').nextElementSibling?.textContent).toMatch(/10:30・2社$/);
    await save();
    await waitFor(() =>
      expect(changes(requests)).toEqual([
        { version: 1, update_info: { send_at: at(DAY, '10:30:00'), remove_prospect_ids: [2] } },
      ]),
    );
    expect(await toastText('status')).toMatch(/^予約を.*10:30・2社に変更しました/);
  });

  describe('when another member has saved first', () => {
    const theirs = { version: 2, send_at: at(LATER, '15:00:00') };
    /** Saves another time and one company less, after a colleague has saved a change. */
    async function meet(changed: Partial<ReservationDetail> = theirs) {
      let stored = detail();
      const { requests } = await open('/reservations/5', {
        'GET /reservation/5': () => ok(stored),
        'PUT /reservation/5': ({ body }) => {
          if ((body as { version: number }).version === 2) return ok({ status: 'updated', id: 5, version: 3 });
          stored = detail(changed);
          return conflict('reservation_changed');
        },
      });
      await dialog();
      await untick('会社2');
      await userEvent.selectOptions(screen.getByLabelText('時刻'), '10:30');
      await save();
      await screen.findByRole('columnheader', { name: '保存済みの内容' });
      return requests;
    }
    const press = (name: string) => userEvent.click(screen.getByRole('button', { name }));
    const sides = () => screen.getAllByRole('row').map(({ children }) => [...children].map((cell) => cell.textContent));

    it('shows the differences side by side, keeps the typed values, and overwrites only after a press', async () => {
      const requests = await meet();
      expect(screen.getByText(/鈴木さんが10:02に変更しました/)).toBeDefined();
      const shown = sides().slice(-3);
      expect(shown[0]).toEqual(['', 'あなたの変更', '保存済みの内容']);
      expect(shown[1]).toEqual(['予約日時', expect.stringMatching(/10:30$/), expect.stringMatching(/15:00$/)]);
      expect(shown[2]).toEqual(['会社', '2社', '3社']);
      expect(screen.getByLabelText('時刻')).toHaveProperty('value', '10:30');
      await press('上書きして保存');
      await waitFor(() => expect(changes(requests)).toHaveLength(2));
      const update_info = { send_at: at(DAY, '10:30:00'), remove_prospect_ids: [2] };
      expect(changes(requests)[1]).toEqual({ version: 2, update_info });
    });

    it('also shows what only the other member has changed', async () => {
      const dates = [{ date: LATER, start_time: '09:00', end_time: '18:00' }];
      await meet({ ...theirs, datetime_list: dates });
      const [name, mine, saved] = sides().at(-2) ?? [];
      expect([name, mine]).toEqual(['候補日', '変更していません']);
      expect(saved).toMatch(/9:00〜18:00$/);
    });

    it('shows only who saved if both saved the same values', async () => {
      let stored = detail();
      await open('/reservations/5', {
        'GET /reservation/5': () => ok(stored),
        'PUT /reservation/5': () => {
          stored = detail({ version: 2, send_at: at(DAY, '10:30:00') });
          return conflict('reservation_changed');
        },
      });
      await dialog();
      await userEvent.selectOptions(screen.getByLabelText('時刻'), '10:30');
      await save();
      expect(await screen.findByText(/鈴木さんが10:02に変更しました/)).toBeDefined();
      await waitFor(() => expect(screen.getByRole('button', { name: '変更を保存' })).toHaveProperty('disabled', true));
      expect(screen.queryByText('あなたの変更')).toBeNull();
    });

    it('restores the saved values, and then shows no conflict any more', async () => {
      const requests = await meet();
      await press('保存済みの内容に戻す');
      expect(screen.getByLabelText('時刻')).toHaveProperty('value', '15:00');
      expect(screen.getByRole('checkbox', { name: '会社2' })).toHaveProperty('checked', true);
      expect(screen.queryByText(/鈴木さんが/)).toBeNull();
      expect(document.activeElement).toBe(screen.getByLabelText('予約日時'));
      expect(screen.getByRole('button', { name: '変更を保存' })).toHaveProperty('disabled', true);
      expect(changes(requests)).toHaveLength(1);
    });
  });

  it('offers to merge with the reservation at the same time', async () => {
    const details = [
      { path: 'id', message: '9' },
      { path: 'targets', message: '40' },
    ];
    const { requests } = await open('/reservations/5', {
      'PUT /reservation/5': ({ body }) =>
        (body as { merge?: 1 }).merge === 1
          ? ok({ status: 'updated', id: 9, version: 2, skipped: [] })
          : conflict('reservation_at_that_time', details),
    });
    await dialog();
    await userEvent.selectOptions(screen.getByLabelText('時刻'), '10:30');
    await save();
    const notice = await screen.findByText(/同じテンプレートの予約（40社）がすでにあります/);
    expect(notice.compareDocumentPosition(screen.getByLabelText('時刻'))).toBe(Node.DOCUMENT_POSITION_FOLLOWING);
    await userEvent.click(screen.getByRole('button', { name: 'まとめる' }));
    await waitFor(() => expect(changes(requests).at(-1)).toMatchObject({ merge: 1 }));
    expect(await toastText('status')).toContain('予約をまとめました');
  });

  it('no longer offers a merge once another time is chosen', async () => {
    await open('/reservations/5', {
      'PUT /reservation/5': () => conflict('reservation_at_that_time', [{ path: 'targets', message: '40' }]),
    });
    await dialog();
    await userEvent.selectOptions(screen.getByLabelText('時刻'), '10:30');
    await save();
    await screen.findByRole('button', { name: 'まとめる' });
    await untick('会社2');
    expect(screen.getByRole('button', { name: 'まとめる' })).toBeDefined();
    await userEvent.selectOptions(screen.getByLabelText('時刻'), '11:00');
    expect(screen.queryByRole('button', { name: 'まとめる' })).toBeNull();
  });

  it.each([
    ['another time', () => userEvent.selectOptions(screen.getByLabelText('時刻'), '11:00')],
    ['fewer companies', () => untick('会社2')],
  ])('says once that the reservation of the same time is full, until %s is chosen', async (_, change) => {
    const message = 'この日時の予約には、すでに9,999社が入っています。';
    const { requests } = await open('/reservations/5', {
      'PUT /reservation/5': () => refused(409, message, 'reservation_full'),
    });
    const shown = within(await dialog());
    await userEvent.selectOptions(screen.getByLabelText('時刻'), '10:30');
    await save();
    expect((await shown.findByText(/すでに9,999社が入っています/)).closest('[role="alert"]')).not.toBeNull();
    expect(screen.getAllByText(/すでに9,999社が入っています/)).toHaveLength(1);
    expect(screen.queryByRole('button', { name: 'まとめる' })).toBeNull();
    await change();
    expect(screen.queryByText(/すでに9,999社が入っています/)).toBeNull();
    expect(changes(requests)).toHaveLength(1);
  });

  it('names the template that another member has chosen', async () => {
    const sender = { id: 7, subject: '年末のご案内', person_in_charge: '森 花子', template_name: '年末' };
    const senders = [row().sender, sender, { ...sender, id: 8 }].map((one) => ({ ...one, template_id: 1 }));
    let stored = detail();
    await open('/reservations/5', {
      'GET /sender/list': () => ok(senders),
      'GET /reservation/5': () => ok(stored),
      'PUT /reservation/5': () => {
        stored = detail({ version: 2, sender });
        return conflict('reservation_changed');
      },
    });
    await dialog();
    await screen.findAllByRole('option', { name: '年末のご案内（森 花子）' });
    await userEvent.selectOptions(screen.getByLabelText('テンプレート'), '8');
    await save();
    const told = await screen.findByText(/鈴木さんが10:02に変更しました/);
    await waitFor(() => expect(told.closest('[role=alert]')?.textContent).toContain('年末のご案内（森 花子）'));
  });

  it('shows the number of remaining companies if another member removed companies too', async () => {
    let stored = detail();
    await open('/reservations/5', {
      'GET /reservation/5': () => ok(stored),
      'PUT /reservation/5': () => {
        stored = detail({ version: 2, targets: 1 });
        return ok({ status: 'updated', id: 5, version: 2, skipped: [{ prospect_id: 2, reason: 'not_found' }] });
      },
    });
    await dialog();
    await untick('会社2');
    await save();
    expect(await toastText('status')).toMatch(/・1社に変更しました/);
  });

  it('one on hold since a restore is released for its own time, or deleted', async () => {
    let stored = detail({ state: 'held' });
    const { requests } = await open('/reservations/5', {
      'GET /reservation/5': () => ok(stored),
      'GET /reservation/list': () => ok([]),
      'PUT /reservation/5': () => {
        stored = detail({ version: 2 });
        return ok({ status: 'updated', id: 5, version: 2, skipped: [] });
      },
    });
    await dialog();
    expect(screen.getByText(/その後に送信または取り消した可能性があります。$/)).toBeDefined();
    expect(screen.queryByText(/^送信されませんでした：/)).toBeNull();
    await userEvent.click(screen.getByRole('button', { name: '送信しない' }));
    expect(await screen.findByText('本当に予約を削除しますか？')).toBeDefined();
    await userEvent.keyboard('{Escape}');
    await userEvent.click(screen.getByRole('button', { name: '予定どおり送信する' }));
    await waitFor(() => expect(screen.queryByRole('button', { name: '予定どおり送信する' })).toBeNull());
    const { body } = requests.find(({ method }) => method === 'PUT') ?? {};
    expect(body).toEqual({ version: 1, update_info: { send_at: stored.send_at } });
  });

  it('one on hold since a restore whose time has passed is rescheduled, sent now or deleted', async () => {
    await open('/reservations/5', {
      'GET /reservation/5': () => ok(detail({ state: 'held', send_at: '2026/11/20 10:00:00' })),
    });
    await dialog();
    expect(screen.getByText(/^予約日時を過ぎています。送信するときは、日時を変えるか/)).toBeDefined();
    expect(screen.queryByRole('button', { name: '予定どおり送信する' })).toBeNull();
    expect(screen.getByRole('button', { name: '送信しない' })).toBeDefined();
    expect(screen.getByRole('button', { name: '今すぐ送信' })).toBeDefined();
  });

  it('adds no company to a reservation whose time has passed', async () => {
    await open('/reservations/5', { 'GET /reservation/5': () => ok(detail({ state: 'missed' })) });
    await dialog();
    await screen.findByRole('checkbox', { name: '会社1' });
    expect(screen.queryByRole('button', { name: '会社を追加' })).toBeNull();
  });

  it('shows how many companies wait for a decision', async () => {
    await open('/reservations/5', { 'GET /reservation/5': () => ok(detail({ maybe_refused: 2 })) });
    await dialog();
    expect(screen.getByText(/^2社は、返信の確認待ちです/)).toBeDefined();
  });

  it('links to the run when sending has begun', async () => {
    await open('/reservations/5', {
      'PUT /reservation/5': () => conflict('reservation_started', [{ path: 'send_log_id', message: '88' }]),
    });
    await dialog();
    await untick('会社1');
    await save();
    expect((await screen.findByRole('link', { name: '送信の詳細' })).getAttribute('href')).toBe('/sends/88');
    // What can no longer be done is not offered.
    for (const name of ['変更を保存', '削除', '今すぐ送信']) expect(screen.queryByRole('button', { name })).toBeNull();
  });

  it('warns about a weekend with a remedy, and checks only what changes', async () => {
    // The next full hour may always be reserved: in this test on a Saturday that has passed meanwhile.
    await open('/reservations/5', { 'GET /reservation/5': () => ok(detail({ send_at: '2026/11/21 10:00:00' })) });
    await dialog();
    expect(await screen.findByText('送信時間外（土曜日）です')).toBeDefined();
    expect(screen.queryByText(/予約日時を過ぎています/)).toBeNull();
    await userEvent.click(await screen.findByRole('button', { name: /^11\/2\d（.）10:00にする$/ }));
    expect(await screen.findByText(/予約日時を過ぎています/)).toBeDefined();
  });

  it('warns about a closing day of its group', async () => {
    const closing = { first_day: DAY, last_day: DAY, name: '創立記念日', working: 0, yearly: 0 };
    await open('/reservations/5', { 'GET /sending_rules/4': () => ok({ ...RULES, closing_days: [closing] }) });
    await dialog();
    expect(await screen.findByText(/は創立記念日（休業日）です$/)).toBeDefined();
  });

  it('refuses to remove all companies, and offers the deletion', async () => {
    const message = '対象の会社がなくなるため保存できません。予約をやめるときは削除してください。';
    const details = [{ path: 'update_info.remove_prospect_ids', message }];
    await open('/reservations/5', {
      'PUT /reservation/5': () => ({ status: 400, body: { code: 'nothing_left', message, details } }),
    });
    await dialog();
    for (const company of ['会社1', '会社2', '会社3']) await untick(company);
    await save();
    const fault = await screen.findByText(/対象の会社がなくなるため保存できません/);
    expect(fault.closest('fieldset')?.textContent).toContain('対象の会社 0社');
  });
});

describe('a reservation that is no longer open', () => {
  it('shows that it does not exist, and leads to the list', async () => {
    const { router } = await open('/reservations/5', {
      'GET /reservation/5': () => refused(404, 'ありません', 'not_found'),
    });
    expect(await screen.findByText('この予約は見つかりません')).toBeDefined();
    await userEvent.click(screen.getByRole('button', { name: '予約へ戻る' }));
    expect(router.state.location.pathname).toBe('/reservations');
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  it.each([
    ['sent', 'its run as the filled button', true],
    ['cancelled', 'nothing filled', false],
  ] as const)('that is %s shows its outcome, %s', async (state, _how, isFilled) => {
    const ended = detail({ state, send_log_id: 88 });
    await open('/reservations/5', { 'GET /reservation/5': () => ok(ended) });
    await screen.findByRole('dialog', { name: '予約の詳細' });
    const link = screen.getByRole('link', { name: '送信の詳細' });
    expect([link.getAttribute('href'), Object.hasOwn(link.dataset, 'filled')]).toEqual(['/sends/88', isFilled]);
    expect(screen.queryByRole('button', { name: '変更を保存' })).toBeNull();
  });

  it('shows until when its mails wait', async () => {
    const waiting = detail({ state: 'waiting', send_log_id: 88, put_off_until: '2026/12/01 08:00:00' });
    await open('/reservations/5', { 'GET /reservation/5': () => ok(waiting) });
    await screen.findByRole('dialog', { name: '予約の詳細' });
    expect(screen.getByText('12/1（火）8:00から送信します')).toBeDefined();
  });
});

describe('sending now', () => {
  const TODAY = dayOf(Date.now());
  const CLOSING = { first_day: TODAY, last_day: TODAY, name: '創立記念日', working: 0, yearly: 0 };
  const CLOSED = { ...RULES, closing_days: [CLOSING] };
  /** Opens the confirmation dialog. @param answer the server's answer to the send */
  async function ask(answer: FakeAnswer, rules: object = CLOSED, handlers: Handlers = {}) {
    const opened = await open('/reservations/5', {
      'GET /account_rule': () => ok(accountRuleWith({ undo_seconds: 30 })),
      'GET /send_log/88': () => ok(run(88)),
      'GET /sending_rules/4': () => ok(rules),
      'POST /reservation/5/send_now': () => answer,
      ...handlers,
    });
    await dialog();
    await userEvent.click(screen.getByRole('button', { name: '今すぐ送信' }));
    const asked = within(await screen.findByRole('dialog', { name: '今すぐ送信' }));
    const send = asked.getByRole<HTMLButtonElement>('button', { name: '今すぐ送信' });
    return { ...opened, asked, send };
  }
  const sent = (requests: readonly FakeRequest[]) =>
    requests.flatMap(({ path, body }) => (path === '/reservation/5/send_now' ? [body] : []));

  it('asks, sends this version, shows the start and the left-out companies, and follows the run', async () => {
    const times = { starts_at: '2026/11/27 12:00:30', begins_at: '2026/11/30 08:00:00' };
    const skipped = [{ prospect_id: 3, reason: 'suppressed' }];
    const accepted = { status: 'accepted', send_log_id: 88, accepted: 2, skipped, ...times };
    const { requests, router, asked, send } = await ask(ok(accepted));
    expect(asked.getByText('本当に送信しますか？')).toBeDefined();
    expect(await asked.findByText(/送信から30秒の間は取り消せます。/)).toBeDefined();
    const tick = await asked.findByRole('checkbox');
    expect([asked.getAllByRole('checkbox').length, send.disabled]).toEqual([1, true]);
    await userEvent.click(tick);
    await userEvent.click(send);
    await waitFor(() => expect(router.state.location.pathname).toBe('/reservations'));
    expect(await screen.findByText('1社は条件が変わったため対象外になりました')).toBeDefined();
    expect(await screen.findByText('送信時間外のため、11/30（月）8:00から送信します')).toBeDefined();
    expect(sent(requests)).toEqual([{ version: 1, acknowledged: ['outside_hours'] }]);
  });

  it('asks for no tick if the mails wait for the next open time, and promises no undo if that is unknown', async () => {
    const rules = { ...CLOSED, version: 1, outside: 'hold' };
    const unknown = { 'GET /account_rule': () => refused(403, '読めません') };
    const { asked, send } = await ask('network', rules, unknown);
    expect(await asked.findByText(/は創立記念日（休業日）です。.+から送信します$/)).toBeDefined();
    expect([asked.queryAllByRole('checkbox'), send.disabled]).toEqual([[], false]);
    expect(asked.queryByText(/取り消せ/)).toBeNull();
  });

  it.each<[string, FakeAnswer, string | null]>([
    ['stays after a lost connection', 'network', '今すぐ送信'],
    ['stays after a refusal', refused(409, '送信者が無効です。', 'sender_off'), '今すぐ送信'],
    ['leads back to the form after a change', refused(409, '変更されました。', 'reservation_changed'), '予約の変更'],
    ['closes all once it has started', refused(409, '始まっています。', 'reservation_started'), null],
    ['closes all once it is deleted', refused(404, '見つかりません。', 'not_found'), null],
  ])('%s', async (_what, answer, name) => {
    const { send } = await ask(answer, { ...RULES, version: 1, outside: 'hold' });
    await userEvent.click(send);
    await toastText('alert');
    const opened = ['予約の変更', '今すぐ送信'].filter((title) => screen.queryByRole('dialog', { name: title }));
    expect(opened.at(-1) ?? null).toBe(name);
  });

  it('waits until the hours of the group have loaded, and reports a failure to load them', async () => {
    const rules = deferred();
    const { asked, send } = await ask('network', {}, { 'GET /sending_rules/4': () => rules.answer });
    expect(asked.getByText('送信時間を確認しています…')).toBeDefined();
    expect(send.getAttribute('aria-disabled')).toBe('true');
    rules.resolve(refused(403, '読めません'));
    expect(await asked.findByText(/^送信時間を確認できませんでした/)).toBeDefined();
    expect(send.getAttribute('aria-disabled')).not.toBe('true');
  });

  it('waits until the changes are saved', async () => {
    await open('/reservations/5');
    await dialog();
    await untick('会社2');
    const send = screen.getByRole('button', {
      name: '今すぐ送信',
      description: '変更を保存すると、今すぐ送信できます。',
    });
    expect(send).toHaveProperty('disabled', true);
  });
});
