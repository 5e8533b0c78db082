import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { fakeApi, ok, refused } from '#test/web/fake-api.ts';
import { renderPart } from '#test/web/render.tsx';
import { LINKS, logInAs, prospect, USER } from '#test/web/samples.ts';
import { widthsOf } from '#web/components/data-table/resize-handle.tsx';
import { keep, readKept } from '#web/lib/session/kept.ts';
import { startSession } from '#web/lib/session/session-store.ts';
import { ProspectList } from './prospect-list.tsx';

const QUERY = { sender_group_id: 1, pagenate_count: 50, pagenate_num: 1 };

type Handlers = Parameters<typeof fakeApi>[0];

async function show(more: Handlers = {}) {
  const requests = fakeApi({ 'GET /prospect/view': () => ok({ rows: [prospect(1)], total: 1 }), ...more });
  const nothing = () => undefined;
  const view = renderPart(
    <ProspectList
      query={QUERY}
      status={undefined}
      sort={{}}
      onStatus={nothing}
      onSort={nothing}
      onPage={nothing}
      onClear={nothing}
      onExport={nothing}
      onAttackList={nothing}
      links={LINKS}
    />,
  );
  await screen.findByRole('rowheader', { name: '第1商事' });
  // The edges of the headers come later.
  await screen.findAllByRole('separator');
  return { ...view, requests };
}

async function openDialog() {
  fireEvent.click(screen.getByRole('button', { name: '列の設定' }));
  return within(await screen.findByRole('dialog', { name: '列の設定' }));
}

const headers = () => screen.getAllByRole('columnheader', { hidden: true }).map(({ textContent }) => textContent);
const edgeOf = (header: string) => within(screen.getByRole('columnheader', { name: header })).getByRole('separator');

/** Presses keys on the edge of a header. */
async function press(header: string, keys: string) {
  const edge = edgeOf(header);
  edge.focus();
  await userEvent.keyboard(keys);
  return edge;
}

/** Returns the width of the n-th column, from 0. */
const widthAt = (n: number) => widthsOf(screen.getByRole('grid', { hidden: true }))[n];

beforeEach(() => {
  localStorage.clear();
  logInAs();
});

