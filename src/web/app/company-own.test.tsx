import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it } from 'vitest';
import type { CompanyDetail } from '#contract/companies/companies.ts';
import type { CompanyPerson } from '#contract/companies/people.ts';
import { deferred, type FakeAnswer, type FakeRequest, fakeApi, ok, refused } from '#test/web/fake-api.ts';
import { renderApp, theirChanges, toastText } from '#test/web/render.tsx';
import { BLOCKED, company, logInAs, USER } from '#test/web/samples.ts';
import { queryClient } from '#web/lib/api/query-client.ts';
import { startSession } from '#web/lib/session/session-store.ts';
// Loads the screens before the tests, so that no wait within a test includes it.
import '#web/app/workspace.tsx';
import '#web/app/routes/company.tsx';
import '#web/features/companies/own/own-dialog.tsx';
import '#web/features/companies/people/person-dialog.tsx';

const NO_MAILS = { reserved: 0, queued: 0, sending: 0, failed: 0 };
const field = (id: number, key: string, label: string, more: object = {}) => ({
  id,
  key,
  label,
  type: 'text',
  position: id,
  archived: 0,
  options: [],
  companies: null,
  templates: null,
  version: 'v1',
  ...more,
});
const FIELDS = [
  field(1, 'event', '展示会名'),
  field(2, 'rank', 'ランク', {
    type: 'choice',
    options: [
      { id: 11, label: 'A', archived: 0, companies: null },
      { id: 12, label: 'B', archived: 1, companies: null },
    ],
  }),
  field(3, 'amount', '見込み額', { type: 'number' }),
  field(4, 'visited', '来場', { type: 'flag' }),
  field(5, 'old', '旧コード', { archived: 1 }),
];
const IMPORTANT = { id: 1, label: '重点', colour: 3, archived: 0, companies: null, version: 'v1' };
const AUTUMN = { id: 2, label: '秋', colour: 0, archived: 0, companies: null, version: 'v1' };

const person = (id: number, name: string, more: Partial<CompanyPerson> = {}): CompanyPerson => ({
  id,
  version: `p${id}`,
  name,
  department: '購買部',
  title: '部長',
  email: `p${id}@example.jp`,
  phone: null,
  met_on: null,
  is_primary: 0,
  archived: 0,
  suppressed: null,
  addressee: `購買部 部長 ${name} 様`,
  sent_at: null,
  ...more,
});
const SATO = person(1, '佐藤 一郎', { is_primary: 1, phone: '03-1111-2222', met_on: '2026-11-20' });
const SUZUKI = person(2, '鈴木 花子', { department: '情報システム部', title: '課長' });

let stored: CompanyDetail;
let fields: typeof FIELDS;
let requests: FakeRequest[];
/** The answers to changes, in order; then they succeed. */
let next: (FakeAnswer | Promise<FakeAnswer>)[];
/** The answers to checks of a person, in order; then nothing is found. */
let check: (FakeAnswer | Promise<FakeAnswer>)[];

const changed = () => next.shift() ?? ok({ status: 'updated', id: 1, version: 'v2' });
const bodies = (method: string, path: string) =>
  requests.filter((request) => request.method === method && request.path === path).map(({ body }) => body);

async function open() {
  requests = fakeApi({
    'GET /sender_group/list': () => ok([{ id: 1, group_name: '営業部' }]),
    'GET /sender/list': () => ok([]),
    'GET /custom_field/list': () => ok(fields),
    'GET /tag/list': () => ok([IMPORTANT, AUTUMN]),
    'GET /prospect/5': () => ok(stored),
    'GET /prospect/5/timeline': () => ok([]),
    'GET /prospect/check': () =>
      ok({ addressee: '', similar: [], sharing: [], sharing_total: 0, suppressed: null, affected: NO_MAILS }),
    'GET /person/check': () =>
      check.shift() ?? ok({ addressee: '佐藤 様', same: null, suppressed: null, affected: NO_MAILS }),
    'PUT /prospect/5': changed,
    'POST /tag': () => next.shift() ?? ok({ status: 'added', id: 9 }),
    'POST /person': () => next.shift() ?? ok({ status: 'added', id: 9, version: 'v1' }),
    'PUT /person/1': changed,
    'PUT /person/2': changed,
  });
  const app = await renderApp('/prospects/5');
  await screen.findByRole('heading', { name: '第5商事' });
  return app;
}

