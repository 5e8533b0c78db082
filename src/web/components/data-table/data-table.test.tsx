import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { useState } from 'react';
import { flushSync } from 'react-dom';
import { createRoot } from 'react-dom/client';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { renderPart } from '#test/web/render.tsx';
import type { Column, Sort } from './column.ts';
import { DataTable } from './data-table.tsx';

interface Company {
  readonly id: number;
  readonly name: string;
  readonly sales: number | null;
}

const drawn = vi.fn();
const COLUMNS: readonly Column<Company>[] = [
  {
    id: 'name',
    header: '会社名',
    width: 200,
    pinnedAt: 0,
    isRowHeader: true,
    render: (row) => {
      drawn(row.id);
      return row.name;
    },
  },
  { id: 'sales', header: '売上高', unit: '円', kind: 'number', width: 100, render: (row) => row.sales ?? '' },
];
const company = (id: number, name = `会社${id}`): Company => ({ id, name, sales: id * 100 });

function table(rows: readonly Company[] | undefined, props: Partial<Parameters<typeof DataTable<Company>>[0]> = {}) {
  return <DataTable label="一覧" columns={COLUMNS} rows={rows} rowId={(row) => row.id} empty="ありません" {...props} />;
}

function Sorting({ onSort }: { readonly onSort: (sort: Sort | undefined) => void }) {
  const [sort, setSort] = useState<Sort>();
  return table([company(1)], {
    sort,
    onSort: (next) => {
      onSort(next);
      setSort(next);
    },
  });
}

