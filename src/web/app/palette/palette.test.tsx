import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it } from 'vitest';
import type { ProspectView } from '#contract/companies/prospects.ts';
import { fakeApi, ok, refused } from '#test/web/fake-api.ts';
import { renderApp, toastText } from '#test/web/render.tsx';
import { logInAs, prospect } from '#test/web/samples.ts';
import { useSenders } from '#web/features/senders/senders-state.ts';
import { openOverlay } from '../overlay-state.ts';
import { matchingItems } from './palette-items.ts';

const TEMPLATE = { id: 5, name: '業務改善のご提案', subject: '受発注の効率化', sendgrid_template_id: null };

const FIND = '会社名・人・テンプレート・画面を探す';

/** The companies that the server finds; by default none. null: it cannot answer. */
let found: { rows: ProspectView[]; total: number } | null;

/** The people that the server finds. */
let people: object[];

beforeEach(() => {
  people = [];
  found = { rows: [], total: 0 };
});

async function openPalette() {
  logInAs();
  const requests = fakeApi({
    'GET /mail_template/list': () => ok([TEMPLATE]),
    'GET /sender/list': () => ok([]),
    'GET /account/7': () => refused(403, ''),
    'GET /sender_group/list': () => ok([{ id: 1, group_name: '営業部' }]),
    'GET /prospect/view': () => (found === null ? refused(403, '検索できません') : ok(found)),
    'GET /person/find': () => ok(people),
    'GET /prospect/9': () => refused(404, ''),
    'GET /prospect/9/timeline': () => refused(404, ''),
  });
  const view = await renderApp('/sends');
  await screen.findByText('送信の履歴はまだありません');
  fireEvent.keyDown(document.body, { key: 'k', ctrlKey: true });
  const field = await screen.findByRole('combobox', { name: FIND });
  const dialog = within(screen.getByRole('dialog'));
  // The history's filter behind the dialog offers the template too.
  await dialog.findByRole('option', { name: /^業務改善のご提案/ });
  const options = () => dialog.queryAllByRole('option').map(({ textContent }) => textContent);
  const active = () => document.getElementById(field.getAttribute('aria-activedescendant') ?? '')?.textContent;
  const searches = () =>
    requests.filter(({ path }) => path === '/prospect/view').map(({ query }) => query.get('search'));
  return { ...view, field, options, active, searches };
}

