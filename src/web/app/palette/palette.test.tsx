import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';
import { fakeApi, ok, refused } from '#test/web/fake-api.ts';
import { renderApp } from '#test/web/render.tsx';
import { logInAs } from '#test/web/samples.ts';
import { matchingItems } from './palette-items.ts';

const SENDER = { id: 1, subject: '業務改善のご提案', person_in_charge: '田中', group: '営業部', template_id: 5 };

const FIND = '画面・テンプレートを探す';

async function openPalette() {
  logInAs();
  fakeApi({ 'GET /sender/list': () => ok([SENDER]), 'GET /account/7': () => refused(403, '') });
  const view = await renderApp('/sends');
  await screen.findByText('送信の履歴はまだありません');
  fireEvent.keyDown(document.body, { key: 'k', ctrlKey: true });
  const field = await screen.findByRole('combobox', { name: FIND });
  await screen.findByRole('option', { name: /^業務改善のご提案/ });
  const dialog = within(screen.getByRole('dialog'));
  const options = () => dialog.queryAllByRole('option').map(({ textContent }) => textContent);
  const active = () => document.getElementById(field.getAttribute('aria-activedescendant') ?? '')?.textContent;
  return { ...view, field, options, active };
}

describe('the palette', () => {
  it('lists the screens and the templates, and finds by parts of their names', async () => {
    const { field, options } = await openPalette();
    expect(options()).toContain('送信履歴画面');
    await userEvent.type(field, '改善　田中');
    expect(options()).toEqual(['業務改善のご提案営業部（田中）テンプレート']);
    await userEvent.type(field, 'x');
    expect(options()).toEqual([]);
    expect(screen.getByText('見つかりません')).toBeDefined();
  });

  it('moves by arrows, round the ends, and opens by Enter', async () => {
    const { field, active, router } = await openPalette();
    expect(active()).toBe('見込み客画面');
    fireEvent.keyDown(field, { key: 'ArrowUp' });
    expect(active()).toMatch(/^業務改善/);
    fireEvent.keyDown(field, { key: 'ArrowDown' });
    await userEvent.type(field, 'アカウント');
    fireEvent.keyDown(field, { key: 'Enter' });
    await waitFor(() => expect(router.state.location.pathname).toBe('/account'));
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  it('opens nothing by the Enter that ends a conversion of the input method', async () => {
    const { field, router, active } = await openPalette();
    fireEvent.keyDown(field, { key: 'ArrowDown', isComposing: true });
    fireEvent.keyDown(field, { key: 'Enter', isComposing: true });
    fireEvent.keyDown(field, { key: 'Enter', keyCode: 229 });
    expect(active()).toBe('見込み客画面');
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

it('full-width and half-width letters, capitals and small ones are equal', () => {
  const item = { group: 'templates', label: 'ＡＢＣ商事 ｶﾀﾛｸﾞ', to: '/' } as const;
  expect(matchingItems([item], 'abc カタログ')).toEqual([item]);
  expect(matchingItems([item], 'abd')).toEqual([]);
});