describe('data table', () => {
  it('names rows by their header and columns by theirs', () => {
    renderPart(table([company(1)]));
    expect(screen.getByRole('grid', { name: '一覧' })).toBeDefined();
    expect(screen.getByRole('rowheader', { name: '会社1' })).toBeDefined();
    expect(screen.getByRole('columnheader', { name: '売上高（円）' })).toBeDefined();
  });

  it('gives each element its role, which a style sheet could remove', () => {
    renderPart(table([company(1)], { onSort: () => undefined }));
    const parts = screen.getByRole('grid').querySelectorAll('*:is(thead, tbody, tr, th, td)');
    expect([...parts].map((part) => `${part.tagName} ${part.getAttribute('role')}`)).toEqual([
      'THEAD rowgroup',
      'TR row',
      'TH columnheader',
      'TH columnheader',
      'TBODY rowgroup',
      'TR row',
      'TH rowheader',
      'TD gridcell',
    ]);
    expect(screen.getByRole('grid').getAttribute('role')).toBe('grid');
  });

  it('shows the empty message in place of the table', () => {
    renderPart(table([]));
    expect(screen.getByText('ありません')).toBeDefined();
    expect(screen.queryByRole('grid')).toBeNull();
  });

  it('reserves the height of rows that are loading', () => {
    renderPart(table(undefined));
    expect(screen.queryByText('ありません')).toBeNull();
    expect(screen.getByText('読み込み中…')).toBeDefined();
    expect(screen.getByRole('grid').closest('[aria-busy]')?.getAttribute('aria-busy')).toBe('true');
  });

  it('leaves the cell of a missing number empty and shows a zero', () => {
    renderPart(
      table([
        { id: 1, name: 'なし', sales: null },
        { id: 2, name: 'ゼロ', sales: 0 },
      ]),
    );
    const cells = screen.getAllByRole('gridcell').map((cell) => cell.textContent);
    expect(cells).toEqual(['', '0']);
  });

  it('shows markup as text, and long text in full on hover', () => {
    const name = `<img src=x onerror="alert(1)">${'長'.repeat(300)}`;
    renderPart(table([company(1, name)]));
    const cell = screen.getByRole('rowheader');
    expect(cell.textContent).toBe(name);
    expect(cell.title).toBe(name);
  });

  it('sorts ascending, descending and not, announces it and keeps the focus', async () => {
    const onSort = vi.fn();
    const { container } = renderPart(<Sorting onSort={onSort} />);
    const announced = () => container.querySelector('p[role=status]')?.textContent;
    const header = screen.getByRole('columnheader', { name: /会社名/ });
    const button = within(header).getByRole('button');
    button.focus();
    expect(announced()).toBe('');

    const seen: (string | null | undefined)[][] = [];
    for (let click = 0; click < 4; click++) {
      fireEvent.click(button);
      seen.push([header.getAttribute('aria-sort'), announced()]);
    }
    expect(seen).toEqual([
      ['ascending', '会社名の昇順で並べ替えました'],
      ['descending', '会社名の降順で並べ替えました'],
      [null, '並べ替えを解除しました'],
      ['ascending', '会社名の昇順で並べ替えました'],
    ]);
    expect(onSort.mock.calls.map(([sort]) => sort)).toEqual([
      { id: 'name', order: 'asc' },
      { id: 'name', order: 'desc' },
      undefined,
      { id: 'name', order: 'asc' },
    ]);
    expect(document.activeElement).toBe(button);
  });

  it('sorts numbers ascending first too, and one column at a time', () => {
    const onSort = vi.fn();
    renderPart(table([company(1)], { sort: { id: 'name', order: 'asc' }, onSort }));
    fireEvent.click(screen.getByRole('button', { name: /売上高/ }), { shiftKey: true });
    expect(onSort).toHaveBeenCalledWith({ id: 'sales', order: 'asc' });
  });

  it('has no header buttons without sorting', () => {
    renderPart(table([company(1)]));
    expect(screen.queryByRole('button')).toBeNull();
  });

  it('renders only the changed row again', () => {
    const rows = Array.from({ length: 200 }, (_, index) => company(index + 1));
    const view = renderPart(table(rows));
    drawn.mockClear();
    view.rerender(table(rows.map((row) => (row.id === 77 ? company(77, '新しい名前') : row))));
    expect(drawn.mock.calls).toEqual([[77]]);
  });

  it('renders the rows that fit on the screen first, then the others in their reserved space', async () => {
    // Let React paint in between, as a browser does.
    vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', false);
    const place = document.body.appendChild(document.createElement('div'));
    const root = createRoot(place);
    onTestFinished(() => {
      root.unmount();
      place.remove();
    });
    const page = (first: number) => Array.from({ length: 60 }, (_, index) => company(first + index));
    const now = () => {
      const body = place.querySelector('tbody');
      return {
        first: body?.rows[0]?.textContent,
        drawn: body?.rows.length,
        kept: body?.style.getPropertyValue('--rows'),
        busy: place.querySelector('[aria-busy]')?.getAttribute('aria-busy'),
      };
    };
    const show = (rows: readonly Company[], view: string, busy: boolean) => {
      flushSync(() => root.render(table(rows, { view, busy })));
      return now();
    };
    const fitting = Math.ceil(innerHeight / 38);
    const whole = { first: '会社1100', drawn: 60, kept: '60', busy: 'false' };

    expect(show(page(1), 'page 1', false)).toEqual({ ...whole, drawn: fitting, busy: 'true' });
    await waitFor(() => expect(now()).toEqual(whole));
    expect(show(page(1), 'page 2', true)).toEqual({ ...whole, busy: 'true' });
    expect(show(page(2), 'page 2', false)).toEqual({ first: '会社2200', drawn: fitting, kept: '60', busy: 'true' });
    await waitFor(() => expect(now()).toEqual({ ...whole, first: '会社2200' }));
    expect(show([company(999), ...page(2)], 'page 2', false)).toMatchObject({ first: '会社99999900', drawn: 61 });
    const few = page(3).slice(0, 2 * fitting);
    expect(show(few, 'page 3', false)).toMatchObject({ first: '会社3300', drawn: few.length });
  });

  it('lays out every row for screen readers in the end, including rows that load later', async () => {
    const skipped = () => document.querySelectorAll('tbody tr:not([data-laid-out])').length;
    const rows = Array.from({ length: 50 }, (_, index) => company(index + 1));
    const view = renderPart(table(rows));
    expect(skipped()).toBe(50);
    await waitFor(() => expect(skipped()).toBe(0));
    view.rerender(table([...rows.slice(1), company(51)]));
    expect(skipped()).toBe(1);
    await waitFor(() => expect(skipped()).toBe(0));
  });

  it('scrolls another view to its top, and keeps the position of the same view', () => {
    const view = renderPart(table([company(1)], { view: 'page 1' }));
    const scroller = screen.getByRole('region', { name: '一覧' });
    scroller.scrollTop = 300;
    view.rerender(table([company(1)], { view: 'page 1' }));
    expect(scroller.scrollTop).toBe(300);
    view.rerender(table([company(2)], { view: 'page 2' }));
    expect(scroller.scrollTop).toBe(0);
  });
});