const user = userEvent.setup();
const press = async (name: string | RegExp) => user.click(await screen.findByRole('button', { name }));
const dialog = async () => within(await screen.findByRole('dialog'));
const fill = (form: Awaited<ReturnType<typeof dialog>>, label: string, value: string) =>
  fireEvent.change(form.getByLabelText(label), { target: { value } });

beforeEach(() => {
  stored = company(5);
  fields = FIELDS;
  next = [];
  check = [];
  logInAs();
});

describe('tags of a company', () => {
  it('adds one by Enter, makes one of a new name, and removes one', async () => {
    stored = company(5, { tags: [{ id: 1, label: '重点', colour: 3 }] });
    await open();
    await press('タグを付ける');
    const box = await screen.findByRole('combobox', { name: 'タグを付ける' });
    await screen.findByRole('option', { name: '秋' });
    expect(screen.queryByRole('option', { name: '重点' })).toBeNull();
    await user.type(box, 'あ{Backspace}秋{Enter}');
    await waitFor(() =>
      expect(bodies('PUT', '/prospect/5')).toEqual([
        { version: 'v1', update_info: { tag_ids: [1, 2] }, acknowledged: 1 },
      ]),
    );
    await press('タグを付ける');
    await user.type(await screen.findByRole('combobox', { name: 'タグを付ける' }), '展示会{Enter}');
    await waitFor(() => expect(bodies('POST', '/tag')).toEqual([{ add_info: { label: '展示会' } }]));
    await waitFor(() => expect(bodies('PUT', '/prospect/5')).toHaveLength(2));
    await press('タグ「重点」を外す');
    await waitFor(() => expect(bodies('PUT', '/prospect/5').at(-1)).toMatchObject({ update_info: { tag_ids: [] } }));
  });
});

describe('a tag that is being made', () => {
  it('joins the tags that the company has by then', async () => {
    const made = deferred();
    stored = company(5, { tags: [{ id: 1, label: '重点', colour: 3 }] });
    next = [made.answer];
    await open();
    await press('タグを付ける');
    await user.type(await screen.findByRole('combobox', { name: 'タグを付ける' }), '展示会{Enter}');
    await waitFor(() => expect(bodies('POST', '/tag')).toHaveLength(1));
    await press('タグ「重点」を外す');
    expect(bodies('PUT', '/prospect/5')).toEqual([]);
    // Another member has given the company a tag meanwhile.
    stored = company(5, { version: 'v2', tags: [...stored.tags, { id: 2, label: '秋', colour: 0 }] });
    await queryClient.invalidateQueries();
    await screen.findByText('秋');
    await act(async () => made.resolve(ok({ status: 'added', id: 9 })));
    await waitFor(() =>
      expect(bodies('PUT', '/prospect/5')).toEqual([
        { version: 'v2', update_info: { tag_ids: [1, 2, 9] }, acknowledged: 1 },
      ]),
    );
  });
});

