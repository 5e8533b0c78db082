import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { deferred, type FakeAnswer, type FakeRequest, fakeApi, ok, refused } from '#test/web/fake-api.ts';
import { renderApp, toastText, toastTextNow } from '#test/web/render.tsx';
import { logInAs, prospect } from '#test/web/samples.ts';
import { queryClient } from '#web/lib/api/query-client.ts';
import { ATTACK_LIST } from '#web/lib/api/query-keys.ts';
import { usePaging } from '#web/lib/screen/paging-state.ts';
import { sentenceTime } from '#web/lib/screen-time.ts';

interface Held {
  readonly id: number;
  readonly send_at: string;
  readonly test_send_mode: 0 | 1;
  readonly companies: readonly number[];
  readonly is_missed?: 0 | 1;
  readonly refused_reason?: string | null;
  readonly suppressed?: number;
  readonly maybe_refused?: number;
  readonly replied?: number;
}
const REAL: Held = { id: 31, send_at: '2026/11/24 09:00:00', test_send_mode: 0, companies: [1, 2, 3] };
const TEST: Held = { id: 32, send_at: '2026/11/24 09:15:00', test_send_mode: 1, companies: [4] };

type Handlers = Parameters<typeof fakeApi>[0];

/** A fake server with these reservations of template 5 until they are deleted. */
function serve(held: readonly Held[], more: Handlers = {}): FakeRequest[] {
  const pending = new Map(held.map((reservation) => [reservation.id, reservation]));
  return fakeApi({
    'GET /sender_group/list': () => ok([{ id: 1, group_name: '第一営業部' }]),
    'GET /sender/list': () =>
      ok([
        { id: 5, subject: 'ご提案', template_name: '初回', person_in_charge: '田中', template_id: 15 },
        { id: 6, subject: '年末のご案内', template_name: '年末', person_in_charge: '田中', template_id: 16 },
      ]),
    'GET /reservation/list': ({ query }) => {
      const one = query.get('where_info[id]');
      const from = query.get('where_info[send_at][gte]') ?? '';
      const wanted = [...pending.values()]
        .filter(({ id, send_at }) => (one === null || String(id) === one) && send_at >= from)
        .slice(0, Number(query.get('limit') ?? 200));
      const ofSender = query.get('where_info[sender_id]') === '6' ? [] : wanted;
      return ok(
        ofSender.map(({ companies, ...row }) => ({
          ...row,
          attack_list: companies.map((id) => ({ prospect_id: id })),
        })),
      );
    },
    'GET /prospect/view': ({ query }) => {
      const one = query.get('reservation_id');
      const shown = [...pending.values()].filter(({ id }) => one === null || String(id) === one);
      const rows = query.get('sender_id') === '6' ? [] : shown.flatMap(rowsOf);
      return ok({ rows, total: rows.length });
    },
    'PUT /reservation/31': () => {
      pending.delete(31);
      return ok({ status: 'updated' });
    },
    ...more,
  });
}
const rowsOf = ({ id, send_at, companies }: Held) =>
  companies.map((company) => prospect(company, { reservation_id: id, send_at: send_at.slice(0, 16) }));

const open = (search = '') => renderApp(`/?tab=reservations${search}`);
const select = () => screen.findByLabelText<HTMLSelectElement>('予約');
const options = async () => [...(await select()).options].map(({ textContent }) => textContent);
const choose = async (label: string) => {
  await screen.findByRole('option', { name: label });
  await userEvent.selectOptions(await select(), label);
};
const company = (name: string) => screen.findByRole('rowheader', { name });
const companies = () => screen.getAllByRole('rowheader').map(({ textContent }) => textContent);
const remove = () => userEvent.click(screen.getByRole('button', { name: '予約を削除' }));
const confirm = () => userEvent.click(within(screen.getByRole('dialog')).getByRole('button', { name: '予約を削除' }));
const viewsOf = (requests: readonly FakeRequest[]) => requests.filter(({ path }) => path === '/prospect/view');

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-11-20T12:00:00+09:00') });
  logInAs();
});
afterEach(() => vi.useRealTimers());

