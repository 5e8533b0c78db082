import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import { renderPart } from '#test/web/render.tsx';
import { choiceOf, FilterBar, saidOf, searchOf } from './filter-bar.tsx';

const CHOICES = [
  { value: '', label: 'すべて' },
  { value: '7', label: '首都圏営業部' },
];
const FIELD = <input aria-label="件名" />;
const COUNT = <span>該当 3件</span>;

function onPhone(): void {
  vi.stubGlobal('matchMedia', (query: string) => ({
    matches: query.includes('640px'),
    addEventListener: () => undefined,
    removeEventListener: () => undefined,
  }));
}

it('folds its fields on phones, says what they are set to, and keeps the count', async () => {
  onPhone();
  const chosen = [...choiceOf('送信者グループ', CHOICES, 7), ...searchOf('提案')];
  renderPart(
    <FilterBar chosen={chosen} status={COUNT}>
      {FIELD}
    </FilterBar>,
  );
  const fold = screen.getByRole('button', {
    name: '絞り込み 送信者グループ：首都圏営業部、検索：提案',
    expanded: false,
  });
  expect([screen.queryByLabelText('件名'), screen.queryByText('該当 3件') === null]).toEqual([null, false]);
  await userEvent.click(fold);
  expect([fold.ariaExpanded, screen.queryByLabelText('件名') === null]).toEqual(['true', false]);
  await userEvent.click(fold);
  expect(screen.queryByLabelText('件名')).toBeNull();
});

it('does not fold a field that has a fault', () => {
  onPhone();
  renderPart(
    <FilterBar chosen={[]} hasFault>
      {FIELD}
    </FilterBar>,
  );
  expect(screen.getByLabelText('件名')).toBeDefined();
});

it.each<[string, string[] | undefined, () => void]>([
  ['on a wide screen', ['期間：今月'], () => undefined],
  ['without a text for its line', undefined, onPhone],
])('is always open %s', (_, chosen, screenOf) => {
  screenOf();
  renderPart(
    <FilterBar {...(chosen && { chosen })} status={COUNT}>
      {FIELD}
    </FilterBar>,
  );
  expect([screen.queryByRole('button'), screen.getByLabelText('件名').tagName]).toEqual([null, 'INPUT']);
  expect(screen.getByText('該当 3件')).toBeDefined();
});

it.each([
  ['the first choice', choiceOf('グループ', CHOICES, ''), []],
  ['a value that hides nothing', choiceOf('種別', [{ value: 'real', label: '本番のみ' }], 'real', 'real'), []],
  ['a value without a choice, as before its choices have loaded', choiceOf('グループ', CHOICES, 9), []],
  ['an empty search', searchOf(''), []],
  ['no search', searchOf(undefined), []],
  ['a label', saidOf('期間', '今月'), ['期間：今月']],
])('says of %s', (_, said, expected) => {
  expect(said).toEqual(expected);
});
