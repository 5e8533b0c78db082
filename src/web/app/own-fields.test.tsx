import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Role } from '#domain/account/role.ts';
import { type FakeAnswer, type FakeRequest, fakeApi, ok, refused } from '#test/web/fake-api.ts';
import { alertIn, renderApp, theirChanges, toastText } from '#test/web/render.tsx';
import { USER } from '#test/web/samples.ts';
import { startSession } from '#web/lib/session/session-store.ts';
// Loads the screens before the tests, so that no wait within a test includes it.
import '#web/app/workspace.tsx';
import '#web/app/routes/settings/fields.tsx';
import '#web/features/own-fields/field-dialog.tsx';
import '#web/features/own-fields/merge-dialog.tsx';
import '#web/features/own-fields/tag-dialog.tsx';

const field = (id: number, label: string, more: object = {}) => ({
  id,
  key: `field_${id}`,
  label,
  type: 'text',
  position: id,
  archived: 0,
  options: [],
  companies: null as number | null,
  templates: null as number | null,
  version: 'v1',
  ...more,
});
const OPTIONS = [
  { id: 11, label: 'A', archived: 0, companies: null },
  { id: 12, label: 'B', archived: 0, companies: null },
];
const EVENT = field(1, '展示会名', { key: 'event' });
const RANK = field(2, 'ランク', { key: 'rank', type: 'choice', options: OPTIONS });
const GONE = field(3, '旧コード', { archived: 1 });
const tag = (id: number, label: string, more: object = {}) => ({
  id,
  label,
  colour: 0,
  archived: 0,
  companies: null as number | null,
  version: 'v1',
  ...more,
});
let fields: object[];
let tags: object[];
let requests: FakeRequest[];
/** The answers to changes, in order; then they succeed. */
let next: FakeAnswer[];

const changed = (): FakeAnswer => next.shift() ?? ok({ status: 'updated', version: 'v2' });
const bodies = (method: string, path: string) =>
  requests.filter((request) => request.method === method && request.path === path).map(({ body }) => body);

async function open(role: Role = 'admin') {
  startSession('token-1', { ...USER, member: { id: 1, role, sender_group_ids: null, may_export: 1 } });
  const counted = (rows: object[], isCounted: boolean, counts: object) =>
    ok(isCounted ? rows.map((row) => ({ ...row, ...counts })) : rows);
  requests = fakeApi({
    'GET /custom_field/list': ({ query }) =>
      counted(fields, query.get('counts') === '1', { companies: 1204, templates: 2 }),
    'GET /tag/list': ({ query }) => counted(tags, query.get('counts') === '1', { companies: 40 }),
    'PUT /custom_field/1': changed,
    'PUT /custom_field/2': changed,
    'PUT /custom_field/3': changed,
    'PUT /tag/1': changed,
    'POST /custom_field': () => next.shift() ?? ok({ status: 'added', id: 9, key: 'field_9' }),
    'POST /tag': () => next.shift() ?? ok({ status: 'added', id: 9 }),
  });
  const app = await renderApp('/settings/fields');
  await screen.findByText('展示会名');
  return app;
}

const user = userEvent.setup();
const press = async (name: string | RegExp) => user.click(await screen.findByRole('button', { name }));
const dialog = async () => within(await screen.findByRole('dialog'));
async function choose(entry: string, menu: string): Promise<void> {
  await press(menu);
  await press(entry);
}

beforeEach(() => {
  fields = [EVENT, RANK, GONE];
  tags = [tag(1, '重要'), tag(2, '重点', { colour: 3 })];
  next = [];
});

