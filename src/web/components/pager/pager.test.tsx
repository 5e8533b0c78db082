import { fireEvent, screen } from '@testing-library/react';
import { describe, expect, it, vi } from 'vitest';
import { renderPart } from '#test/web/render.tsx';
import { Pager, shownPages } from './pager.tsx';

describe('the buttons of a list of pages', () => {
  it.each([
    [1, 1, '1'],
    [3, 7, '1 2 3 4 5 6 7'],
    [1, 8, '1 2 3 4 5 … 8'],
    [4, 8, '1 2 3 4 5 … 8'],
    [5, 8, '1 … 4 5 6 7 8'],
    [5, 9, '1 … 4 5 6 … 9'],
    [6, 9, '1 … 5 6 7 8 9'],
    [9, 9, '1 … 5 6 7 8 9'],
    [12, 9, '1 … 5 6 7 8 9'],
  ])('at page %i of %i are %s', (page, pages, expected) => {
    expect(
      shownPages(page, pages)
        .map((number) => number ?? '…')
        .join(' '),
    ).toBe(expected);
  });
});

const show = (page: number) => {
  const onPage = vi.fn();
  renderPart(<Pager total={450} page={page} size={50} isLoading={false} onPage={onPage} onSize={() => undefined} />);
  const press = (name: string) => fireEvent.click(screen.getByRole('button', { name }));
  return { onPage, press };
};
const disabled = () =>
  screen
    .getAllByRole<HTMLButtonElement>('button')
    .filter((button) => button.disabled)
    .map((button) => button.getAttribute('aria-label'));

it('link to the ends, the neighbours and the pages between, and mark the current page', () => {
  const { onPage, press } = show(5);
  for (const name of ['最初のページ', '前のページ', '6ページ目', '次のページ', '最後のページ']) press(name);
  expect(onPage.mock.calls).toEqual([[1], [4], [6], [6], [9]]);
  expect(screen.getByRole('button', { current: 'page' }).textContent).toBe('5');
  expect(disabled()).toEqual([]);
});

it.each([
  [50, false],
  [51, true],
])('offers a size for %i rows, where 50 fit: %s', (total, isOffered) => {
  renderPart(<Pager total={total} page={1} size={100} isLoading={false} onPage={vi.fn()} onSize={vi.fn()} />);
  expect(screen.queryByRole('combobox') !== null).toBe(isOffered);
});

it.each([
  [undefined, false],
  [0, true],
])('without rows, where %s fit, is there: %s', (fits, isThere) => {
  const more = fits === undefined ? {} : { fits };
  renderPart(<Pager total={0} page={1} size={50} isLoading={false} onPage={vi.fn()} onSize={vi.fn()} {...more} />);
  expect(screen.queryByRole('navigation') !== null).toBe(isThere);
});

it.each([
  [1, ['最初のページ', '前のページ']],
  [9, ['次のページ', '最後のページ']],
])('has nothing beyond the end at page %i', (page, names) => {
  show(page);
  expect(disabled()).toEqual(names);
});
