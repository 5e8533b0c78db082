import { act, cleanup, fireEvent, screen } from '@testing-library/react';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { ProspectFilter } from '#contract/companies/prospects-filter.ts';
import { renderPart } from '#test/web/render.tsx';
import { logInAs } from '#test/web/samples.ts';
import { queryClient } from '#web/lib/api/query-client.ts';
import { releaseAll } from '#web/lib/session/session-store.ts';
import { savedConditions } from '../saved-conditions/saved-condition.ts';
import { FilterPanel } from './filter-panel.tsx';
import { setTypedFilter } from './filter-state.ts';

const onChange = vi.fn();
const PANEL = { current: null };
const LIST = { status: undefined, group: undefined, onApply: () => undefined };
const panel = (filter: ProspectFilter) => <FilterPanel ref={PANEL} filter={filter} onChange={onChange} list={LIST} />;
const renderPanel = (filter: ProspectFilter) => renderPart(panel(filter));
const field = (label: string): HTMLInputElement => screen.getByLabelText(label);
const type = (label: string, value: string) => fireEvent.change(field(label), { target: { value } });
const rest = () => act(async () => vi.advanceTimersByTime(300));

beforeEach(() => {
  logInAs();
  queryClient.setQueryData(savedConditions.queryKey, []);
  onChange.mockClear();
  vi.useFakeTimers();
});

describe('range fields', () => {
  it.each([
    ['50000000', 50_000_000],
    ['５０００万', 50_000_000],
    ['1億', 100_000_000],
    ['1,234', 1234],
    ['△500', -500],
    ['¥1,000,000', 1_000_000],
    ['0', 0],
  ])('reads %s', async (written, value) => {
    renderPanel({});
    type('売上高（下限）', written);
    await rest();
    expect(onChange).toHaveBeenCalledExactlyOnceWith({ amount_of_sales_from: value });
    expect(field('売上高（下限）').value).toBe(written);
  });

  const notNumber = '整数で入力してください。入力例：100';
  const tooLarge = '数が大きすぎます。15桁までにしてください';
  it.each([
    ['abc', notNumber],
    ['1.5', notNumber],
    ['１億万', notNumber],
    ['-'.repeat(30), notNumber],
    ['9007199254740993', tooLarge],
    ['123456789012345678901', tooLarge],
  ])('shows the fault of %s at its field', async (written, fault) => {
    renderPanel({});
    type('従業員数（上限）', written);
    await rest();
    const input = field('従業員数（上限）');
    expect(input.getAttribute('aria-invalid')).toBe('true');
    const note = document.getElementById(input.getAttribute('aria-describedby')?.split(' ')[0] ?? '');
    expect(note?.textContent).toBe(fault);
    expect(field('従業員数（下限）').getAttribute('aria-invalid')).toBeNull();
    expect(onChange).not.toHaveBeenCalled();
  });

  it('restores faulty text after a reload, and applies text that was not applied yet', async () => {
    renderPanel({});
    type('従業員数（上限）', '多い');
    type('地域', '東京');
    cleanup();
    renderPanel({});
    expect(field('従業員数（上限）').value).toBe('多い');
    expect(field('従業員数（上限）').getAttribute('aria-invalid')).toBe('true');
    expect(onChange).not.toHaveBeenCalled();
    await rest();
    expect(onChange).toHaveBeenCalledExactlyOnceWith({ address: '東京' });
    // Another address has another filter.
    cleanup();
    renderPanel({ address: '大阪' });
    expect([field('地域').value, field('従業員数（上限）').value]).toEqual(['大阪', '']);
  });

  it('keeps typed text for the next session when this one ends before it filters', async () => {
    renderPanel({});
    type('従業員数（上限）', '多い');
    type('地域', '大阪');
    act(() => releaseAll('expired'));
    await rest();
    expect(onChange).not.toHaveBeenCalled();
    cleanup();
    logInAs('token-2');
    renderPanel({});
    expect([field('地域').value, field('従業員数（上限）').value]).toEqual(['大阪', '多い']);
  });

  it('does not filter by a bound that has become invalid', async () => {
    renderPanel({ amount_of_sales_from: 5, address: '東京' });
    type('売上高（下限）', '5x');
    await rest();
    expect(onChange).toHaveBeenCalledExactlyOnceWith({ address: '東京' });
    expect(field('売上高（下限）').value).toBe('5x');
  });

  it.each([
    ['100', '100', true],
    ['100', '101', true],
    ['100', '102', false],
    ['-300万', '-500万', true],
  ])('filters by a range from %s to %s, and reports that it is empty: %s', async (from, to, isEmpty) => {
    renderPanel({});
    type('経常利益（上限）', to);
    type('経常利益（下限）', from);
    await rest();
    expect(onChange).toHaveBeenCalledOnce();
    expect(Object.keys(onChange.mock.calls[0]?.[0] ?? {})).toStrictEqual([
      'ordinary_profit_from',
      'ordinary_profit_to',
    ]);
    const note = screen.queryByText('間に入る値がありません。上限を大きくしてください');
    expect(note !== null).toBe(isEmpty);
    expect(field('経常利益（上限）').getAttribute('aria-describedby')).toBe(note?.id ?? null);
    expect(field('経常利益（下限）').getAttribute('aria-invalid')).toBeNull();
  });

  it('shows the filter of the address: money in groups, years plain', () => {
    renderPart(panel({ amount_of_sales_to: 1_000_000, year_of_establishment_from: 1999 }));
    expect(field('売上高（上限）').value).toBe('1,000,000');
    expect(field('設立年（下限）').value).toBe('1999');
  });
});