describe('reservation tab', () => {
  it('is the second of the three tabs', async () => {
    serve([]);
    await open();
    expect((await screen.findAllByRole('tab')).map(({ textContent }) => textContent)).toEqual([
      '見込み客リスト',
      '予約リスト',
      'アタックリスト',
    ]);
    expect(screen.getByRole('tab', { name: '予約リスト' }).getAttribute('aria-selected')).toBe('true');
  });

  it('offers more reservations than one answer contains, each once', async () => {
    const twoDigits = (value: number) => String(Math.floor(value)).padStart(2, '0');
    const timeOf = (index: number) =>
      `2026/12/${twoDigits(1 + index / 48)} ${twoDigits(8 + (index % 48) / 4)}:${twoDigits((index % 4) * 15)}:00`;
    const held = Array.from({ length: 401 }, (_, index): Held => {
      const at = Math.floor(index / 2);
      return { id: 100 + index, send_at: timeOf(at), test_send_mode: index % 2 === 0 ? 0 : 1, companies: [] };
    });
    serve(held);
    await open();
    await screen.findByRole('option', { name: timeOf(200).slice(0, 16) });
    const offered = await options();
    expect(offered).toHaveLength(402);
    expect(new Set(offered).size).toBe(402);
  });

  it('offers all first, then each reservation by the first 16 characters of its time, with tests marked', async () => {
    const requests = serve([REAL, TEST]);
    await open();
    await company('第4商事');
    expect(await options()).toEqual(['すべて表示', '2026/11/24 09:00', '2026/11/24 09:15（テスト）']);
    expect(companies()).toEqual(['第1商事', '第2商事', '第3商事', '第4商事']);
    expect(screen.getByText('該当 4社')).toBeDefined();
    expect(Object.fromEntries(viewsOf(requests)[0]?.query ?? [])).toEqual({
      sender_group_id: '1',
      sender_id: '5',
      pagenate_count: '50',
      pagenate_num: '1',
    });
    const asked = requests.find(({ path }) => path === '/reservation/list');
    expect(Object.fromEntries(asked?.query ?? [])).toMatchObject({
      'where_info[sender_id]': '5',
      'where_info[is_sent]': '0',
      'where_info[active]': '1',
    });
  });

  it('shows which was not sent and why, by the answer of the server and not by the clock of the browser', async () => {
    serve([
      { ...REAL, send_at: '2026/11/20 11:00:00', refused_reason: null, suppressed: 2, maybe_refused: 3, replied: 1 },
      { ...TEST, send_at: '2026/11/20 11:15:00', is_missed: 1, refused_reason: '件名が空です。' },
      { ...REAL, id: 33, companies: [], send_at: '2026/11/21 09:00:00', is_missed: 1, refused_reason: null },
      {
        ...REAL,
        id: 34,
        companies: [],
        send_at: '2026/11/21 09:15:00',
        is_missed: 0,
        refused_reason: '件名が空です。',
      },
    ]);
    await open();
    await company('第4商事');
    expect(await options()).toEqual([
      'すべて表示',
      '2026/11/20 11:00',
      '2026/11/20 11:15（テスト）（送信されませんでした）',
      '2026/11/21 09:00（送信されませんでした）',
      '2026/11/21 09:15',
    ]);
    const told = within(screen.getByRole('tabpanel')).getAllByRole('listitem');
    expect(told.map(({ textContent }) => textContent)).toEqual([
      '11/20（金）11:00の予約のうち2社は、配信停止のため送信しません。',
      '11/20（金）11:00の予約のうち3社は、返信の確認待ちです。会社の詳細で対応を選ぶまで、送信を保留します。',
      '11/20（金）11:00の予約のうち1社は、返信があったため送信しません。',
      '11/20（金）11:15の予約は、送信されませんでした。件名が空です。「予約」の画面で日時を変えるか、予約を削除してください。',
      '11/21（土）9:00の予約は、送信されませんでした。予約日時から60分以内に送信を始められませんでした。「予約」の画面で日時を変えるか、予約を削除してください。',
      '11/21（土）9:15の予約は、まだ送信できていません。件名が空です。原因が解消されると、予約日時から60分以内に限り自動で送信します。',
    ]);
  });

  it('marks the time of a test in its row', async () => {
    serve([REAL, TEST]);
    await open();
    const row = (await company('第4商事')).closest('tr') as HTMLElement;
    expect(within(row).getByText('テスト').closest('td')?.textContent).toBe('2026/11/24 09:15 テスト');
    expect(screen.getAllByText('テスト')).toHaveLength(1);
  });

  it('shows the companies of the chosen one, with the filters and the order of the screen', async () => {
    const requests = serve([REAL, TEST]);
    const { router } = await open('&address=東京');
    await choose('2026/11/24 09:15（テスト）');
    await waitFor(() => expect(companies()).toEqual(['第4商事']));
    expect(router.state.location.search).toContain('reservation=32');
    const header = screen.getByRole('columnheader', { name: /予約日時/ });
    const sorted: (string | null)[] = [];
    for (let click = 0; click < 3; click++) {
      fireEvent.click(within(header).getByRole('button'));
      await waitFor(() => expect(header.getAttribute('aria-sort')).toBe(['ascending', 'descending', null][click]));
      sorted.push(header.getAttribute('aria-sort'));
    }
    expect(sorted).toEqual(['ascending', 'descending', null]);
    await waitFor(() =>
      expect(viewsOf(requests).map(({ query }) => Object.fromEntries(query))).toContainEqual(
        expect.objectContaining({ reservation_id: '32', address: '東京', sort: 'send_at', order: 'desc' }),
      ),
    );
  });

  it('returns to the chosen one after a reload, without requesting all first', async () => {
    const requests = serve([REAL, TEST]);
    await open('&reservation=31');
    await company('第3商事');
    await waitFor(async () => expect((await select()).value).toBe('31'));
    expect(viewsOf(requests).map(({ query }) => query.get('reservation_id'))).toEqual(['31']);
  });

  it('offers neither a choice nor a deletion until the reservation in the address has loaded', async () => {
    const held = deferred();
    serve([REAL], { 'GET /reservation/list': () => held.answer });
    await open('&reservation=31');
    await company('第1商事');
    expect(await options()).toEqual(['読み込み中…']);
    await remove();
    expect(toastTextNow('alert')).toBe('');
    await act(async () => held.resolve(ok([{ id: 31, send_at: REAL.send_at, test_send_mode: 0 }])));
    expect((await select()).selectedOptions[0]?.textContent).toBe('2026/11/24 09:00');
    await remove();
    await screen.findByRole('dialog', { name: '予約の削除' });
  });

  it('shows all when the reservation in the address no longer exists', async () => {
    serve([REAL]);
    await open('&reservation=999');
    await company('第1商事');
    expect((await select()).selectedOptions[0]?.textContent).toBe('すべて表示');
  });

  it('shows the remedy when nothing is reserved, or when the filters hide everything', async () => {
    serve([], { 'GET /prospect/view': () => ok({ rows: [], total: 0 }) });
    const first = await open();
    expect(await screen.findByText('このテンプレートの予約はありません')).toBeDefined();
    expect(screen.getByText(/予約モードをオンにすると/)).toBeDefined();
    first.unmount();
    serve([REAL], { 'GET /prospect/view': () => ok({ rows: [], total: 0 }) });
    await open('&address=nowhere');
    expect(await screen.findByText('条件に合う予約中の見込み客がありません')).toBeDefined();
  });

  it('shows the reservations of the template chosen above', async () => {
    serve([REAL]);
    await open();
    await company('第1商事');
    await userEvent.selectOptions(screen.getByLabelText('テンプレート'), '年末 — 年末のご案内（田中）');
    expect(await screen.findByText('このテンプレートの予約はありません')).toBeDefined();
    await waitFor(async () => expect(await options()).toEqual(['すべて表示']));
  });

  it('does not change the page of the prospect list', async () => {
    usePaging.setState({ pagenate_num: 3 });
    const requests = serve([REAL], { 'GET /prospect/view': () => ok({ rows: rowsOf(REAL), total: 120 }) });
    await open();
    await company('第1商事');
    fireEvent.click(screen.getByRole('button', { name: '次のページ' }));
    await screen.findByText('51–100 / 120件');
    await choose('2026/11/24 09:00');
    await screen.findByText('1–50 / 120件');
    // During the request the count on screen may be that of the previous page.
    await waitFor(() =>
      expect(viewsOf(requests).map(({ query }) => query.get('pagenate_num'))).toEqual(['1', '2', '1']),
    );
    expect(usePaging.getState().pagenate_num).toBe(3);
  });

  it('returns to its page after a reload; another list or tab starts at the first', async () => {
    const requests = serve([REAL], { 'GET /prospect/view': () => ok({ rows: rowsOf(REAL), total: 120 }) });
    const { router } = await open('&page=2');
    const place = () => new URLSearchParams(router.state.location.search).get('page');
    await screen.findByText('51–100 / 120件');
    fireEvent.click(screen.getByRole('button', { name: '次のページ' }));
    await screen.findByText('101–120 / 120件');
    expect(place()).toBe('3');
    await userEvent.selectOptions(screen.getByLabelText('テンプレート'), '年末 — 年末のご案内（田中）');
    await screen.findByText('1–50 / 120件');
    await waitFor(() => expect(place()).toBeNull());
    expect(viewsOf(requests).map(({ query }) => `${query.get('sender_id')} ${query.get('pagenate_num')}`)).toEqual([
      '5 2',
      '5 3',
      '6 1',
    ]);
    fireEvent.click(screen.getByRole('button', { name: '次のページ' }));
    await waitFor(() => expect(place()).toBe('2'));
    await userEvent.click(screen.getByRole('tab', { name: '見込み客リスト' }));
    expect(place()).toBeNull();
  });

  it('can be reloaded after a failed request', async () => {
    let down = true;
    const list = () => ok([{ id: 31, send_at: REAL.send_at, test_send_mode: 0 }]);
    serve([REAL], { 'GET /reservation/list': () => (down ? refused(400, '予約を読めません') : list()) });
    await open();
    // Shown in place of the rows, without a toast.
    expect(await screen.findByText('予約を読めません。')).toBeDefined();
    expect(screen.queryByText('予約を読めません')).toBeNull();
    down = false;
    await userEvent.click(await screen.findByRole('button', { name: '再読み込み' }));
    await company('第1商事');
  });
});

