import { act, cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { deferred, type FakeAnswer, fakeApi, ok, refused } from '#test/web/fake-api.ts';
import { renderPart, showsTheirChanges, theirChanges, toastText } from '#test/web/render.tsx';
import { LINKS, logInAs, prospect } from '#test/web/samples.ts';
import { queryClient } from '#web/lib/api/query-client.ts';
import { goToPage, usePaging } from '#web/lib/screen/paging-state.ts';
import { keep } from '#web/lib/session/kept.ts';
import { useSession } from '#web/lib/session/session-store.ts';
import { ProspectList } from './prospect-list.tsx';

const FIRST = { sender_group_id: 1, pagenate_count: 50, pagenate_num: 1 };
const none = () => undefined;

const list = (query: Parameters<typeof ProspectList>[0]['query'] = FIRST, props = {}) => (
  <ProspectList
    query={query}
    status={undefined}
    sort={{}}
    onStatus={none}
    onSort={none}
    onPage={goToPage}
    onClear={none}
    onExport={none}
    onAttackList={none}
    links={LINKS}
    {...props}
  />
);
const view = (rows = [prospect(1), prospect(2)], total = rows.length) => ({
  'GET /prospect/view': (): FakeAnswer => ok({ rows, total }),
});
const switchOf = (company: string) => screen.findByRole('switch', { name: `${company}への配信` });

beforeEach(() => logInAs());

describe('prospect list', () => {
  it('§2.22 shows the columns of the specification in its order, and the status after 会社名', async () => {
    fakeApi(view());
    renderPart(list());
    await switchOf('第1商事');
    const headers = screen.getAllByRole('columnheader').map(({ textContent }) => textContent?.replace(/（.*）/, ''));
    expect(headers.join(' ').trim()).toBe(
      '有効 最終送信日時 予約日時 会社名 ステータス 備考 代表メール 代表者 業種 内部業種 住所 従業員数 売上高 経常利益 資本金 設立年 会社URL 問い合わせURL 公開元URL 確認日 営業お断り',
    );
    const cells = within(screen.getAllByRole('row')[1] as HTMLElement).getAllByRole('gridcell');
    expect(cells.map(({ textContent }) => textContent).slice(11, 16)).toEqual([
      '1,200',
      '1億',
      '-500万',
      '1,000万',
      '1985',
    ]);
    expect(cells[12]?.title).toBe('100,000,000');
    expect(screen.getByText('該当 2社')).toBeDefined();
  });

  it('keeps columns narrow until a page has a value there, and wide on the pages after it', async () => {
    const pages = [[prospect(1)], [prospect(2, { status: 'sent', sent_at: '2026/11/20 10:15' })], [prospect(3)]];
    fakeApi({
      'GET /prospect/view': ({ query }) => ok({ rows: pages[Number(query.get('pagenate_num')) - 1], total: 150 }),
    });
    const { rerender } = renderPart(list());
    const widths = () => screen.getByRole('grid').style.getPropertyValue('--widths').split(' ').slice(2, 7).join(' ');
    const shortened = () =>
      screen.getAllByRole('columnheader').flatMap(({ dataset, title }) => (dataset.short === undefined ? [] : title));
    // The sample has no remarks, no contact address, and nothing of where its address was published.
    const empty = ['問い合わせURL', '公開元URL', '確認日', '営業お断り'];
    // Before the answer the columns have the widths of most lists.
    expect(screen.getByRole('grid').style.getPropertyValue('--widths')).toContain('237px 118px');
    await switchOf('第1商事');
    expect(widths()).toBe('44px 44px 288px 94px 88px');
    expect(shortened()).toEqual(['最終送信日時', '予約日時', ...empty]);
    expect(screen.getByRole('columnheader', { name: '最終送信日時' }).dataset.short).toBe('true');
    for (const pagenate_num of [2, 3]) {
      rerender(list({ ...FIRST, pagenate_num }));
      await switchOf(`第${pagenate_num}商事`);
      expect(widths()).toBe('141px 44px 288px 162px 88px');
      expect(shortened()).toEqual(['予約日時', ...empty]);
    }
    rerender(list({ ...FIRST, address: '東京' }));
    await switchOf('第1商事');
    expect(widths()).toBe('44px 44px 288px 94px 88px');
  });

  it('sorts by a column that is narrow, and keeps the width that a person gave to it', async () => {
    keep('columns', JSON.stringify({ hidden: [], widths: { send_at: 130 } }));
    fakeApi(view());
    const onSort = vi.fn();
    renderPart(list(FIRST, { onSort }));
    await switchOf('第1商事');
    await userEvent.click(screen.getByRole('button', { name: '最終送信日時' }));
    expect(onSort).toHaveBeenCalledWith({ sort: 'sent_at', order: 'asc' });
    expect(screen.getByRole('columnheader', { name: '予約日時' }).title).toBe('');
    expect(screen.getByRole('grid').style.getPropertyValue('--widths').split(' ')[3]).toBe('130px');
    localStorage.clear();
  });

  it('links only to web addresses', async () => {
    const urls = ['javascript:alert(1)', 'http://', 'www.example.jp', 'https://ok.example.jp/a'];
    fakeApi(view(urls.map((company_url, index) => prospect(index + 1, { company_url }))));
    renderPart(list());
    await switchOf('第1商事');
    const links = screen.getAllByRole('link').filter((link) => link.dataset.company === undefined);
    expect(links.map((link) => link.getAttribute('href'))).toEqual(['https://ok.example.jp/a']);
    expect(links[0]?.getAttribute('rel')).toBe('noopener noreferrer');
  });

  it('shows the remedy if the account has no company', async () => {
    fakeApi(view([]));
    renderPart(list());
    expect(await screen.findByText('見込み客がまだ登録されていません')).toBeDefined();
    expect(screen.getByText(/取り込むか、1社ずつ追加してください/)).toBeDefined();
    expect(screen.queryByRole('button', { name: '条件をクリア' })).toBeNull();
  });

  it('reloads when a user returns to an empty list', async () => {
    let rows: ReturnType<typeof prospect>[] = [];
    fakeApi({ 'GET /prospect/view': () => ok({ rows, total: rows.length }) });
    renderPart(list());
    await screen.findByText('見込み客がまだ登録されていません');
    rows = [prospect(1)];
    cleanup();
    renderPart(list());
    expect(await switchOf('第1商事')).toBeDefined();
  });

  it.each([
    [{ ...FIRST, address: '無い' }, {}],
    [{ ...FIRST, status: 'sent' as const }, { status: 'sent' as const }],
  ])('shows when nothing matches, and clears the condition: %j', async (query, props) => {
    fakeApi(view([]));
    const onClear = vi.fn();
    renderPart(list(query, { ...props, onClear }));
    expect(await screen.findByText('条件に合う見込み客がありません')).toBeDefined();
    expect(screen.getByText('該当 0社')).toBeDefined();
    await userEvent.click(screen.getByRole('button', { name: '条件をクリア' }));
    expect(onClear).toHaveBeenCalledOnce();
  });

  it.each([
    [{ status: 'sent', sent_at: '2026/11/20 10:15' }, '送信済み 11/20'],
    [{ status: 'undeliverable', sent_at: '2026/11/20 10:15' }, '届きません'],
    [{ status: 'archived' }, 'アーカイブ済み'],
    [{ status: 'unsent' }, '未送信'],
  ] as const)('shows the status of a company: %j', async (values, word) => {
    fakeApi(view([prospect(1, values)]));
    renderPart(list());
    await switchOf('第1商事');
    expect(screen.getByRole('gridcell', { name: word })).toBeDefined();
  });

  it.each(['undeliverable', 'suppressed'] as const)('leads from %s to its reason', async (status) => {
    fakeApi(view([prospect(1, { status })]));
    renderPart(list());
    await switchOf('第1商事');
    const link = screen.getByTitle('理由を表示');
    expect([link.tagName, link.getAttribute('href')]).toEqual([
      'A',
      screen.getByRole('link', { name: '第1商事' }).getAttribute('href'),
    ]);
  });

  it('can be reloaded after a failure, which is reported', async () => {
    let down = true;
    fakeApi({
      'GET /prospect/view': () => (down ? refused(400, '条件を読めません') : ok({ rows: [prospect(1)], total: 1 })),
    });
    renderPart(list());
    await screen.findByText('条件を読めません。');
    down = false;
    await userEvent.click(await screen.findByRole('button', { name: '再読み込み' }));
    expect(await switchOf('第1商事')).toBeDefined();
  });

  it('opens the last page when its own no longer exists', async () => {
    usePaging.setState({ pagenate_num: 9 });
    fakeApi(view([], 120));
    renderPart(list({ ...FIRST, pagenate_num: 9 }));
    await waitFor(() => expect(usePaging.getState().pagenate_num).toBe(3));
  });

  it('shows in its pager the page whose rows are on screen', async () => {
    const second = deferred();
    fakeApi({
      'GET /prospect/view': ({ query }) =>
        query.get('pagenate_num') === '2' ? second.answer : ok({ rows: [prospect(1)], total: 60 }),
    });
    const { rerender } = renderPart(list());
    const selected = () => screen.getByRole('button', { current: 'page' }).textContent;
    expect(await screen.findByText('1–50 / 60件')).toBeDefined();
    rerender(list({ ...FIRST, pagenate_num: 2 }));
    expect([screen.queryByText('1–50 / 60件') !== null, selected()]).toEqual([true, '1']);
    second.resolve(ok({ rows: [prospect(51)], total: 60 }));
    expect(await screen.findByText('51–60 / 60件')).toBeDefined();
    expect(selected()).toBe('2');
  });

  it('§4.19 starts at page 1 with another page size', async () => {
    usePaging.setState({ pagenate_num: 3 });
    fakeApi(view([prospect(1)], 1234));
    renderPart(list({ ...FIRST, pagenate_num: 3 }));
    expect(await screen.findByText('101–150 / 1,234件')).toBeDefined();
    const size = screen.getByLabelText('表示件数');
    expect([...size.querySelectorAll('option')].map(({ value }) => value)).toEqual(['20', '50', '100', '200']);
    fireEvent.change(size, { target: { value: '200' } });
    expect(usePaging.getState()).toMatchObject({ pagenate_count: 200, pagenate_num: 1 });
    fireEvent.click(screen.getByRole('button', { name: '次のページ' }));
    expect(usePaging.getState().pagenate_num).toBe(4);
    for (const name of ['最初のページ', '前のページ', '最後のページ', '1ページ目']) {
      expect(screen.getByRole('button', { name })).toBeDefined();
    }
  });

  it('§3.2 keeps the old page on screen until the next has loaded, but not that of another group', async () => {
    const next = deferred();
    fakeApi({
      'GET /prospect/view': ({ query }) =>
        query.get('pagenate_num') === '1' && query.get('sender_group_id') === '1'
          ? ok({ rows: [prospect(1)], total: 60 })
          : next.answer,
    });
    const screenView = renderPart(list());
    await switchOf('第1商事');
    screenView.rerender(list({ ...FIRST, pagenate_num: 2 }));
    expect(screen.queryByText('第1商事')).not.toBeNull();
    screenView.rerender(list({ ...FIRST, sender_group_id: 2 }));
    expect(screen.queryByText('第1商事')).toBeNull();
    await act(async () => next.resolve(ok({ rows: [], total: 0 })));
  });
});

describe('the cards of a phone', () => {
  it('show one line of a company, and the rest after a press', async () => {
    vi.stubGlobal('matchMedia', () => ({ matches: true, addEventListener: none, removeEventListener: none }));
    fakeApi(view([prospect(1, { status: 'sent', sent_at: '2026/11/20 10:15', address: '東京都港区1-2' })]));
    renderPart(list());
    await switchOf('第1商事');
    const cells = () => screen.getAllByRole('gridcell').map(({ textContent }) => textContent);
    const folded = cells();
    expect(folded).toContainEqual(expect.stringMatching(/^送信済み 11\/20.+ · 東京都$/));
    expect(folded).toHaveLength(4);
    const unfold = screen.getByRole('button', { name: '第1商事のほかの項目' });
    await userEvent.click(unfold);
    expect(unfold.getAttribute('aria-expanded')).toBe('true');
    expect(cells()).toEqual(expect.arrayContaining(['東京都港区1-2', '2026/11/20 10:15']));
    await userEvent.click(unfold);
    expect(cells()).toEqual(folded);
  });
});

describe('the switch of a row', () => {
  it('§2.17 acts at once, ignores changes while its request runs and keeps the focus', async () => {
    const answer = deferred();
    const requests = fakeApi({ ...view(), 'POST /active_prospect/': () => answer.answer });
    renderPart(list());
    const toggle = (await switchOf('第1商事')) as HTMLInputElement;
    toggle.focus();
    await userEvent.click(toggle);
    expect(toggle.checked).toBe(false);
    expect(toggle.getAttribute('aria-disabled')).toBe('true');
    await userEvent.click(toggle);
    await userEvent.keyboard(' ');
    expect(toggle.checked).toBe(false);
    expect(document.activeElement).toBe(toggle);
    expect((await switchOf('第2商事')).getAttribute('aria-disabled')).toBeNull();

    await act(async () => answer.resolve(ok({ status: 'added' })));
    await waitFor(() => expect(toggle.getAttribute('aria-disabled')).toBeNull());
    expect(toggle.checked).toBe(false);
    expect(requests.filter(({ method }) => method === 'POST').map(({ body }) => body)).toEqual([
      {
        add_info: { prospect_id: 1, sender_group_id: 1, active: 0 },
        duplicate_key_update_info: { active: 0 },
      },
    ]);
  });

  it.each([
    ['is saved', ok({ status: 'updated' }), false],
    ['is refused', refused(409, '変更できませんでした'), true],
  ])('aborts no loading list when it %s', async (_how, saved, stays) => {
    const save = deferred();
    const lists = [deferred(), deferred()];
    let asked = 0;
    fakeApi({
      'GET /prospect/view': ({ query }) =>
        query.has('address') ? (lists[asked++]?.answer ?? 'network') : ok({ rows: [prospect(1)], total: 1 }),
      'POST /active_prospect/': () => save.answer,
    });
    const screenView = renderPart(list());
    const toggle = (await switchOf('第1商事')) as HTMLInputElement;
    screenView.rerender(list({ ...FIRST, address: '東京' }));
    await waitFor(() => expect(asked).toBe(1));
    await userEvent.click(toggle);
    expect(toggle.checked).toBe(false);
    await act(async () => save.resolve(saved));
    await waitFor(() => expect(asked).toBe(2));
    // The first request was pending when the flag was saved, so its answer must be ignored.
    await act(async () => lists[0]?.resolve(ok({ rows: [prospect(1)], total: 1 })));
    const rows = [prospect(1, { active: stays ? 1 : 0 }), prospect(2)];
    await act(async () => lists[1]?.resolve(ok({ rows, total: 2 })));
    expect(await switchOf('第2商事')).toBeDefined();
    expect(await switchOf('第1商事')).toHaveProperty('checked', stays);
    expect(screen.getByText('該当 2社')).toBeDefined();
  });

  it('shows the value being saved, whatever a list returns meanwhile', async () => {
    const save = deferred();
    fakeApi({ ...view([prospect(1)]), 'POST /active_prospect/': () => save.answer });
    renderPart(list());
    const toggle = (await switchOf('第1商事')) as HTMLInputElement;
    await userEvent.click(toggle);
    await act(() => queryClient.refetchQueries());
    expect(toggle.checked).toBe(false);
    await act(async () => save.resolve(ok({ status: 'updated' })));
    await waitFor(() => expect(toggle.getAttribute('aria-disabled')).toBeNull());
    expect(toggle.checked).toBe(false);
  });

  it('§2.17 reverts when the server refuses, and shows why', async () => {
    fakeApi({ ...view(), 'POST /active_prospect/': () => refused(409, '変更できませんでした') });
    renderPart(list());
    const toggle = (await switchOf('第2商事')) as HTMLInputElement;
    await userEvent.click(toggle);
    expect(await toastText('alert')).toBe('変更できませんでした');
    expect(toggle.checked).toBe(true);
    expect(toggle.getAttribute('aria-disabled')).toBeNull();
  });
});

describe('remarks', () => {
  const edit = async () => userEvent.click(await screen.findByRole('button', { name: /第1商事の備考を編集/ }));
  const editor = () => screen.findByRole('textbox', { name: '第1商事の備考' });

  it('are saved by Enter and return the focus', async () => {
    const requests = fakeApi({ ...view(), 'POST /active_prospect/': () => ok({ status: 'updated' }) });
    renderPart(list());
    await edit();
    await userEvent.type(await editor(), '来週{Shift>}{Enter}{/Shift}再連絡{Enter}');
    const button = await screen.findByRole('button', { name: /第1商事の備考を編集/ });
    expect(button.textContent).toMatch(/^来週\n再連絡/);
    expect(document.activeElement).toBe(button);
    expect(requests.at(-1)?.body).toMatchObject({ duplicate_key_update_info: { remarks: '来週\n再連絡' } });
  });

  it('are not saved by the Enter that ends an IME conversion', async () => {
    fakeApi(view());
    renderPart(list());
    await edit();
    fireEvent.change(await editor(), { target: { value: '電話' } });
    fireEvent.keyDown(await editor(), { key: 'Enter', isComposing: true });
    // Safari reports only `code` for the key that ends a composition.
    fireEvent.keyDown(await editor(), { key: 'Enter', keyCode: 229 });
    fireEvent.keyDown(await editor(), { key: 'Escape', keyCode: 229 });
    expect(await editor()).toHaveProperty('value', '電話');
  });

  it('stay as they were after Escape', async () => {
    fakeApi(view([prospect(1, { remarks: '前のまま' })]));
    renderPart(list());
    await edit();
    await userEvent.type(await editor(), '消える{Escape}');
    const button = await screen.findByRole('button', { name: /第1商事の備考を編集/ });
    expect(button.textContent).toMatch(/^前のまま/);
  });

  it('are neither cut nor sent while they are too long, which is shown at the field', async () => {
    const requests = fakeApi({ ...view(), 'POST /active_prospect/': () => ok({ status: 'updated' }) });
    renderPart(list());
    await edit();
    const saves = () => requests.filter(({ method }) => method === 'POST').map(({ body }) => body);
    fireEvent.change(await editor(), { target: { value: '長'.repeat(1001) } });
    for (const leave of [fireEvent.blur, () => userEvent.keyboard('{Enter}')]) await leave(await editor());
    const told = '備考は1,000文字までです（現在1,001文字）';
    const field = screen.getByRole('textbox', { name: '第1商事の備考', description: told });
    expect([field.getAttribute('aria-invalid'), saves()]).toEqual(['true', []]);
    fireEvent.change(field, { target: { value: '長'.repeat(1000) } });
    expect(screen.queryByText(told)).toBeNull();
    fireEvent.blur(field);
    await screen.findByRole('button', { name: /第1商事の備考を編集/ });
    expect(saves()).toMatchObject([{ duplicate_key_update_info: { remarks: '長'.repeat(1000) } }]);
  });

  it('are not lost when they cannot be saved', async () => {
    fakeApi({ ...view(), 'POST /active_prospect/': () => refused(400, '使えない文字が含まれています') });
    renderPart(list());
    await edit();
    await userEvent.type(await editor(), 'だいじなこと{Enter}');
    expect(await toastText('alert')).toBe('使えない文字が含まれています');
    expect(await editor()).toHaveProperty('value', 'だいじなこと');
    expect((await editor()).getAttribute('aria-invalid')).toBe('true');
    const note = document.getElementById((await editor()).getAttribute('aria-describedby')?.split(' ')[0] ?? '');
    expect(note?.textContent).toBe('使えない文字が含まれています');
    expect(queryClient.getQueriesData({ queryKey: ['prospect_list'] })[0]?.[1]).toMatchObject({
      rows: [{ remarks: '' }, {}],
    });
    await userEvent.type(await editor(), '！');
    expect((await editor()).getAttribute('aria-invalid')).toBeNull();
  });

  describe('that another member has changed meanwhile', () => {
    const TOLD = '佐藤 花子さんが11/27（金）10:02に備考を変更しました。内容を確かめてから、保存してください';
    /** Lets the second member type and press Enter, after the first has saved. */
    async function meet(typed = 'Bが資料を送った') {
      const theirs = { remarks: 'Aが電話した', remarks_version: 'r2' };
      const requests = fakeApi({
        ...view(),
        'GET /active_prospect/list': () => ok([{ prospect_id: 1, sender_group_id: 1, active: 1, ...theirs }]),
        'POST /active_prospect/': ({ body }) =>
          (body as { version: string }).version === 'r2'
            ? ok({ status: 'updated', version: 'r3' })
            : refused(409, `${TOLD}。`, 'remarks_changed'),
      });
      renderPart(list());
      await edit();
      await userEvent.type(await editor(), `${typed}{Enter}`);
      return requests;
    }
    const notice = async () => within(await theirChanges());
    const press = async (name: string) => userEvent.click((await notice()).getByRole('button', { name }));
    const saves = (requests: Awaited<ReturnType<typeof meet>>) =>
      requests.filter(({ method }) => method === 'POST').map(({ body }) => body);

    it('are shown beside the typed text, which only a button saves', async () => {
      const requests = await meet();
      expect((await notice()).getByText(TOLD)).toBeDefined();
      expect((await notice()).getByText('Aが電話した')).toBeDefined();
      expect(await editor()).toHaveProperty('value', 'Bが資料を送った');
      await userEvent.keyboard('{Enter}');
      fireEvent.blur(await editor());
      expect(saves(requests)).toHaveLength(1);
      await press('入力した内容で上書き');
      const button = await screen.findByRole('button', { name: /第1商事の備考を編集/ });
      expect(button.textContent).toMatch(/^Bが資料を送った/);
      expect(saves(requests)).toMatchObject([
        { version: 'r1', duplicate_key_update_info: { remarks: 'Bが資料を送った' } },
        { version: 'r2', duplicate_key_update_info: { remarks: 'Bが資料を送った' } },
      ]);
    });

    it('both stay, on demand', async () => {
      const requests = await meet();
      await press('両方を残す');
      const button = await screen.findByRole('button', { name: /第1商事の備考を編集/ });
      expect(button.textContent).toMatch(/^Aが電話した\nBが資料を送った/);
      expect(saves(requests).at(-1)).toMatchObject({ version: 'r2' });
    });

    it('replace the typed text, on demand', async () => {
      const requests = await meet();
      await press('相手の内容を読み込む');
      const button = await screen.findByRole('button', { name: /第1商事の備考を編集/ });
      expect(button.textContent).toMatch(/^Aが電話した/);
      expect(saves(requests)).toHaveLength(1);
    });

    it('are shown also after a reload of the page, which keeps the typed text', async () => {
      await meet();
      await notice();
      cleanup();
      queryClient.clear();
      fakeApi(view([prospect(1, { remarks: 'Aが電話した', remarks_version: 'r2' }), prospect(2)]));
      renderPart(list());
      expect((await notice()).getByText('Aが電話した')).toBeDefined();
      expect(await editor()).toHaveProperty('value', 'Bが資料を送った');
    });

    it('to the same words are no conflict', async () => {
      fakeApi({ ...view(), 'POST /active_prospect/': () => ok({ status: 'updated', version: 'r2' }) });
      renderPart(list());
      await edit();
      await userEvent.type(await editor(), '同じ');
      act(() => {
        queryClient.setQueriesData({ queryKey: ['prospect_list'] }, () => ({
          rows: [prospect(1, { remarks: '同じ', remarks_version: 'r2' })],
          total: 1,
        }));
      });
      expect(showsTheirChanges()).toBe(false);
      await userEvent.keyboard('{Enter}');
      expect(await screen.findByRole('button', { name: /第1商事の備考を編集/ })).toBeDefined();
    });
  });

  it('that were typed are restored by a reload, and do not take the focus', async () => {
    fakeApi(view());
    renderPart(list());
    await edit();
    await userEvent.type(await editor(), '書きかけ');
    cleanup();
    renderPart(list());
    expect(await editor()).toHaveProperty('value', '書きかけ');
    expect(document.activeElement).toBe(document.body);
  });

  it('leave no draft when their row disappears before they are saved', async () => {
    const answer = deferred();
    fakeApi({ ...view(), 'POST /active_prospect/': () => answer.answer });
    renderPart(list());
    await edit();
    await userEvent.type(await editor(), '来週{Enter}');
    cleanup();
    await act(async () => answer.resolve(ok({ status: 'updated' })));
    expect(useSession.getState().drafts).toEqual({});
  });
});
