import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import { renderPart } from '#test/web/render.tsx';
import { SearchField } from './search-field.tsx';

it('searches after a pause, and at once when it is cleared', async () => {
  const onSearch = vi.fn<(search: string) => void>();
  renderPart(<SearchField label="会社名で探す" search="" onSearch={onSearch} />);
  const field = screen.getByRole('searchbox', { name: '会社名で探す' });
  expect(screen.queryByRole('button')).toBeNull();
  await userEvent.type(field, '商事');
  await waitFor(() => expect(onSearch.mock.lastCall).toEqual(['商事']));
  await userEvent.click(screen.getByRole('button', { name: '検索をクリア' }));
  expect(onSearch.mock.lastCall).toEqual(['']);
  expect([field, document.activeElement === field]).toEqual([expect.objectContaining({ value: '' }), true]);
});