describe('deleting a reservation', () => {
  it('§5.17, 8.10 warns while nothing is chosen', async () => {
    serve([REAL]);
    await open();
    await company('第1商事');
    await remove();
    expect(await toastText('alert')).toBe('削除対象が選択されていません');
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  it('shows which reservation and how many companies, ignoring the filters', async () => {
    serve([REAL], { 'GET /prospect/view': () => ok({ rows: [prospect(1)], total: 1 }) });
    await open('&reservation=31&address=東京');
    await screen.findByRole('option', { name: '2026/11/24 09:00' });
    await remove();
    const dialog = within(await screen.findByRole('dialog', { name: '予約の削除' }));
    expect(await dialog.findByText('3社')).toBeDefined();
    expect(dialog.getByText(`${sentenceTime('2026/11/24 09:00')}`)).toBeDefined();
    expect(dialog.getByText('ご提案')).toBeDefined();
    expect(dialog.getByText('本当に予約を削除しますか？')).toBeDefined();
    await waitFor(() => expect(document.activeElement?.textContent).toBe('キャンセル'));
    await userEvent.keyboard('{Escape}');
    expect(screen.queryByRole('dialog')).toBeNull();
    await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('button', { name: '予約を削除' })));
  });

  it('names a test reservation a test', async () => {
    serve([TEST]);
    await open('&reservation=32');
    await screen.findByRole('option', { name: '2026/11/24 09:15（テスト）' });
    await remove();
    const dialog = within(await screen.findByRole('dialog', { name: 'テスト予約の削除' }));
    expect(dialog.getByText(`${sentenceTime('2026/11/24 09:15')}（テスト）`)).toBeDefined();
  });

  it('§8.11 deletes it, reports it, and reloads what depends on it', async () => {
    queryClient.setQueryData([ATTACK_LIST], {});
    const requests = serve([REAL, TEST]);
    const { router } = await open('&reservation=31');
    await screen.findByRole('option', { name: '2026/11/24 09:00' });
    await remove();
    await within(screen.getByRole('dialog')).findByText('3社');
    const put = requests.length;
    await confirm();
    expect((await screen.findByText('予約が削除されました')).closest('[role=status]')).not.toBeNull();
    expect(screen.queryByRole('dialog')).toBeNull();
    await waitFor(() => expect(companies()).toEqual(['第4商事']));
    expect(await options()).toEqual(['すべて表示', '2026/11/24 09:15（テスト）']);
    expect(router.state.location.search).not.toContain('reservation=');
    const after = requests.slice(put);
    expect(after[0]).toMatchObject({ method: 'PUT', body: { update_info: { active: 0 } } });
    expect(after.some(({ path }) => path === '/reservation/list')).toBe(true);
    expect(queryClient.getQueryState([ATTACK_LIST])?.isInvalidated).toBe(true);
  });

  it('ignores a second click and Escape while its request is running', async () => {
    const answer = deferred();
    const requests = serve([REAL], { 'PUT /reservation/31': () => answer.answer });
    await open('&reservation=31');
    await screen.findByRole('option', { name: '2026/11/24 09:00' });
    await remove();
    await within(screen.getByRole('dialog')).findByText('3社');
    await confirm();
    await confirm();
    await userEvent.keyboard('{Escape}');
    expect(screen.queryByRole('dialog')).not.toBeNull();
    await act(async () => answer.resolve(ok({ status: 'updated' })));
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(requests.filter(({ method }) => method === 'PUT')).toHaveLength(1);
  });

  it('is not offered before the number of companies is known', async () => {
    let known = false;
    const requests = serve([REAL], {
      'GET /reservation/list': ({ query }): FakeAnswer =>
        query.has('where_info[id]') && !known
          ? refused(400, '件数を取得できませんでした')
          : ok([{ id: 31, send_at: REAL.send_at, test_send_mode: 0, attack_list: [{}, {}] }]),
    });
    await open('&reservation=31');
    await screen.findByRole('option', { name: '2026/11/24 09:00' });
    await remove();
    expect(await toastText('alert')).toBe('件数を取得できませんでした');
    await confirm();
    expect(requests.filter(({ method }) => method === 'PUT')).toEqual([]);
    known = true;
    await userEvent.click(within(screen.getByRole('dialog')).getByRole('button', { name: '再読み込み' }));
    expect(await within(screen.getByRole('dialog')).findByText('2社')).toBeDefined();
  });

  it.each([
    ['lost', 'network', /^サーバーに接続できませんでした/, true],
    ['refused as too late', refused(409, 'この予約の送信はすでに始まっています'), /^この予約の送信は/, false],
    ['refused as unknown', refused(404, '見つかりません'), /^見つかりません/, false],
  ] as const)('stays open if it can be retried: %s', async (_, answer, message, stays) => {
    const requests = serve([REAL], { 'PUT /reservation/31': () => answer });
    await open('&reservation=31');
    await screen.findByRole('option', { name: '2026/11/24 09:00' });
    await remove();
    await within(screen.getByRole('dialog')).findByText('3社');
    const before = requests.length;
    await confirm();
    expect(await toastText('alert')).toMatch(message);
    expect(screen.queryByRole('dialog') !== null).toBe(stays);
    if (!stays) await waitFor(() => expect(requests.length).toBeGreaterThan(before + 1));
    expect(screen.queryByText('予約が削除されました')).toBeNull();
  });
});
