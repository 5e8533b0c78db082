import { act, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { type FakeAnswer, type FakeRequest, fakeApi, ok, refused } from '#test/web/fake-api.ts';
import { renderPart, toastText } from '#test/web/render.tsx';
import { LINKS, logInAs, prospect } from '#test/web/samples.ts';
import { ProspectList } from './prospect-list.tsx';

const FIRST = { sender_group_id: 1, address: '東京', pagenate_count: 20, pagenate_num: 1 };
const none = () => undefined;
const onExport = vi.fn();
const onAttackList = vi.fn();

const list = (query: Parameters<typeof ProspectList>[0]['query'] = FIRST, props = {}) => (
  <ProspectList
    query={query}
    status={undefined}
    sort={{}}
    onStatus={none}
    onSort={none}
    onPage={none}
    links={LINKS}
    onClear={none}
    onExport={onExport}
    onAttackList={onAttackList}
    {...props}
  />
);

const UNCHANGED = { already: 0, not_found: 0, no_email: 0, too_long: 0, too_many: 0 };
const answer = (changed: number, unchanged = {}, pending = {}) => ({
  matched: changed,
  changed,
  unchanged: { ...UNCHANGED, ...unchanged },
  reserved: 0,
  queued: 0,
  ...pending,
});

/** Serves two of 300 companies. `bulk` answers the check and the action. */
function serve(bulk: (body: Record<string, unknown>) => FakeAnswer = () => ok(answer(2))): FakeRequest[] {
  return fakeApi({
    'GET /prospect/view': () => ok({ rows: [prospect(1), prospect(2)], total: 300 }),
    'POST /prospect/bulk': ({ body }) => bulk(body as Record<string, unknown>),
  });
}

const box = (name: string) => screen.findByRole<HTMLInputElement>('checkbox', { name });
const PAGE = 'このページのすべてを選択';
const press = async (name: string) => userEvent.click(await screen.findByRole('button', { name }));
const confirm = async (name: string) =>
  userEvent.click(await within(await screen.findByRole('dialog')).findByRole('button', { name }));
const acts = (requests: FakeRequest[]) =>
  requests.filter(({ path }) => path === '/prospect/bulk').map(({ body }) => body);

beforeEach(() => {
  logInAs();
  onExport.mockClear();
});

describe('the selection of companies', () => {
  it('takes a row, the page, then all that match', async () => {
    const requests = serve();
    renderPart(list());
    await userEvent.click(await box('第1商事を選択'));
    expect(await screen.findByText('1社を選択中')).toBeDefined();
    expect(await box(PAGE)).toMatchObject({ checked: false, indeterminate: true });
    await userEvent.click(await box(PAGE));
    expect(await screen.findByText('2社を選択中')).toBeDefined();
    await press('この条件の300社をすべて選択');
    expect(await screen.findByText('300社を選択中')).toBeDefined();
    await press('無効にする');
    await confirm('無効にする');
    expect(await toastText('status')).toBe('2社の配信を無効にしました');
    const act = { act: 'deactivate', sender_group_id: 1, condition: { address: '東京' } };
    expect(acts(requests)).toEqual([{ ...act, dry_run: 1 }, act]);
  });

  it('gets tags: a chosen one, and one that Enter makes', async () => {
    const TAGS = [{ id: 3, label: '重点', colour: 1, archived: 0, companies: null, version: 'v1' }];
    const requests = fakeApi({
      'GET /prospect/view': () => ok({ rows: [prospect(1), prospect(2)], total: 300 }),
      'GET /tag/list': () => ok(TAGS),
      'POST /tag': () => ok({ status: 'added', id: 9 }),
      'POST /prospect/bulk': () => ok(answer(1, { too_many: 1 })),
    });
    renderPart(list());
    await userEvent.click(await box(PAGE));
    await press('タグを付ける');
    const tags = await screen.findByRole('combobox', { name: 'タグ' });
    await userEvent.click(await screen.findByRole('option', { name: '重点' }));
    await userEvent.type(tags, '秋{Enter}');
    await waitFor(() => expect(screen.getAllByRole('button', { name: /を選択から外す$/ })).toHaveLength(2));
    await confirm('タグを付ける');
    expect(await screen.findByText('1社は変更できませんでした（タグが多すぎる）')).toBeDefined();
    expect(acts(requests)).toEqual([{ act: 'label', sender_group_id: 1, ids: [1, 2], label: { add: [3, 9] } }]);
  });

  it('takes a row by Space, and returns the focus to the table', async () => {
    serve();
    renderPart(list());
    (await box('第2商事を選択')).focus();
    await userEvent.keyboard(' ');
    expect(await screen.findByText('1社を選択中')).toBeDefined();
    await press('選択を解除');
    expect(screen.queryByText('1社を選択中')).toBeNull();
    expect(document.activeElement).toBe(await box('第2商事を選択'));
  });

  it('is no longer all that match once one row is deselected', async () => {
    serve();
    renderPart(list());
    await userEvent.click(await box(PAGE));
    await press('この条件の300社をすべて選択');
    await userEvent.click(await box('第1商事を選択'));
    expect(await screen.findByText('1社を選択中')).toBeDefined();
  });

  it('ends with the page, so that no invisible company is changed', async () => {
    serve();
    const view = renderPart(list());
    await userEvent.click(await box(PAGE));
    view.rerender(list({ ...FIRST, pagenate_num: 2 }));
    await waitFor(() => expect(screen.queryByText('2社を選択中')).toBeNull());
    expect((await box('第1商事を選択')).checked).toBe(false);
  });

  it('is exported: the selected ones, or all that match', async () => {
    serve();
    renderPart(list());
    await userEvent.click(await box('第2商事を選択'));
    await press('書き出す');
    expect(onExport.mock.lastCall?.[0]).toMatchObject({ ids: [2], condition: { address: '東京' }, total: 300 });
    await userEvent.click(await box(PAGE));
    await press('この条件の300社をすべて選択');
    await press('書き出す');
    expect(onExport.mock.lastCall?.[0].ids).toBeUndefined();
  });
});

describe('an action on many companies', () => {
  const choose = async () => userEvent.click(await box(PAGE));

  it('shows before it runs what it changes', async () => {
    serve(() => ok(answer(1, { no_email: 1 }, { reserved: 3, queued: 1 })));
    renderPart(list());
    await choose();
    await press('配信停止に登録');
    const dialog = within(await screen.findByRole('dialog', { name: '配信停止への登録' }));
    expect(dialog.getByText('2社を配信停止に登録しますか？')).toBeDefined();
    expect(await dialog.findByText('予約中の3件からも外れます。')).toBeDefined();
    expect(dialog.getByText(/^登録したアドレスには、配信停止を解除するまで/)).toBeDefined();
    expect(dialog.getByText('1社は変更できません（代表メールなし）。')).toBeDefined();
    expect(dialog.getByText('送信待ちの1通は送信しません。')).toBeDefined();
  });

  it('shows afterwards which companies it could not change', async () => {
    serve(() => ok(answer(1, { no_email: 1, already: 3 })));
    renderPart(list());
    await choose();
    await press('配信停止に登録');
    await confirm('配信停止に登録');
    expect(await screen.findByText('1社を配信停止に登録しました')).toBeDefined();
    expect(screen.getByText('3社は、すでにその状態でした')).toBeDefined();
    expect(screen.getByText('1社は変更できませんでした（代表メールなし）')).toBeDefined();
    await userEvent.keyboard('{Escape}');
    expect(screen.queryByText('2社を選択中')).toBeNull();
  });

  it('offers to send first, and on phones the others under ⋯', async () => {
    const wide = matchMedia;
    serve();
    const view = renderPart(list());
    await choose();
    const names = async () => {
      const bar = within(await screen.findByRole('group', { name: '一括操作' }));
      return bar.getAllByRole('button').map(({ textContent }) => textContent);
    };
    const acts = ['有効にする', '無効にする', '備考を追記', 'タグを付ける', '配信停止に登録', '書き出す', 'アーカイブ'];
    expect(await names()).toEqual(['選択を解除', '2社に送る', ...acts, 'この条件の300社をすべて選択']);
    view.unmount();
    vi.stubGlobal('matchMedia', (query: string) => ({ ...wide(query), matches: query.includes('640px') }));
    renderPart(list());
    await userEvent.click(await box('第1商事を選択'));
    expect((await names()).slice(0, 3)).toEqual(['選択を解除', '1社に送る', 'その他の操作']);
    await press('その他の操作');
    expect((await names()).slice(3, 10)).toEqual(acts);
    await press('配信停止に登録');
    expect(await screen.findByRole('dialog', { name: '配信停止への登録' })).toBeDefined();
    await userEvent.keyboard('{Escape}');
    await press('1社に送る');
    expect(onAttackList).toHaveBeenCalledExactlyOnceWith([{ id: 1, name: '第1商事' }]);
  });

  it('keeps the typed remarks when it is refused', async () => {
    const requests = serve(({ dry_run }) => (dry_run === 1 ? ok(answer(2)) : refused(400, '保存できません')));
    renderPart(list());
    await choose();
    await press('備考を追記');
    const text = await screen.findByLabelText('追記する備考');
    await userEvent.type(text, ' 展示会で名刺交換 ');
    await confirm('備考を追記');
    expect(await toastText('alert')).toBe('保存できません');
    expect(text).toHaveProperty('value', ' 展示会で名刺交換 ');
    expect(acts(requests).at(-1)).toMatchObject({ ids: [1, 2], remarks: '展示会で名刺交換' });
    await userEvent.keyboard('{Escape}');
    await press('備考を追記');
    expect(await screen.findByLabelText('追記する備考')).toHaveProperty('value', ' 展示会で名刺交換 ');
  });

  it('restores archived companies, and does nothing else with them', async () => {
    const requests = serve();
    renderPart(list({ ...FIRST, status: 'archived' }, { status: 'archived' }));
    await choose();
    const bar = within(screen.getByRole('group', { name: '一括操作' }));
    const names = bar.getAllByRole('button').map(({ textContent }) => textContent);
    expect(names).toEqual(['選択を解除', 'リストに戻す', '書き出す', 'この条件の300社をすべて選択']);
    await press('リストに戻す');
    await act(async () => undefined);
    await confirm('リストに戻す');
    expect(acts(requests).at(-1)).toEqual({ act: 'restore', sender_group_id: 1, ids: [1, 2] });
  });
});
