import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';
import { renderPart } from '#test/web/render.tsx';
import { ServerSetting } from './info-note.tsx';

it('hides the names of settings until its mark is pressed', async () => {
  renderPart(<ServerSetting>PUBLIC_URL</ServerSetting>);
  expect(screen.getByText('このサーバーの設定が必要です')).toBeDefined();
  const mark = screen.getByRole('button', { name: '設定のしかた', expanded: false });
  const note = document.getElementById(mark.getAttribute('aria-controls') ?? '');
  expect(note?.hidden).toBe(true);
  await userEvent.tab();
  await userEvent.keyboard('{Enter}');
  expect(screen.getByRole('note', { name: '設定のしかた' })).toBe(note);
  await userEvent.click(screen.getByRole('button', { name: '設定のしかた', expanded: true }));
  expect(note?.hidden).toBe(true);
});
