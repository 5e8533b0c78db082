import { act, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { beforeEach, expect, it, vi } from 'vitest';
import type { ProspectFilter } from '#contract/companies/prospects-filter.ts';
import { type FakeAnswer, type FakeRequest, fakeApi, ok, refused } from '#test/web/fake-api.ts';
import { renderPart } from '#test/web/render.tsx';
import { logInAs } from '#test/web/samples.ts';
import { useShownTotal } from '#web/components/inline/matches.tsx';
import { FilterPanel } from './filter-panel.tsx';
import { setFilterOpen } from './filter-state.ts';

const PANEL = { current: null };
const LIST = { status: undefined, group: undefined, onApply: () => undefined };
const onChange = vi.fn();

function Panel() {
  const [filter, setFilter] = useState<ProspectFilter>({});
  const change = (next: ProspectFilter) => {
    onChange(next);
    setFilter(next);
  };
  return <FilterPanel ref={PANEL} filter={filter} onChange={change} list={LIST} />;
}

const INDUSTRIES = [
  { term: '製造業', companies: 1204 },
  { term: 'IT', companies: 37 },
];

function open(answer: () => FakeAnswer = () => ok({ too_many: 0, industries: INDUSTRIES })): FakeRequest[] {
  const requests = fakeApi({ 'GET /saved_condition/list': () => ok([]), 'GET /prospect/industries': answer });
  setFilterOpen(true);
  renderPart(<Panel />);
  return requests;
}

const asked = (requests: readonly FakeRequest[]) =>
  requests.filter(({ path }) => path === '/prospect/industries').map(({ query }) => query.get('column'));
const list = async (label: string) =>
  userEvent.click(await screen.findByRole('button', { name: `${label}を一覧から選ぶ` }));
const term = (name: string | RegExp) => screen.findByRole('button', { name });
const field = (label: string): HTMLInputElement => screen.getByLabelText(label);

beforeEach(() => {
  logInAs();
  onChange.mockClear();
});

it('asks for the industries of a column when its list opens, and keeps them', async () => {
  const requests = open();
  await screen.findByRole('button', { name: '業種を一覧から選ぶ' });
  expect(asked(requests)).toEqual([]);
  await list('業種');
  expect((await term(/^製造業/)).textContent).toBe('製造業1,204社');
  await list('業種');
  await list('業種');
  await term(/^製造業/);
  await list('内部業種');
  await waitFor(() => expect(asked(requests)).toEqual(['major_industry_type', 'included_industry_type']));
});

it('a term adds itself to the text, and removes itself, while the list stays', async () => {
  open();
  await userEvent.type(field('業種'), '建設, ｉｔ');
  await list('業種');
  expect((await term(/^IT/)).getAttribute('aria-pressed')).toBe('true');
  await userEvent.click(await term(/^製造業/));
  expect(field('業種').value).toBe('建設、it、製造業');
  await userEvent.click(await term(/^IT/));
  expect(field('業種').value).toBe('建設、製造業');
  expect((await term(/^製造業/)).getAttribute('aria-pressed')).toBe('true');
  await waitFor(() => expect(onChange).toHaveBeenLastCalledWith({ major_industry_type: '建設、製造業' }));
  await userEvent.click(await term(/^製造業/));
  expect(field('業種').value).toBe('建設');
});

it('is used by keyboard alone: arrows move, Enter chooses, Escape returns to ▾', async () => {
  open();
  await list('業種');
  await term(/^IT/);
  await userEvent.keyboard('{ArrowDown}{ArrowDown}{Enter}');
  expect(field('業種').value).toBe('IT');
  expect(document.activeElement).toBe(await term(/^IT/));
  await userEvent.keyboard('{Home}{Enter}{Escape}');
  expect(field('業種').value).toBe('IT、製造業');
  expect(document.activeElement).toBe(screen.getByRole('button', { name: '業種を一覧から選ぶ' }));
  expect(screen.queryByRole('button', { name: /^IT/ })).toBeNull();
});

it.each([
  [
    'bad-inputs: too many values',
    { too_many: 1, industries: [] },
    '種類が多いため、一覧を表示できません。欄に入力してください',
  ],
  ['no value', { too_many: 0, industries: [] }, '業種の入った会社がありません'],
  [
    'a hundred terms',
    { too_many: 0, industries: Array.from({ length: 100 }, (_, n) => ({ term: `業種${n}`, companies: 1 })) },
    '会社の多い順に100個までです',
  ],
])('%s: says so', async (_, answer, note) => {
  open(() => ok(answer));
  await list('業種');
  expect(await screen.findByText(note)).toBeDefined();
  expect(screen.queryAllByRole('button', { name: /^業種\d+1社$/ })).toHaveLength(answer.industries.length);
});

it('shows a failure in place of the list, and asks again', async () => {
  let isFailing = true;
  open(() => (isFailing ? refused(422, '数えられませんでした。') : ok({ too_many: 0, industries: INDUSTRIES })));
  await list('業種');
  expect(await screen.findByText(/数えられませんでした/)).toBeDefined();
  isFailing = false;
  await userEvent.click(screen.getByRole('button', { name: '再読み込み' }));
  expect(await term(/^製造業/)).toBeDefined();
  await userEvent.click(await term(/^製造業/));
  expect(field('業種').value).toBe('製造業');
});

it('offers 47 prefectures by region, and asks nobody', async () => {
  const requests = open();
  await list('地域');
  const kinki = within(await screen.findByRole('group', { name: '近畿' }));
  expect(kinki.getAllByRole('button')).toHaveLength(7);
  const prefectures = screen.getAllByRole('button', { name: /[都道府県]$/ });
  expect(new Set(prefectures.map(({ textContent }) => textContent)).size).toBe(47);
  await userEvent.click(kinki.getByRole('button', { name: '大阪府' }));
  await userEvent.click(await term('東京都'));
  expect(field('地域').value).toBe('大阪府、東京都');
  expect(asked(requests)).toEqual([]);
});

it('has no list for 代表メール', async () => {
  open();
  await screen.findByRole('button', { name: '地域を一覧から選ぶ' });
  expect(screen.queryByRole('button', { name: '代表メールを一覧から選ぶ' })).toBeNull();
});

const total = (value: number | undefined) => act(() => useShownTotal.setState({ total: value }));

it('shows the number of the list below, and none while it is counted or not applied yet', async () => {
  open();
  total(1234);
  expect(screen.getByText('この条件に合う会社 1,234社')).toBeDefined();
  await userEvent.type(field('地域'), '東');
  expect(screen.getByText('この条件に合う会社 …社')).toBeDefined();
  await waitFor(() => expect(onChange).toHaveBeenCalled());
  total(undefined);
  expect(screen.getByText('この条件に合う会社 …社')).toBeDefined();
});

it('on phones the number is a button, which closes the panel', async () => {
  const wide = matchMedia;
  vi.stubGlobal('matchMedia', (query: string) => ({ ...wide(query), matches: query.includes('640px') }));
  open();
  expect(screen.getByRole('button', { name: '表示' })).toBeDefined();
  total(10);
  await userEvent.click(screen.getByRole('button', { name: '10社を表示' }));
  const toggle = screen.getByRole('button', { name: '絞り込み' });
  expect([toggle.getAttribute('aria-expanded'), document.activeElement]).toEqual(['false', toggle]);
  expect(screen.queryByRole('button', { name: '10社を表示' })).toBeNull();
});