describe('the palette', () => {
  it('lists the screens and the templates, and finds by parts of their names', async () => {
    const { field, options } = await openPalette();
    expect(options()).toContain('送信履歴');
    await userEvent.type(field, '改善　効率');
    expect(options()).toEqual(['業務改善のご提案受発注の効率化']);
    await userEvent.type(field, 'x');
    expect(options()).toEqual([]);
    expect(await screen.findByText('見つかりません')).toBeDefined();
  });

  it('finds people by name or address, and opens their company', async () => {
    const sato = { id: 1, prospect_id: 9, company_name: '第9商事', name: '佐藤 一郎', email: null, is_primary: 1 };
    const nameless = { ...sato, id: 2, name: '', email: 'sato@c9.example.jp', department: '', title: '' };
    people = [{ ...sato, department: '購買部', title: '部長' }, nameless];
    const { field, options, router } = await openPalette();
    await userEvent.type(field, '佐藤');
    await screen.findByRole('option', { name: /^佐藤 一郎/ });
    expect(options()).toEqual(['佐藤 一郎 購買部 部長第9商事', 'sato@c9.example.jp第9商事']);
    fireEvent.keyDown(field, { key: 'Enter' });
    await waitFor(() => expect(router.state.location.pathname).toBe('/prospects/9'));
  });

  it('finds companies, and opens the one that Enter chooses', async () => {
    found = { rows: Array.from({ length: 10 }, (_, n) => prospect(n + 9)), total: 12 };
    const { field, options, router, searches } = await openPalette();
    await userEvent.type(field, '商事');
    await screen.findByRole('option', { name: /^第9商事/ });
    expect(searches()).toEqual(['商事']);
    expect(options()).toHaveLength(9);
    expect(options().at(-1)).toBe('見込み客リストで12社を見る');
    fireEvent.keyDown(field, { key: 'Enter' });
    await waitFor(() => expect(router.state.location.pathname).toBe('/prospects/9'));
  });

  it('says a failed search by a toast', async () => {
    found = null;
    const { field } = await openPalette();
    await userEvent.type(field, '商事');
    expect(await toastText('alert')).toContain('検索できません');
  });

  it('searches no companies during an IME composition', async () => {
    const { field, searches } = await openPalette();
    fireEvent.compositionStart(field);
    fireEvent.change(field, { target: { value: 'しんえい' } });
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(searches()).toEqual([]);
    fireEvent.change(field, { target: { value: '新栄' } });
    fireEvent.compositionEnd(field);
    await waitFor(() => expect(searches()).toEqual(['新栄']));
  });

  it('moves by arrow keys, wraps at the ends, and opens by Enter', async () => {
    const { field, active, router } = await openPalette();
    expect(active()).toBe('会社を追加');
    fireEvent.keyDown(field, { key: 'ArrowUp' });
    expect(active()).toMatch(/^業務改善/);
    fireEvent.keyDown(field, { key: 'ArrowDown' });
    await userEvent.type(field, 'アカウント');
    fireEvent.keyDown(field, { key: 'Enter' });
    await waitFor(() => expect(router.state.location.pathname).toBe('/account'));
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  it('lists the actions first, and opens the dialog that adds a company', async () => {
    const { field, options, router } = await openPalette();
    expect(options().slice(0, 3)).toEqual(['会社を追加', 'CSVを取り込む', '見込み客']);
    expect(screen.getAllByRole('group').map((group) => group.ariaLabel ?? group.getAttribute('aria-label'))).toEqual(
      expect.arrayContaining(['操作', '画面', 'テンプレート']),
    );
    fireEvent.keyDown(field, { key: 'Enter' });
    expect(await screen.findByRole('dialog', { name: '会社の追加' })).toBeDefined();
    expect(router.state.location.pathname).toBe('/');
  });

  it('opens nothing by the Enter that ends an IME conversion', async () => {
    const { field, router, active } = await openPalette();
    fireEvent.keyDown(field, { key: 'ArrowDown', isComposing: true });
    fireEvent.keyDown(field, { key: 'Enter', isComposing: true });
    fireEvent.keyDown(field, { key: 'Enter', keyCode: 229 });
    expect(active()).toBe('会社を追加');
    expect(router.state.location.pathname).toBe('/sends');
    expect(screen.getByRole('dialog')).toBeDefined();
  });

  it('closes by its own key, and does not open over another dialog', async () => {
    await openPalette();
    fireEvent.keyDown(document.body, { key: 'k', ctrlKey: true });
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    fireEvent.keyDown(document.body, { key: '?' });
    const dialog = await screen.findByRole('dialog', { name: 'キーボードの操作' });
    expect(within(dialog).getByText('Ctrl+K')).toBeDefined();
    fireEvent.keyDown(document.body, { key: 'k', ctrlKey: true });
    expect(screen.queryByRole('combobox', { name: FIND })).toBeNull();
  });
});

it('of senders lists those of the group by last use, and chooses one', async () => {
  logInAs();
  const sender = (id: number, template_name: string, last_used_at: string | null) => ({
    id,
    template_id: id,
    template_name,
    subject: `${template_name}の件名`,
    person_in_charge: '森 花子',
    is_confirmed: 1,
    last_used_at,
  });
  fakeApi({
    'GET /mail_template/list': () => ok([]),
    'GET /sender_group/list': () => ok([{ id: 1, group_name: '営業部' }]),
    'GET /sender/list': () => ok([sender(5, 'ご提案', null), sender(6, 'お礼', '2026/11/27 09:00:00')]),
  });
  await renderApp('/sends');
  await screen.findByText('送信の履歴はまだありません');
  openOverlay('senders');
  const field = await screen.findByRole('combobox', { name: 'テンプレート・件名・差出人を探す' });
  const dialog = within(screen.getByRole('dialog'));
  await dialog.findByRole('option', { name: /^ご提案/ });
  const options = () => dialog.getAllByRole('option').map(({ textContent }) => textContent);
  expect(options()).toEqual(['お礼森 花子・お礼の件名', 'ご提案森 花子・ご提案の件名']);
  await userEvent.type(field, '提案 花子');
  fireEvent.keyDown(field, { key: 'Enter' });
  await waitFor(() => expect(useSenders.getState().current_sender).toBe(5));
  expect(screen.queryByRole('dialog')).toBeNull();
});

it('full-width and half-width letters, upper and lower case match each other', () => {
  const item = { group: 'templates', label: 'ＡＢＣ商事 ｶﾀﾛｸﾞ', to: '/' } as const;
  expect(matchingItems([item], 'abc カタログ')).toEqual([item]);
  expect(matchingItems([item], 'abd')).toEqual([]);
});