describe('the columns of the list', () => {
  it('are hidden and shown again, but never 有効 and 会社名', async () => {
    await show();
    const dialog = await openDialog();
    fireEvent.click(dialog.getByRole('checkbox', { name: '備考' }));
    expect(headers()).not.toContain('備考');
    expect(headers()).toHaveLength(21);
    for (const name of ['有効', '会社名']) {
      fireEvent.click(dialog.getByRole('checkbox', { name }));
      expect(headers()).toContain(name);
      expect(dialog.getByRole('checkbox', { name })).toHaveProperty('checked', true);
    }
    fireEvent.click(dialog.getByRole('checkbox', { name: '備考' }));
    expect(headers()).toHaveLength(22);
  });

  it.each([null, '{"hidden":[],"widths":{}}'])(
    'hide the telephone number until it is chosen (kept: %s)',
    async (kept) => {
      if (kept !== null) keep('columns', kept);
      const { unmount } = await show();
      const phone = (await openDialog()).getByRole('checkbox', { name: '電話番号' });
      expect([phone, headers().includes('電話番号')]).toMatchObject([{ checked: false }, false]);
      fireEvent.click(phone);
      expect(headers()).toContain('電話番号');
      unmount();
      await show();
      expect(headers()).toContain('電話番号');
      fireEvent.click((await openDialog()).getByRole('checkbox', { name: '電話番号' }));
      expect(headers()).not.toContain('電話番号');
    },
  );

  it('are those of a preset, which keeps the widths', async () => {
    await show();
    await press('会社名', '{Enter}{ArrowRight}');
    const dialog = await openDialog();
    fireEvent.click(dialog.getByRole('button', { name: '送信' }));
    expect(headers().join(' ').trim()).toBe(
      '有効 最終送信日時 予約日時 会社名 ステータス 備考 代表メール 代表者 公開元URL 確認日 営業お断り',
    );
    expect(dialog.getByRole('button', { pressed: true }).textContent).toBe('送信');
    expect(widthAt(4)).toBe(298);
    fireEvent.click(dialog.getByRole('button', { name: 'すべて' }));
    expect(headers()).toHaveLength(23);
  });

  it('have the widths that the keyboard gives them, within limits, until these are taken back', async () => {
    await show();
    const edge = await press('会社名', '{Enter}{ArrowRight}{ArrowRight}{ArrowLeft}');
    expect([widthAt(4), edge.ariaValueNow, edge.getAttribute('aria-valuetext')]).toEqual([
      298,
      '298',
      '会社名の幅 298ピクセル（←→で変更中）',
    ]);
    await userEvent.keyboard('{ArrowLeft>40/}');
    expect(widthAt(4)).toBe(60);
    await userEvent.keyboard('{ArrowRight>80/}');
    expect(widthAt(4)).toBe(600);
    expect(within(screen.getByRole('columnheader', { name: '有効' })).queryByRole('separator')).toBeNull();
    const dialog = await openDialog();
    fireEvent.click(dialog.getByRole('checkbox', { name: '住所' }));
    fireEvent.click(dialog.getByRole('button', { name: '幅を元に戻す' }));
    expect(widthAt(4)).toBe(288);
    expect(headers()).not.toContain('住所');
  });

  it('leave the arrow keys to the table until an edge is taken, and after it is let go', async () => {
    await show();
    for (const end of ['{Enter}', '{Escape}']) {
      const edge = await press('会社名', '{ArrowRight}');
      expect(document.activeElement).not.toBe(edge);
      await press('会社名', `{Enter}{ArrowRight}${end}`);
      expect(document.activeElement).toBe(edge);
      await userEvent.keyboard('{ArrowLeft}');
      expect(document.activeElement).toBe(screen.getByRole('button', { name: '会社名' }));
    }
    expect(widthAt(4)).toBe(308);
    // Another focus lets go too.
    const edge = await press('会社名', '{Enter}{Tab}');
    edge.focus();
    await userEvent.keyboard('{ArrowRight}');
    expect(widthAt(4)).toBe(308);
  });

  it('fit their longest content by Home, and by a double click', async () => {
    await show();
    // The browser lays the cells out; here each is as wide as its text.
    vi.spyOn(Element.prototype, 'getBoundingClientRect').mockImplementation(function (this: Element) {
      return { width: 20 + 10 * (this.textContent?.length ?? 0) } as DOMRect;
    });
    await press('代表メール', '{Enter}{Home}');
    expect(widthAt(7)).toBe(20 + 10 * 'info@c1.example.jp'.length);
    fireEvent.doubleClick(edgeOf('業種'));
    // Its header is wider.
    expect(widthAt(9)).toBe(2 * 14 + 40);
    fireEvent.doubleClick(edgeOf('予約日時'));
    expect(widthAt(3)).toBe(4 * 14 + 40);
    vi.restoreAllMocks();
  });

  it('are dragged by the edge of their header', async () => {
    await show();
    const edge = edgeOf('会社名');
    edge.setPointerCapture = () => undefined;
    fireEvent.pointerDown(edge, { button: 0, clientX: 100 });
    fireEvent.pointerMove(edge, { clientX: 130 });
    expect(widthAt(4)).toBe(318);
    fireEvent.pointerMove(edge, { clientX: -900 });
    fireEvent.pointerUp(edge);
    expect(widthAt(4)).toBe(60);
    fireEvent.pointerMove(edge, { clientX: 500 });
    expect(widthAt(4)).toBe(60);
    expect(JSON.parse(readKept('columns') ?? '')).toEqual({
      hidden: [],
      optional: [],
      widths: { company_name: 60 },
    });
  });

  it('keep their settings, only for the same user', async () => {
    const { unmount } = await show();
    fireEvent.click((await openDialog()).getByRole('checkbox', { name: '住所' }));
    unmount();
    const again = await show();
    expect(headers()).not.toContain('住所');
    again.unmount();
    startSession('token-2', { ...USER, id: USER.id + 1 });
    await show();
    expect(headers()).toContain('住所');
  });

  it.each(['{', 'null', '[]', '{"hidden":7,"widths":{"ceo":"x","address":1e9}}'])(
    'are as they were made where %s was kept',
    async (kept) => {
      keep('columns', kept);
      await show();
      expect(headers()).toHaveLength(22);
      expect(widthAt(8)).toBe(118);
    },
  );

  it('are chosen by keyboard: the focus moves into the dialog and back', async () => {
    await show();
    const button = screen.getByRole('button', { name: '列の設定' });
    button.focus();
    const dialog = await openDialog();
    await waitFor(() => expect(document.activeElement).toBe(dialog.getByRole('checkbox', { name: '有効' })));
    fireEvent.keyDown(document.activeElement as Element, { key: 'Escape' });
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(document.activeElement).toBe(button);
  });
});