describe('text that was applied while the page was being replaced', () => {
  const loadedBy = (type: string) =>
    vi.spyOn(performance, 'getEntriesByType').mockReturnValue([{ type } as PerformanceNavigationTiming]);
  const text = { of: JSON.stringify({ address: '東京' }), replaced: '{}', fields: { address: '東京' } };

  it.each([
    ['reload', '東京'],
    ['navigate', ''],
  ])('at the address it left, by a %s: 「%s」', (type, shown) => {
    loadedBy(type);
    setTypedFilter(text);
    renderPanel({});
    expect(field('地域').value).toBe(shown);
  });

  it('belongs only to its own address once its list has closed', async () => {
    loadedBy('reload');
    renderPanel({});
    type('地域', '東京');
    await rest();
    cleanup();
    renderPanel({});
    expect(field('地域').value).toBe('');
  });
});

describe('filter panel', () => {
  it('filters once when typing pauses', async () => {
    renderPanel({});
    for (const text of ['製', '製造', '製造業']) {
      type('業種', text);
      await act(async () => vi.advanceTimersByTime(200));
    }
    expect(onChange).not.toHaveBeenCalled();
    await rest();
    expect(onChange).toHaveBeenCalledExactlyOnceWith({ major_industry_type: '製造業' });
  });

  it('waits for the end of a composition', async () => {
    renderPanel({});
    fireEvent.compositionStart(field('地域'));
    type('地域', 'とうきょう');
    await rest();
    await rest();
    expect(onChange).not.toHaveBeenCalled();
    type('地域', '東京');
    fireEvent.compositionEnd(field('地域'));
    await rest();
    expect(onChange).toHaveBeenCalledExactlyOnceWith({ address: '東京' });
  });

  it('stops waiting for a composition that lost the focus', async () => {
    renderPanel({});
    fireEvent.compositionStart(field('地域'));
    type('地域', '東京');
    fireEvent.blur(field('地域'));
    await rest();
    expect(onChange).toHaveBeenCalledExactlyOnceWith({ address: '東京' });
  });

  it('keeps the typed text when the address gets its own filter again', async () => {
    const view = renderPanel({});
    type('売上高（下限）', '5000万');
    await rest();
    view.rerender(panel({ amount_of_sales_from: 50_000_000 }));
    expect(field('売上高（下限）').value).toBe('5000万');
  });

  it('adopts a filter that was set elsewhere', async () => {
    const view = renderPanel({ address: '東京' });
    type('地域', '大阪');
    view.rerender(panel({ address: '福岡' }));
    await rest();
    expect(field('地域').value).toBe('福岡');
    expect(onChange).not.toHaveBeenCalled();
  });

  it('has three choices for a field that may be present', async () => {
    renderPanel({});
    const select = field('会社URL');
    expect([...select.querySelectorAll('option')].map((option) => option.textContent)).toEqual([
      '指定なし',
      'あり',
      'なし',
    ]);
    fireEvent.change(select, { target: { value: 'no' } });
    await rest();
    expect(onChange).toHaveBeenCalledExactlyOnceWith({ has_company_url: 'no' });
  });

  it('clears every condition, including invalid ones', async () => {
    renderPanel({ address: '東京' });
    type('経常利益（下限）', 'x');
    fireEvent.click(screen.getByRole('button', { name: '条件をクリア' }));
    await rest();
    expect(onChange).toHaveBeenCalledExactlyOnceWith({});
    expect(field('経常利益（下限）').value).toBe('');
    expect(field('経常利益（下限）').getAttribute('aria-invalid')).toBeNull();
  });

  it('shows while folded that a condition is invalid', () => {
    renderPanel({});
    type('売上高（下限）', '多い');
    expect(screen.getByText('誤りのある条件があります')).toBeDefined();
    fireEvent.click(screen.getByRole('button', { name: '絞り込み' }));
    expect(screen.queryByText('誤りのある条件があります')).toBeNull();
  });

  it('shows its conditions, folded or not, each with a button to remove it', async () => {
    const filter = {
      address: '東京、神奈川',
      has_contact_url: 'yes',
      amount_of_sales_from: 5,
      amount_of_sales_to: 2000,
    } as const;
    renderPanel(filter);
    const toggle = screen.getByRole('button', { name: '絞り込み' });
    fireEvent.click(toggle);
    expect(screen.getAllByRole('listitem')).toHaveLength(3);
    fireEvent.click(toggle);
    expect(toggle.getAttribute('aria-expanded')).toBe('false');
    expect(screen.queryByRole('textbox')).toBeNull();
    expect(screen.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual([
      '地域: 東京、神奈川',
      '問い合わせURL: あり',
      '売上高: 5円超 2,000円未満',
    ]);
    fireEvent.click(screen.getByRole('button', { name: '売上高の条件を外す' }));
    await rest();
    expect(onChange).toHaveBeenCalledExactlyOnceWith({ address: '東京、神奈川', has_contact_url: 'yes' });
    expect(document.activeElement).toBe(toggle);
  });

  it('shows its conditions below the fields while they are open, so that the first one moves nothing', () => {
    renderPanel({ address: '東京' });
    const comesAfter = () =>
      screen.getByRole('listitem').compareDocumentPosition(field('地域')) & Node.DOCUMENT_POSITION_PRECEDING;
    expect(comesAfter()).toBe(0);
    fireEvent.click(screen.getByRole('button', { name: '絞り込み' }));
    expect(comesAfter()).not.toBe(0);
  });

  it('is folded until the user unfolds it, and stays so in the session', () => {
    const isOpen = () => screen.getByRole('button', { name: '絞り込み' }).getAttribute('aria-expanded');
    const visit = () => {
      cleanup();
      renderPanel({});
      return isOpen();
    };
    expect(visit()).toBe('false');
    fireEvent.click(screen.getByRole('button', { name: '絞り込み' }));
    expect(visit()).toBe('true');
    act(() => releaseAll('logged-out'));
    logInAs('token-2');
    expect(visit()).toBe('false');
  });
});

describe('the search', () => {
  const SEARCH = '会社名・メールで探す';
  const wait = (ms: number) => act(async () => vi.advanceTimersByTime(ms));

  it('requests 200 ms after the last key, also while the filters are folded', async () => {
    renderPanel({ address: '東京' });
    for (const text of ['新', '新栄', '新栄 ']) {
      type(SEARCH, text);
      await wait(199);
    }
    expect(onChange).not.toHaveBeenCalled();
    await wait(1);
    expect(onChange).toHaveBeenCalledExactlyOnceWith({ search: '新栄', address: '東京' });
    expect(field(SEARCH).value).toBe('新栄 ');
  });

  it('requests nothing during an IME composition', async () => {
    renderPanel({});
    fireEvent.compositionStart(field(SEARCH));
    type(SEARCH, 'しんえい');
    await wait(1000);
    expect(onChange).not.toHaveBeenCalled();
    type(SEARCH, '新栄');
    fireEvent.compositionEnd(field(SEARCH));
    await wait(200);
    expect(onChange).toHaveBeenCalledExactlyOnceWith({ search: '新栄' });
  });

  it('has no chip, and is cleared with the conditions', async () => {
    renderPanel({ search: '新栄', address: '東京' });
    expect(screen.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual(['地域: 東京']);
    fireEvent.click(screen.getByRole('button', { name: '条件をクリア' }));
    await rest();
    expect(onChange).toHaveBeenCalledExactlyOnceWith({});
    expect(field(SEARCH).value).toBe('');
  });

  it.each([
    ['11 words', Array.from({ length: 11 }, (_, n) => `語${n}`).join(' '), '語は10個までにしてください'],
    ['201 characters', '社'.repeat(201), '検索の語が長すぎます。短くしてください'],
  ])('bad-inputs 216: of %s asks nothing, which is shown at the field', async (_, text, message) => {
    renderPanel({});
    type(SEARCH, text);
    await rest();
    const note = document.getElementById(field(SEARCH).getAttribute('aria-describedby') ?? '');
    expect([note?.textContent, onChange.mock.calls]).toEqual([message, []]);
    expect(screen.queryByText('誤りのある条件があります')).toBeNull();
  });
});

describe('text filters', () => {
  const fault = (label: string) =>
    document.getElementById(field(label).getAttribute('aria-describedby') ?? '')?.textContent;
  const terms = (count: number) => Array.from({ length: count }, (_, index) => `町${index}`).join('、');

  it.each([
    ['a term after 199 characters', `${'無'.repeat(199)}、東京`],
    ['100 terms', terms(100)],
  ])('bad-inputs 216: %s filter, all of them', async (_, text) => {
    renderPanel({});
    type('地域', text);
    await rest();
    expect(onChange).toHaveBeenCalledExactlyOnceWith({ address: text });
    expect(field('地域').getAttribute('aria-invalid')).toBeNull();
  });

  it.each([
    ['3,000 terms', terms(3000), '語は100個までにしてください'],
    ['more than an address takes', '町'.repeat(1400), '絞り込みの条件が長すぎます。語を減らしてください'],
  ])('bad-inputs 216: by %s nothing is filtered, which is shown at the field', async (_, text, message) => {
    renderPanel({ company_email: '@' });
    type('業種', '製造');
    type('地域', text);
    await rest();
    expect([field('地域').getAttribute('aria-invalid'), fault('地域')]).toEqual(['true', message]);
    expect([field('地域').value, onChange.mock.calls]).toEqual([text, []]);
    type('地域', '東京');
    await rest();
    expect(onChange).toHaveBeenCalledExactlyOnceWith({
      major_industry_type: '製造',
      address: '東京',
      company_email: '@',
    });
  });

  it('that are too long together are reported at the longest field, also from an address', () => {
    const filter = { address: '町'.repeat(900), company_email: '町'.repeat(500) };
    renderPanel(filter);
    expect(fault('地域')).toBe('絞り込みの条件が長すぎます。語を減らしてください');
    expect(fault('代表メール')).toBeUndefined();
  });
});
