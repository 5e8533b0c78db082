import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { addDays, isWeekend } from '#domain/time/calendar.ts';
import { type FakeRequest, fakeApi, OPEN_RULES, ok, refused } from '#test/web/fake-api.ts';
import { renderApp, toastText } from '#test/web/render.tsx';
import { logInAs } from '#test/web/samples.ts';
// Loads the screens before the tests, so that no wait within a test includes it.
import '#web/app/workspace.tsx';
import '#web/app/routes/one-reservation.tsx';
import '#web/app/routes/reservations.tsx';
import '#web/features/reservations/calendar/calendar.tsx';

/** Friday. */
const NOW = Date.parse('2026-11-27T12:00:00+09:00');
const group = { id: 4, group_name: '首都圏営業部' };
const itemOf = (id: number, send_at: string, subject: string, targets: number, state: string) => ({
  id,
  send_at,
  subject,
  group,
  targets,
  state,
});
const PENDING = itemOf(5, '2026/11/30 08:00:00', '受発注業務の効率化', 98, 'pending');
const SENT = itemOf(6, '2026/11/26 09:00:00', '年末のご案内', 40, 'sent');
const MISSED = itemOf(7, '2026/11/27 08:00:00', '展示会のお知らせ', 3, 'missed');
const FOUNDED = { first_day: '2026-12-01', last_day: '2026-12-01', name: '創立記念日', working: 0, yearly: 0 };

let items: (typeof PENDING)[];
/** Increases with each save, as on the server. */
let version: number;
/** Further fields of the calendar's days. */
let days: Readonly<Record<string, object>>;

const calendar = ({ query }: FakeRequest) => {
  const found = [];
  for (let day = query.get('from') ?? ''; day <= (query.get('to') ?? ''); day = addDays(day, 1)) {
    const own = items.filter(({ send_at }) => send_at.startsWith(day.replaceAll('-', '/')));
    const is_open = isWeekend(day) ? 0 : 1;
    const planned = own.reduce((sum, { state, targets }) => sum + (state === 'pending' ? targets : 0), 0);
    const plain = { day, holiday: null, closing_day: null, is_open, limit: 300, planned, sent: 0, more: 0 };
    found.push({ ...plain, items: own, ...days[day] });
  }
  return ok({ days: found });
};
const detail = () => ({
  ...PENDING,
  send_at: items.find(({ id }) => id === 5)?.send_at,
  refused_reason: null,
  put_off_until: null,
  sender: { id: 2, subject: PENDING.subject, person_in_charge: '田中 直樹', template_name: 'ご提案' },
  leaving: { suppressed: 0, replied: 0 },
  maybe_refused: 0,
  datetime_list: null,
  test_send_mode: 0,
  member_name: '田中 直樹',
  changed_by: null,
  changed_at: null,
  version,
  send_log_id: null,
  history: [],
  notes: [],
});

async function open(address = '/reservations?view=calendar', more: Parameters<typeof fakeApi>[0] = {}) {
  const requests = fakeApi({
    'GET /reservation/calendar': calendar,
    'GET /reservation/view': () => ok({ rows: [], total: 0 }),
    'GET /reservation/5': () => ok(detail()),
    'GET /reservation/5/targets': () => ok({ rows: [], total: 0 }),
    'GET /sender/list': () => ok([]),
    'GET /sending_rules/4': () => ok({ ...OPEN_RULES, version: 1, on_holidays: 1, closing_days: [FOUNDED] }),
    'PUT /reservation/5': ({ body }) => {
      const change = body as { version: number; update_info: object };
      if (change.version !== version) return refused(409, '鈴木さんが変更しました。', 'reservation_changed');
      items = items.map((item) => (item.id === 5 ? { ...item, ...change.update_info } : item));
      version += 1;
      return ok({ status: 'updated', id: 5, version, skipped: [] });
    },
    ...more,
  });
  const { router } = await renderApp(address);
  await screen.findAllByRole('link', { name: /受発注業務の効率化|展示会/ });
  return { requests, router };
}
const day = (name: RegExp) => screen.getByRole('gridcell', { name });
const item = (name: RegExp) => screen.getByRole('link', { name });
const dialog = () => screen.findByRole('button', { name: '変更を保存' });
const focused = () => document.activeElement?.textContent;
const press = (keys: string) => userEvent.keyboard(keys);
const save = () => userEvent.click(screen.getByRole('button', { name: '変更を保存' }));
const sent = (requests: readonly FakeRequest[]) =>
  requests.flatMap(({ method, body }) => (method === 'PUT' ? [body] : []));

/** Drags an item over a day. jsdom has no layout, so elementFromPoint is replaced. */
function holdOver(what: HTMLElement, to: HTMLElement): void {
  Object.assign(document, { elementFromPoint: () => to });
  fireEvent.pointerDown(what, { button: 0, clientX: 10, clientY: 10 });
  act(() => void fireEvent.pointerMove(window, { clientX: 40, clientY: 10 }));
}
const release = () => act(() => void fireEvent.pointerUp(window, { clientX: 40, clientY: 10 }));
function drag(what: HTMLElement, to: HTMLElement): void {
  holdOver(what, to);
  release();
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOW });
  logInAs();
  items = [SENT, MISSED, PENDING];
  version = 1;
  days = { '2026-11-26': { sent: 52 }, '2026-12-01': { closing_day: '創立記念日', is_open: 0 } };
});