describe('own columns', () => {
  const FIELDS = Array.from({ length: 11 }, (_, n) => ({
    id: n,
    key: `k${n}`,
    label: `項目${n}`,
    type: n === 0 ? 'date' : n === 1 ? 'url' : 'text',
    archived: 0,
    options: [],
  }));
  const ROW = {
    ...prospect(1),
    tags: [{ id: 1, label: '重点', colour: 1 }],
    primary: { name: '佐藤 一郎', department: '購買部', title: '' },
    custom: { k0: '2026-10-15', k1: 'https://x.jp/jobs' },
  };

  async function showOwn(view: Handlers['GET /prospect/view'] = () => ok({ rows: [ROW], total: 1 })) {
    startSession('token-1', { ...USER, has_primary_email: 1 });
    const made = await show({
      'GET /prospect/view': view,
      'GET /custom_field/list': () => ok(FIELDS),
      'GET /tag/list': () => ok([{ id: 1, label: '重点', colour: 1, archived: 0 }]),
    });
    const asked = () =>
      made.requests.flatMap(({ path, query }) => (path === '/prospect/view' ? query.get('own_columns') : []));
    return { ...made, asked };
  }

  it('are asked for where they are shown, and show each value in its form', async () => {
    const { asked } = await showOwn();
    const dialog = await openDialog();
    expect(asked()).toEqual([null]);
    for (const name of ['主担当', 'タグ', '項目0', '項目1'])
      fireEvent.click(await dialog.findByRole('checkbox', { name }));
    await waitFor(() => expect(asked().at(-1)).toBe('primary,tags,k0,k1'));
    expect(headers().slice(6, 10)).toEqual(['主担当', 'タグ', '項目0', '項目1']);
    const cell = (label: string) => document.querySelector(`td[data-label="${label}"]`);
    await waitFor(() => expect(cell('項目0')?.textContent).toBe('2026/10/15'));
    expect([cell('主担当')?.textContent, cell('タグ')?.textContent]).toEqual(['佐藤 一郎 購買部', '重点']);
    expect(cell('項目1')?.querySelector('a')?.rel).toBe('noopener noreferrer');
    // A preset knows none of them.
    fireEvent.click(dialog.getByRole('button', { name: '営業' }));
    expect(headers()).toContain('項目0');
  });

  it('are ten at most, and an eleventh is told so', async () => {
    keep('columns', JSON.stringify({ optional: ['own.tags', ...FIELDS.slice(0, 9).map(({ key }) => `own.${key}`)] }));
    const { asked } = await showOwn();
    const dialog = await openDialog();
    const eleventh = await dialog.findByRole('checkbox', { name: '項目9' });
    fireEvent.click(eleventh);
    expect(dialog.getByText(/合わせて10列まで/)).toBeDefined();
    expect(eleventh).toHaveProperty('checked', false);
    fireEvent.click(dialog.getByRole('checkbox', { name: 'タグ' }));
    fireEvent.click(eleventh);
    expect(dialog.queryByText(/合わせて10列まで/)).toBeNull();
    await waitFor(() => expect(asked().at(-1)?.split(',').at(-1)).toBe('k9'));
  });

  it('of a field that a restored database does not have are dropped, and the list is shown', async () => {
    keep('columns', JSON.stringify({ optional: ['own.lost', 'own.k0', 'phone'] }));
    const { asked } = await showOwn(({ query }) =>
      query.get('own_columns')?.includes('lost')
        ? refused(400, '項目「lost」はありません')
        : ok({ rows: [ROW], total: 1 }),
    );
    await waitFor(() => expect(asked()).toEqual(['lost,k0', null, 'k0']));
    expect(JSON.parse(readKept('columns') ?? '')).toMatchObject({ optional: ['own.k0', 'phone'] });
  });
});