describe('own fields of a company', () => {
  it('shows the values in the order of the fields, and folds the blank ones', async () => {
    stored = company(5, { custom: { amount: 1_200_000, visited: 0 }, external_id: 'A-1' });
    await open();
    const panel = within(await screen.findByRole('region', { name: '自社の項目' }));
    expect(panel.getAllByRole('term').map(({ textContent }) => textContent)).toEqual([
      '見込み額',
      '来場',
      '展示会名',
      'ランク',
    ]);
    expect(panel.getByText('1,200,000')).toBeTruthy();
    expect(panel.getByText('いいえ')).toBeTruthy();
    expect(panel.getByText('空の項目（2件）').closest('details')?.open).toBe(false);
    expect(screen.getByText('A-1')).toBeTruthy();
  });

  it('saves the changed values alone, each by its type, and takes them back', async () => {
    stored = company(5, { custom: { rank: 'B', amount: 3 } });
    await open();
    await press('自社の項目の編集');
    const form = await dialog();
    const options = within(form.getByLabelText('ランク')).getAllByRole('option');
    expect(options.map(({ textContent }) => textContent)).toEqual(['選択なし', 'A', 'B']);
    fill(form, '展示会名', '東京産業展');
    fill(form, 'ランク', 'A');
    fill(form, '来場', 'はい');
    next = [
      {
        status: 400,
        body: { code: 'x', message: 'x', details: [{ path: 'update_info.custom.event', message: '長すぎます' }] },
      },
    ];
    await press('保存');
    expect(await form.findByText('長すぎます')).toBeTruthy();
    await press('保存');
    const update_info = { custom: { event: '東京産業展', rank: 'A', visited: 'はい' } };
    await waitFor(() =>
      expect(bodies('PUT', '/prospect/5').at(-1)).toEqual({ version: 'v1', update_info, acknowledged: 1 }),
    );
    await press('元に戻す');
    await waitFor(() =>
      expect(bodies('PUT', '/prospect/5').at(-1)).toEqual({
        version: 'v2',
        update_info: { custom: { event: '', rank: 'B', visited: '' } },
        acknowledged: 1,
      }),
    );
  });
});

describe('the external id of a company', () => {
  const label = '外部ID';
  const edit = async () => {
    await open();
    await press(/^編集/);
    return dialog();
  };

  it('is given once, in an account without own fields too; the undo of the save leaves it', async () => {
    fields = [];
    const form = await edit();
    expect(form.getByLabelText(label)).toHaveProperty('readOnly', false);
    fill(form, label, ' A-1 ');
    fill(form, '代表者', '佐藤');
    await press('保存');
    const update_info = { ceo: '佐藤', external_id: 'A-1' };
    await waitFor(() =>
      expect(bodies('PUT', '/prospect/5')).toEqual([{ version: 'v1', update_info, acknowledged: 0 }]),
    );
    await press('元に戻す');
    await waitFor(() => expect(bodies('PUT', '/prospect/5')).toHaveLength(2));
    expect(bodies('PUT', '/prospect/5').at(-1)).toMatchObject({ version: 'v2' });
    expect(Object.keys((bodies('PUT', '/prospect/5').at(-1) as { update_info: object }).update_info)).toEqual(['ceo']);
  });

  it('stays, once it is given', async () => {
    stored = company(5, { external_id: 'A-1' });
    const form = await edit();
    expect(form.getByLabelText(label)).toMatchObject({ readOnly: true, value: 'A-1' });
  });
});