describe('the calendar of reservations', () => {
  it('shows for each day: mails of the limit, closing days, reservations, and a link to the rest', async () => {
    days = { ...days, '2026-11-30': { more: 20 } };
    await open();
    expect(day(/^11月26日（木）、送信 52通、予約1件/)).toBeDefined();
    expect(day(/^11月30日（月）、98 \/ 300通、予約21件/).textContent).toContain(
      '8:00 受発注業務の効率化 首都圏営業部 98社',
    );
    expect(day(/^12月1日（火）、創立記念日、予約0件/).dataset.closed).toBe('true');
    expect(day(/^11月28日/).dataset.closed).toBe('true');
    expect(item(/^8:00 展示会/).textContent).toBe('8:00 展示会のお知らせ 首都圏営業部 3社 送信されませんでした');
    const more = item(/^11月30日（月）の予約をすべて見る/).getAttribute('href');
    expect(more).toBe('/reservations?state=all&day=2026-11-30');
  });

  it('shows only the number without a limit, and requests the chosen group', async () => {
    days = { '2026-11-30': { limit: null } };
    const { requests } = await open('/reservations?view=calendar&group=4');
    expect(day(/^11月30日（月）、98通、予約1件/)).toBeDefined();
    const [asked] = requests.filter(({ path }) => path === '/reservation/calendar');
    expect(Object.fromEntries(asked?.query ?? [])).toEqual({
      from: '2026-10-26',
      to: '2026-12-06',
      sender_group_id: '4',
    });
  });

  it('is one Tab stop together with the reservations of its day; arrows, PageDown and Home move on', async () => {
    const { router } = await open();
    act(() => day(/^11月27日/).focus());
    await press('{ArrowRight}{ArrowRight}{ArrowRight}');
    expect(focused()).toMatch(/^11月30日/);
    await press('{Tab}');
    expect(focused()).toMatch(/^8:00 受発注/);
    await press('{ArrowUp}{PageDown}');
    // Wait for the day itself: the previous month showed it too.
    await waitFor(() => expect(focused()).toMatch(/^12月30日/));
    expect(router.state.location.search).toBe('?view=calendar&date=2026-12-30');
    await press('{ArrowDown}{ArrowDown}');
    await waitFor(() => expect(focused()).toMatch(/^1月13日/));
    expect(screen.getByRole('heading', { name: '2027年1月' })).toBeDefined();
    await press('{Home}');
    await waitFor(() => expect(focused()).toMatch(/^11月27日/));
    await press('{Enter}');
    expect(focused()).toMatch(/^8:00 展示会/);
    const stops = screen.getAllByRole('gridcell').filter(({ tabIndex }) => tabIndex === 0);
    expect(stops).toHaveLength(1);
  });

  it('shows a week, and links from a day to its list and back', async () => {
    const { router } = await open('/reservations?view=calendar&date=2026-12-02');
    await userEvent.click(screen.getByRole('button', { name: '週' }));
    expect(screen.getByRole('heading', { name: '2026年11月30日〜12月6日' })).toBeDefined();
    await userEvent.click(screen.getByRole('button', { name: '次の週' }));
    expect(screen.getByRole('heading', { name: '2026年12月7日〜13日' })).toBeDefined();
    await userEvent.click(screen.getByRole('button', { name: '一覧' }));
    expect(router.state.location.search).toBe('?span=week');
  });
});

