import { act, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { beforeEach, expect, it, vi } from 'vitest';
import type { ProspectFilter } from '#contract/companies/prospects-filter.ts';
import { type FakeRequest, fakeApi, ok, refused } from '#test/web/fake-api.ts';
import { renderPart, theirChanges, toastText } from '#test/web/render.tsx';
import { logInAs } from '#test/web/samples.ts';
import { FilterPanel } from '../filter/filter-panel.tsx';
import type { SavedCondition, WholeCondition } from './saved-condition.ts';

const saved = (id: number, values: Partial<SavedCondition> = {}): SavedCondition => ({
  id,
  name: `条件${id}`,
  is_shared: 0,
  where_info: { address: '東京' },
  gone: [],
  version: 'v1',
  updated_by: '田中 直樹',
  updated_at: '2026/11/20 12:00:00',
  ...values,
});

const COUNTS = ok([
  { id: 1, total: 1200 },
  { id: 2, total: null },
]);
let all: SavedCondition[] = [];
let requests: FakeRequest[] = [];
const applied = vi.fn();
const PANEL = { current: null };

/** Renders a list that holds filter and status in its state; the screen holds them in the address. */
function List({ start }: { readonly start: ProspectFilter }) {
  const [shown, setShown] = useState<WholeCondition>({ filter: start, status: undefined, groupId: 1 });
  return (
    <FilterPanel
      ref={PANEL}
      filter={shown.filter}
      onChange={(filter) => setShown({ ...shown, filter })}
      list={{
        status: shown.status,
        group: { id: 1, group_name: '営業部' },
        onApply: (condition) => {
          applied(condition);
          setShown({ ...condition, groupId: 1 });
        },
      }}
    />
  );
}

const show = (start: ProspectFilter = {}) => renderPart(<List start={start} />);
const chips = () => screen.findByRole('list', { name: '保存した条件' });
const choose = async (name: string) => userEvent.click(await within(await chips()).findByText(name));
const chosenText = async () => within(await chips()).queryByRole('button', { pressed: true })?.textContent ?? null;
const press = async (name: string) => userEvent.click(await screen.findByRole('button', { name }));
const sent = (method: string) => requests.filter((request) => request.method === method);

beforeEach(() => {
  all = [];
  applied.mockClear();
  logInAs();
  requests = fakeApi({
    'GET /saved_condition/list': () => ok(all),
    'GET /custom_field/list': () => ok([{ id: 1, key: 'rank', label: 'ランク', archived: 1 }]),
    'GET /saved_condition/count': () => COUNTS,
    'POST /saved_condition': () => {
      all = [saved(3, { name: '製造' })];
      return ok({ status: 'added', id: 3 });
    },
    'PUT /saved_condition/3': () => ok({ status: 'updated' }),
  });
});

it('saves the condition that the list shows, and then shows it as chosen', async () => {
  show({ address: '東京', amount_of_sales_from: 5 });
  await press('条件を保存');
  await userEvent.type(await screen.findByLabelText('条件の名前'), '製造');
  const parts = within(screen.getByRole('dialog')).getAllByRole('listitem');
  expect(parts.map(({ textContent }) => textContent)).toEqual(['地域: 東京', '売上高: 5円超']);
  await userEvent.selectOptions(screen.getByLabelText('使う人'), '全員で使う');
  await userEvent.selectOptions(screen.getByLabelText('送信者グループ'), '「営業部」を選ぶことも含める');
  await userEvent.click(screen.getAllByRole('button', { name: '条件を保存' }).at(-1) as HTMLElement);
  expect(await toastText('status')).toContain('条件を保存しました');
  const where_info = { address: '東京', amount_of_sales_from: 5, sender_group_id: 1 };
  expect(sent('POST')[0]?.body).toEqual({ add_info: { name: '製造', is_shared: 1, where_info } });
  expect(sent('POST')[0]?.headers.get('Idempotency-Key')).not.toBeNull();
  expect(await chosenText()).toMatch(/^製造/);
});

it('shows a refused name at its field, and keeps it', async () => {
  const message = '同じ名前の条件があります';
  fakeApi({
    'POST /saved_condition': () => ({
      status: 409,
      body: { message, code: 'name_taken', details: [{ path: 'add_info.name', message }] },
    }),
  });
  show({ address: '東京' });
  await press('条件を保存');
  const name = await screen.findByLabelText<HTMLInputElement>('条件の名前');
  await userEvent.type(name, '製造{Enter}');
  await screen.findByText(message);
  expect([name.value, name.getAttribute('aria-invalid')]).toEqual(['製造', 'true']);
});

it('applies the chosen condition in place of the current one, and shows when it has changed', async () => {
  all = [saved(3, { where_info: { status: 'unsent', major_industry_type: '製造', sender_group_id: 1 } }), saved(4)];
  show({ address: '大阪' });
  await choose('条件3');
  const condition = { filter: { major_industry_type: '製造' }, status: 'unsent', groupId: 1 };
  expect(applied).toHaveBeenCalledExactlyOnceWith(condition);
  expect(await chosenText()).toBe('条件3');
  expect(screen.queryByRole('button', { name: '条件を保存' })).toBeNull();
  await press('業種の条件を外す');
  await waitFor(async () => expect(await chosenText()).toBe('条件3（変更あり）'));
  await press('条件を保存');
  await userEvent.click((await screen.findAllByRole('button', { name: '条件を保存' })).at(-1) as HTMLElement);
  await toastText('status');
  expect(sent('PUT')[0]?.body).toEqual({
    version: 'v1',
    update_info: { where_info: { status: 'unsent', sender_group_id: 1 } },
  });
  await choose('条件3（変更あり）');
  expect(applied).toHaveBeenCalledTimes(2);
});

it('shows eight chips with the numbers of their companies, and the others and the chosen one beside them', async () => {
  const long = '長い名前'.repeat(25);
  all = Array.from({ length: 50 }, (_, index) =>
    saved(index + 1, { name: `条件${String(index + 1).padStart(2, '0')}` }),
  );
  all.push(saved(51, { name: `条件51${long}`.slice(0, 100) }));
  show();
  const names = async () =>
    within(await chips())
      .getAllByRole('button')
      .map(({ textContent }) => textContent);
  await waitFor(async () => expect((await names()).slice(0, 2)).toEqual(['条件01 1,200', '条件02']));
  expect(await names()).toHaveLength(9);
  expect(sent('GET').filter(({ path }) => path === '/saved_condition/count')).toHaveLength(1);
  await press('ほか43件の保存した条件');
  await choose(all[50]?.name ?? '');
  expect([await chosenText(), (await names()).length]).toEqual([all[50]?.name, 10]);
});

it('shows all as chips on phones, where their line scrolls, and counts eight', async () => {
  const wide = matchMedia;
  vi.stubGlobal('matchMedia', (query: string) => ({ ...wide(query), matches: query.includes('640px') }));
  all = Array.from({ length: 50 }, (_, index) => saved(index + 1));
  show();
  await waitFor(async () => expect(within(await chips()).getAllByRole('button')).toHaveLength(50));
  await waitFor(() => expect(sent('GET').some(({ path }) => path === '/saved_condition/count')).toBe(true));
  const [counted] = sent('GET').filter(({ path }) => path === '/saved_condition/count');
  expect(counted?.query.get('ids')?.split(',')).toHaveLength(8);
  await choose('条件50');
  expect(await chosenText()).toBe('条件50');
});

it('a second press ends the choice and clears the filter', async () => {
  all = [saved(3)];
  show();
  await choose('条件3');
  await choose('条件3');
  expect(await chosenText()).toBeNull();
  expect(applied).toHaveBeenLastCalledWith({ filter: {}, status: undefined, groupId: undefined });
});

it('is not chosen any more once the list has no condition left', async () => {
  all = [saved(3, { where_info: { major_industry_type: '製造' } }), saved(4)];
  show();
  await choose('条件3');
  expect(await chosenText()).toBe('条件3');
  await press('業種の条件を外す');
  await waitFor(async () => expect(await chosenText()).toBeNull());
  expect(screen.queryByRole('button', { name: '保存した条件「条件3」を編集' })).toBeNull();
  await choose('条件3');
  expect(await chosenText()).toBe('条件3');
});

it('saves nothing while a condition is invalid', async () => {
  show({ address: '東京' });
  await press('絞り込み');
  await userEvent.type(screen.getByLabelText('従業員数（上限）'), '多い');
  await press('条件を保存');
  expect(await toastText('alert')).toContain('絞り込みの条件に誤りがあります');
  expect(screen.queryByRole('dialog')).toBeNull();
});

it('renames and shares the chosen condition, and deletes it after a confirmation', async () => {
  all = [saved(3)];
  show();
  await choose('条件3');
  await press('保存した条件「条件3」を編集');
  await userEvent.type(await screen.findByLabelText('条件の名前'), 'A');
  await userEvent.selectOptions(screen.getByLabelText('使う人'), '全員で使う');
  await press('保存');
  await waitFor(() =>
    expect(sent('PUT')[0]?.body).toEqual({ version: 'v1', update_info: { name: '条件3A', is_shared: 1 } }),
  );
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  await press('保存した条件「条件3」を編集');
  await press('削除');
  await screen.findByText('「条件3」を削除しますか？');
  all = [];
  await userEvent.click(
    within(screen.getByRole('dialog', { name: '保存した条件の削除' })).getByRole('button', { name: '削除' }),
  );
  await waitFor(() => expect(screen.queryByRole('list', { name: '保存した条件' })).toBeNull());
  expect(sent('PUT')[1]?.body).toEqual({ version: 'v1', update_info: { active: 0 } });
});

it('shows who has changed the chosen condition meanwhile, and overwrites it only after that', async () => {
  const told = '佐藤 花子さんが11/27（金）10:02にこの条件を変更しました。内容を確かめてから、保存してください。';
  all = [saved(3, { is_shared: 1 })];
  requests = fakeApi({
    'GET /saved_condition/list': () => ok(all),
    'GET /saved_condition/count': () => COUNTS,
    'PUT /saved_condition/3': ({ body }) =>
      (body as { version: string }).version === 'v1'
        ? refused(409, told, 'condition_changed')
        : ok({ status: 'updated' }),
  });
  show();
  await choose('条件3');
  await press('保存した条件「条件3」を編集');
  await userEvent.type(await screen.findByLabelText('条件の名前'), 'A');
  all = [saved(3, { name: '関東', is_shared: 1, where_info: { address: '神奈川' }, version: 'v2' })];
  await press('保存');
  await screen.findByText(told.replace(/。$/, ''));
  const theirs = within(await theirChanges()).getAllByRole('definition');
  expect(theirs.map(({ textContent }) => textContent)).toEqual(['関東', '全員で使う', '地域: 神奈川']);
  expect(screen.getByLabelText('条件の名前')).toHaveProperty('value', '条件3A');
  await press('保存');
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(sent('PUT').map(({ body }) => (body as { version: string }).version)).toEqual(['v1', 'v2']);
});

it('bad-inputs 247: applies the rest of a condition, names what no longer exists, and can save the rest', async () => {
  const gone = [
    { field: 'sender_group_id', value: '関西営業部' },
    { field: 'stars', value: '["a"]' },
    { field: 'tags', value: '重点' },
    { field: 'custom.rank', value: 'A' },
    { field: 'custom.erased', value: 'B' },
    { field: 'number_of_employees_from', value: '多い' },
  ];
  all = [saved(3, { gone })];
  show();
  await choose('条件3');
  expect(applied).toHaveBeenCalledExactlyOnceWith({
    filter: { address: '東京' },
    status: undefined,
    groupId: undefined,
  });
  const own = 'タグ: 重点、ランク: A、なくなった項目: B';
  const parts = `送信者グループ: 関西営業部、stars: ["a"]、${own}、従業員数: 多い`;
  expect(await screen.findByText(`「条件3」のうち、使えなくなった条件を外しています：${parts}`)).toBeDefined();
  all = [saved(3)];
  await press('残りの条件で保存');
  await waitFor(() => expect(screen.queryByText(/使えなくなった条件/)).toBeNull());
  expect(sent('PUT')[0]?.body).toEqual({ version: 'v1', update_info: { where_info: { address: '東京' } } });
});

it('does not say that a field is gone before the fields are known', async () => {
  all = [saved(3, { gone: [{ field: 'custom.rank', value: 'A' }] })];
  fakeApi({
    'GET /saved_condition/list': () => ok(all),
    'GET /saved_condition/count': () => COUNTS,
    'GET /custom_field/list': () => 'network',
  });
  show();
  await choose('条件3');
  expect(await screen.findByText(/使えなくなった条件を外しています：…: A$/)).toBeDefined();
});

it('forgets the choice with the conditions', async () => {
  all = [saved(3)];
  show();
  await choose('条件3');
  await press('条件をクリア');
  await act(async () => undefined);
  expect(await chosenText()).toBeNull();
});