describe('people of a company', () => {
  it('shows each with department and title, the 主担当 marked, and how a mail greets them', async () => {
    const mailed = { ...SATO, sent_at: '2026/11/20 12:00' };
    stored = company(5, { people: [mailed, SUZUKI, person(3, '山田', { archived: 1 })] });
    await open();
    const panel = within(screen.getByRole('region', { name: '相手の人 2人' }));
    const [first, second] = panel.getAllByRole('listitem');
    expect(first?.textContent).toContain('佐藤 一郎購買部 部長送信済み 11/20p1@example.jp');
    expect(second?.textContent).not.toContain('送信済み');
    expect(within(first as HTMLElement).getByRole('img', { name: '主担当' })).toBeTruthy();
    expect(within(second as HTMLElement).queryByRole('img', { name: '主担当' })).toBeNull();
    expect(panel.getByText('第5商事 / 購買部 部長 佐藤 一郎 様')).toBeTruthy();
    expect(panel.getByText('宛先から外した人（1人）').closest('details')?.open).toBe(false);
  });

  it.each([
    ['has an address that is not', { suppressed: null }, true],
    ['has none', { email: null }, false],
    ['is suppressed too', { suppressed: BLOCKED }, false],
  ])('a company whose address is suppressed is mailed where its 主担当 %s', async (_which, values, isOffered) => {
    stored = company(5, { suppressed: BLOCKED, people: [{ ...SATO, ...values }] });
    await open();
    await press('その他の操作');
    expect(screen.getByRole('button', { name: 'アーカイブ' })).toBeTruthy();
    expect(screen.queryAllByRole('button', { name: 'この会社に送る' }).length > 0).toBe(isOffered);
  });

  it('makes another person the 主担当, from the warning that the present one is suppressed', async () => {
    stored = company(5, { people: [{ ...SATO, suppressed: BLOCKED }, SUZUKI] });
    await open();
    expect(screen.getByText('主担当に送れません。')).toBeTruthy();
    await press('主担当を変える');
    await press('鈴木 花子');
    await waitFor(() =>
      expect(bodies('PUT', '/person/2')).toEqual([{ version: 'p2', update_info: { is_primary: 1 } }]),
    );
    expect(await toastText('status')).toContain('鈴木 花子さんを主担当にしました');
    await press('佐藤 一郎の操作');
    await press('宛先から外す');
    await waitFor(() => expect(bodies('PUT', '/person/1')).toEqual([{ version: 'p1', update_info: { archived: 1 } }]));
    expect(await screen.findByText('佐藤 一郎さんを宛先から外しました')).toBeTruthy();
  });

  it('adds a person, who needs a name, department, title, address or phone', async () => {
    await open();
    await press('人を追加');
    const form = await dialog();
    fill(form, '名刺交換日', '2026-11-20');
    await press('追加');
    expect(form.getByText('氏名・部署・役職・担当者メール・電話番号のどれかを入力してください')).toBeTruthy();
    fill(form, '氏名', '佐藤');
    expect(await form.findByText('宛名：佐藤 様')).toBeTruthy();
    next = [refused(409, 'この会社に、同じ人がいます。', 'same_person')];
    await press('追加');
    expect(await form.findByText('この会社に、同じ人がいます')).toBeTruthy();
    await press('追加');
    await waitFor(() =>
      expect(bodies('POST', '/person').at(-1)).toEqual({
        add_info: { prospect_id: 5, name: '佐藤', met_on: '2026-11-20' },
      }),
    );
    expect(await toastText('status')).toContain('佐藤さんを追加しました');
  });

  it('warns of nothing that was true of the text before', async () => {
    const later = deferred();
    check = [
      ok({ addressee: '佐藤 様', same: { id: 1, name: '佐藤', archived: 1 }, suppressed: BLOCKED, affected: NO_MAILS }),
      later.answer,
    ];
    await open();
    await press('人を追加');
    const form = await dialog();
    fill(form, '氏名', '佐藤');
    const same = '同じ人が、宛先から外した人の中にいます（佐藤）';
    expect(await form.findByText(same)).toBeTruthy();
    expect(form.getByText(/配信停止/)).toBeTruthy();
    fill(form, '氏名', '高橋');
    await waitFor(() => expect(form.queryByText(same)).toBeNull());
    expect(form.queryByText(/配信停止/)).toBeNull();
    expect(form.getByText('宛名：佐藤 様')).toBeTruthy();
    await act(async () =>
      later.resolve(ok({ addressee: '高橋 様', same: null, suppressed: BLOCKED, affected: NO_MAILS })),
    );
    expect(await form.findByText('宛名：高橋 様')).toBeTruthy();
    expect(form.getByText(/配信停止/)).toBeTruthy();
  });

  it('shows what another member has changed meanwhile', async () => {
    stored = company(5, { people: [SATO] });
    await open();
    await press('佐藤 一郎を編集');
    const form = await dialog();
    fill(form, '役職', '次長');
    stored = company(5, { people: [{ ...SATO, title: '本部長', version: 'p9' }] });
    next = [refused(409, '佐藤 花子さんがこの人を変更しました。', 'person_changed')];
    await press('保存');
    expect((await theirChanges()).textContent).toContain('本部長');
  });

  it('lets viewers look only', async () => {
    startSession('token-1', { ...USER, member: { id: 1, role: 'viewer', sender_group_ids: null, may_export: 1 } });
    stored = company(5, { people: [SATO], tags: [{ id: 1, label: '重点', colour: 3 }] });
    await open();
    for (const name of [/を追加$/, /を編集$/, /の操作$/, /外す$/, 'タグを付ける', '自社の項目の編集'])
      expect(screen.queryByRole('button', { name })).toBeNull();
    expect(screen.getByText('重点')).toBeTruthy();
  });
});