describe('the page of own fields and tags', () => {
  it('shows the fields in their order with what uses them, and the archived ones apart', async () => {
    await open();
    const table = within(screen.getByRole('grid', { name: '項目' }));
    expect(await table.findAllByText('1,204社')).toHaveLength(2);
    const cells = table.getAllByRole('row').map((row) => row.textContent);
    expect(cells[1]).toContain('展示会名文字{{ custom.event }}1,204社2件');
    expect(cells[2]).toContain('ランク選択{{ custom.rank }}1,204社2件');
    expect(screen.getByText('使用をやめた項目（1件）')).toBeTruthy();
    expect(within(screen.getByRole('grid', { name: 'タグ' })).getAllByText('40社')).toHaveLength(2);
  });

  it('adds a field with its options once, as typed', async () => {
    await open();
    await press('項目を追加');
    const form = await dialog();
    await user.type(form.getByLabelText('項目名（必須）'), '興味');
    await user.selectOptions(form.getByLabelText('種類'), '選択');
    await press('選択肢を追加');
    await press('選択肢を追加');
    await user.type(form.getByLabelText('選択肢1'), '高い');
    await press('追加');
    expect(form.getByText('選択肢を入力してください')).toBeTruthy();
    await user.type(form.getByLabelText('選択肢2'), '低い');
    await press('追加');
    await waitFor(() =>
      expect(bodies('POST', '/custom_field')).toEqual([
        { add_info: { label: '興味', type: 'choice', options: ['高い', '低い'] } },
      ]),
    );
    expect(await toastText('status')).toContain('「興味」を追加しました');
  });

  it('shows a taken name at its field and keeps the typed text', async () => {
    await open();
    await press('項目を追加');
    const form = await dialog();
    await user.type(form.getByLabelText('項目名（必須）'), '会社名');
    const details = [{ path: 'add_info.label', message: '会社か人の項目と同じ名前です' }];
    next = [{ status: 409, body: { code: 'label_taken', message: '会社か人の項目と同じ名前です。', details } }];
    await press('追加');
    expect(await form.findByText('会社か人の項目と同じ名前です')).toBeTruthy();
    expect(form.getByLabelText<HTMLInputElement>('項目名（必須）').value).toBe('会社名');
  });

  it('keeps an option that is not used any more in its place, marked as such', async () => {
    await open();
    await choose('編集', 'ランクの操作');
    await press('「A」を下へ');
    await press('「A」の使用をやめる');
    await press('保存');
    await waitFor(() =>
      expect(bodies('PUT', '/custom_field/2')).toEqual([
        {
          version: 'v1',
          update_info: {
            label: 'ランク',
            options: [
              { id: 12, label: 'B', archived: 0 },
              { id: 11, label: 'A', archived: 1 },
            ],
          },
        },
      ]),
    );
  });

  it('shows what another admin has saved meanwhile', async () => {
    await open();
    await choose('編集', '展示会名の操作');
    const form = await dialog();
    await user.type(form.getByLabelText('項目名（必須）'), '2');
    fields = [{ ...EVENT, label: '展示会', version: 'v2' }, RANK];
    next = [refused(409, '佐藤 花子さんがこの項目を変更しました。', 'field_changed')];
    await press('保存');
    expect((await theirChanges()).textContent).toContain('展示会');
  });

  it('moves a field past its neighbour in use, and archives one until the toast brings it back', async () => {
    await open();
    await choose('下へ', '展示会名の操作');
    await choose('使用をやめる', '展示会名の操作');
    await press('元に戻す');
    await waitFor(() =>
      expect(bodies('PUT', '/custom_field/1')).toEqual([
        { version: 'v1', update_info: { position: 2 } },
        { version: 'v1', update_info: { archived: 1 } },
        { version: 'v2', update_info: { archived: 0 } },
      ]),
    );
  });

  it('says which template keeps a field from going', async () => {
    await open();
    next = [refused(409, 'テンプレート「再度のご案内」で使っているため、項目をなくせません。', 'field_in_use')];
    await choose('使用をやめる', '展示会名の操作');
    expect(await toastText('alert')).toBe('テンプレート「再度のご案内」で使っているため、項目をなくせません');
  });
});

describe('tags', () => {
  it('asks with the number of companies before a tag is merged into another one', async () => {
    await open();
    await screen.findAllByText('40社');
    await choose('統合', 'タグ「重要」の操作');
    const form = await dialog();
    await press('統合');
    expect(form.getByText('統合先を選んでください')).toBeTruthy();
    await user.selectOptions(form.getByLabelText('統合先'), '重点');
    expect(form.getByText('「重要」の40社を「重点」に移し、「重要」を削除します。')).toBeTruthy();
    expect(form.getByText('元に戻せません。')).toBeTruthy();
    next = [refused(409, 'リストの取り込みが動いています。終わってから、もう一度統合してください。', 'import_running')];
    await press('統合');
    expect((await alertIn(form)).textContent).toContain('リストの取り込みが動いています');
    await press('統合');
    await waitFor(() =>
      expect(bodies('PUT', '/tag/1')).toEqual(Array(2).fill({ version: 'v1', update_info: { merge_into: 2 } })),
    );
    expect(await toastText('status')).toContain('「重要」を「重点」に統合しました');
  });

  it('adds a tag in a colour', async () => {
    await open('sales');
    await press('タグを追加');
    const form = await dialog();
    await press('追加');
    expect(form.getByText('タグ名が入力されていません')).toBeTruthy();
    await user.type(form.getByLabelText('タグ名（必須）'), '秋');
    await user.click(form.getByLabelText('緑'));
    await press('追加');
    await waitFor(() => expect(bodies('POST', '/tag')).toEqual([{ add_info: { label: '秋', colour: 3 } }]));
  });

  it('offers sales members only to add tags, and viewers nothing', async () => {
    const { unmount } = await open('sales');
    expect(screen.queryByRole('button', { name: /の操作$/ })).toBeNull();
    expect(screen.queryByRole('button', { name: '項目を追加' })).toBeNull();
    expect(screen.getByRole('button', { name: 'タグを追加' })).toBeTruthy();
    unmount();
    await open('viewer');
    expect(screen.queryByRole('button', { name: 'タグを追加' })).toBeNull();
  });
});