describe('moving a reservation', () => {
  it('by keys skips the weekend, opens the change dialog, and moves the focus to the new day', async () => {
    const { requests } = await open();
    act(() => item(/^8:00 展示会/).focus());
    act(() => item(/^8:00 受発注/).focus());
    await press('{Shift>}{ArrowRight}{/Shift}');
    await dialog();
    expect(await screen.findByText('11/30（月）8:00 → 12/1（火）8:00')).toBeDefined();
    await save();
    await waitFor(() =>
      expect(sent(requests)).toEqual([{ version: 1, update_info: { send_at: '2026/12/01 08:00:00' } }]),
    );
    expect(await toastText('status')).toMatch(/^予約を12\/1（火）8:00・98社に変更しました/);
    await waitFor(() => expect(focused()).toMatch(/^8:00 受発注/));
    expect(document.activeElement?.closest('td')?.dataset.day).toBe('2026-12-01');
  });

  it('by keys stops at tomorrow, and cannot move a started one', async () => {
    await open();
    act(() => item(/^8:00 受発注/).focus());
    await press('{Shift>}{ArrowLeft}{/Shift}');
    expect(await toastText('alert')).toContain('予約日時は明日8:00から3か月以内にしてください');
    act(() => item(/^9:00 年末/).focus());
    await press('{Shift>}{ArrowRight}{/Shift}');
    expect(await toastText('alert')).toContain('この予約は、日を移せません');
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  it('by a drag opens the dialog, which shows a refusal of the server with the reason', async () => {
    const told = '予約日時は送信時間外です（創立記念日）。次に送信できるのは12/2（水）8:00です。';
    const details = [
      { path: 'update_info.send_at', message: told },
      { path: 'next_open_at', message: '2026/12/02 08:00:00' },
    ];
    await open(undefined, {
      'PUT /reservation/5': () => ({ status: 400, body: { code: 'closed_day', message: told, details } }),
    });
    drag(item(/^8:00 受発注/), day(/^12月1日/));
    await dialog();
    await save();
    expect(await screen.findByText(/^予約日時は送信時間外です（創立記念日）/)).toBeDefined();
    expect(screen.getByLabelText('予約日時')).toHaveProperty('value', '2026-12-01');
    await userEvent.click(screen.getByRole('button', { name: 'キャンセル' }));
    expect(item(/^8:00 受発注/).closest('td')?.dataset.day).toBe('2026-11-30');
  });

  it('by a drag marks the days on which its group is closed, and shows why', async () => {
    await open();
    holdOver(item(/^8:00 受発注/), day(/^12月1日/));
    expect(await screen.findByText('12/1（火）は創立記念日（休業日）です')).toBeDefined();
    const meansOf = (name: RegExp) => day(name).querySelector<HTMLElement>('[data-drop]')?.dataset.drop;
    const days = [/^11月26日/, /^11月30日/, /^12月1日/, /^12月2日/, /^12月5日/];
    expect(days.map(meansOf)).toEqual(['far', undefined, 'closed', 'open', 'closed']);
  });

  it('by a drag to a day that cannot be reserved shows why, and Escape ends a drag', async () => {
    const { router } = await open();
    drag(item(/^8:00 受発注/), day(/^12月5日/));
    expect(await toastText('alert')).toContain('予約日時に土曜日・日曜日は選べません');
    holdOver(item(/^8:00 受発注/), day(/^12月1日/));
    await press('{Escape}');
    release();
    // The click that the browser sends after the drag opens nothing either.
    fireEvent.click(item(/^8:00 受発注/));
    // A reservation that has started cannot be dragged.
    drag(item(/^9:00 年末/), day(/^12月1日/));
    expect(router.state.location.pathname).toBe('/reservations');
  });
});

describe('on a phone', () => {
  beforeEach(() => {
    vi.stubGlobal('matchMedia', (media: string) => ({
      matches: media === '(width <= 640px)',
      media,
      addEventListener: () => undefined,
      removeEventListener: () => undefined,
    }));
  });

  it('shows 休 for a closing day, 祝 for a holiday, and neither for a worked holiday', async () => {
    days = {
      '2026-11-25': { holiday: '創業の日', is_open: 0 },
      '2026-11-23': { holiday: '勤労感謝の日', is_open: 1 },
      '2026-11-24': { closing_day: '棚卸し', is_open: 0 },
    };
    await open('/reservations?view=calendar&date=2026-11-26');
    expect(screen.getByRole('button', { name: /勤労感謝の日/ }).textContent).toMatch(/23$/);
    expect(screen.getByRole('button', { name: /創業の日/ }).textContent).toMatch(/25祝$/);
    expect(screen.getByRole('button', { name: /棚卸し/ }).textContent).toContain('休');
  });

  it('shows the days of a week above cards, from the chosen day on', async () => {
    const { router } = await open('/reservations?view=calendar&date=2026-11-26');
    const headings = () => screen.getAllByRole('region', { name: /月\d+日/ }).map((region) => region.dataset.day);
    expect(headings()).toEqual(['2026-11-26', '2026-11-27']);
    await userEvent.click(screen.getByRole('button', { name: /^11月28日/ }));
    expect(headings()).toEqual(['2026-11-28']);
    expect(screen.getByText('予約はありません')).toBeDefined();
    await userEvent.click(screen.getByRole('button', { name: '次の週' }));
    const card = within(await screen.findByRole('region', { name: '11月30日（月）' })).getByRole('link');
    await userEvent.click(card);
    await waitFor(() => expect(router.state.location.pathname).toBe('/reservations/5'));
  });

  it('links from an empty day to the next reservation', async () => {
    await open('/reservations?view=calendar&date=2026-11-26', {
      'GET /reservation/view': () => ok({ rows: [PENDING], total: 1 }),
    });
    await userEvent.click(screen.getByRole('button', { name: /^11月28日/ }));
    await userEvent.click(await screen.findByRole('link', { name: '次の予約 11/30（月）8:00' }));
    expect(await screen.findByRole('region', { name: '11月30日（月）' })).toBeDefined();
    expect(screen.queryByText('予約はありません')).toBeNull();
  });

  it('marks a day above its limit, and shows what happens to the other mails', async () => {
    days = { '2026-11-30': { planned: 340 } };
    await open('/reservations?view=calendar&date=2026-11-30');
    expect(screen.getByRole('button', { name: /40通は次の送信日に送ります/ }).textContent).toMatch(/30超過$/);
    expect(screen.getByText('40通は次の送信日に送ります')).toBeDefined();
  });
});
