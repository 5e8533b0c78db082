import { fireEvent, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { renderPart } from '#test/web/render.tsx';
import { Menu } from '#web/components/dialog/menu.tsx';
import { Switch } from '#web/components/field/switch.tsx';
import type { Column } from './column.ts';
import { DataTable } from './data-table.tsx';

interface Company {
  readonly id: number;
}

const opened = vi.fn();
const switched = vi.fn();

function Note({ id }: Company) {
  const [isEdited, setEdited] = useState(false);
  if (isEdited) return <textarea aria-label={`備考${id}`} onBlur={() => setEdited(false)} />;
  return (
    <button type="button" onClick={() => setEdited(true)}>
      編集{id}
    </button>
  );
}

const COLUMNS: readonly Column<Company>[] = [
  {
    id: 'active',
    header: '有効',
    width: 70,
    render: ({ id }) => <Switch label={`配信${id}`} checked onChange={() => switched(id)} />,
  },
  {
    id: 'name',
    header: '会社名',
    width: 200,
    isRowHeader: true,
    render: ({ id }) => (
      <a
        href={`/${id}`}
        onClick={(event) => {
          event.preventDefault();
          opened(id);
        }}
      >
        会社{id}
      </a>
    ),
  },
  { id: 'note', header: '備考', width: 100, render: ({ id }) => <Note id={id} /> },
  { id: 'address', header: '住所', width: 100, render: ({ id }) => `東京都${id}` },
  {
    id: 'actions',
    header: '操作',
    width: 100,
    render: ({ id }) => [
      <button key="a" type="button">{`表示${id}`}</button>,
      <button key="b" type="button">{`再送${id}`}</button>,
    ],
  },
];
const page = (from: number, length: number) => Array.from({ length }, (_, index) => ({ id: from + index }));
const part = (rows: readonly Company[] | undefined) => (
  <>
    <button type="button">前</button>
    <DataTable
      label="一覧"
      columns={COLUMNS}
      rows={rows}
      rowId={({ id }) => id}
      empty="ありません"
      onSort={() => undefined}
    />
    <button type="button">後</button>
  </>
);
const focused = () => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent;
/** Presses the keys, and returns the focused element after each. */
async function walk(keys: readonly string[]): Promise<(string | null | undefined)[]> {
  const seen = [];
  for (const key of keys) {
    await userEvent.keyboard(`{${key}}`);
    seen.push(focused());
  }
  return seen;
}

beforeEach(() => {
  opened.mockClear();
  switched.mockClear();
});

describe('the keyboard of a table', () => {
  it('has one Tab stop: the first control, then the last focused one', async () => {
    renderPart(part(page(1, 3)));
    screen.getByRole('button', { name: '前' }).focus();
    await userEvent.tab();
    expect(focused()).toBe('配信1');
    await userEvent.tab();
    expect(focused()).toBe('後');
    screen.getByRole('link', { name: '会社3' }).focus();
    await userEvent.tab();
    expect(focused()).toBe('後');
    await userEvent.tab({ shift: true });
    expect(focused()).toBe('会社3');
    await userEvent.tab({ shift: true });
    expect(focused()).toBe('前');
  });

  it('moves by arrow keys over rows, cells and the controls of a cell, and stops at the edges', async () => {
    renderPart(part(page(1, 3)));
    screen.getByRole('switch', { name: '配信1' }).focus();
    expect(await walk(['ArrowLeft', 'ArrowRight', 'ArrowRight', 'ArrowRight', 'ArrowRight', 'ArrowRight'])).toEqual([
      '配信1',
      '会社1',
      '編集1',
      '東京都1',
      '表示1',
      '再送1',
    ]);
    expect(await walk(['ArrowRight', 'ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowLeft', 'ArrowUp'])).toEqual([
      '再送1',
      '表示2',
      '表示3',
      '表示3',
      '東京都3',
      '東京都2',
    ]);
    expect(await walk(['Home', 'End', 'Control>}{Home}{/Control', 'Control>}{End}{/Control'])).toEqual([
      '配信2',
      '再送2',
      '有効',
      '再送3',
    ]);
  });

  it('reaches the headers that sort from the first row', async () => {
    renderPart(part(page(1, 2)));
    screen.getByRole('link', { name: '会社1' }).focus();
    await userEvent.keyboard('{ArrowUp}');
    expect(document.activeElement).toBe(
      within(screen.getByRole('columnheader', { name: '会社名' })).getByRole('button'),
    );
    expect(await walk(['ArrowRight', 'ArrowDown'])).toEqual(['備考', '編集1']);
  });

  it('moves by a view of rows with PageDown and PageUp, to the ends at most', async () => {
    renderPart(part(page(1, 30)));
    const height = vi.spyOn(HTMLElement.prototype, 'clientHeight', 'get').mockReturnValue(310);
    const row = vi.spyOn(HTMLElement.prototype, 'offsetHeight', 'get').mockReturnValue(31);
    screen.getByRole('link', { name: '会社1' }).focus();
    expect(await walk(['PageDown', 'PageDown', 'PageDown', 'PageDown', 'PageUp'])).toEqual([
      '会社10',
      '会社19',
      '会社28',
      '会社30',
      '会社21',
    ]);
    height.mockRestore();
    row.mockRestore();
  });

  it('leaves Space and Enter to the controls; Enter on a plain cell follows the link of its row', async () => {
    renderPart(part(page(1, 3)));
    screen.getByRole('switch', { name: '配信2' }).focus();
    await userEvent.keyboard(' ');
    expect(switched).toHaveBeenCalledWith(2);
    await userEvent.keyboard('{ArrowRight}{Enter}');
    expect(opened.mock.calls).toEqual([[2]]);
    await userEvent.keyboard('{ArrowRight}{ArrowRight}{ArrowDown}{Enter}');
    expect(focused()).toBe('東京都3');
    expect(opened.mock.calls).toEqual([[2], [3]]);
  });

  it('leaves the keys of a text field to the field, and keeps the stop there', async () => {
    renderPart(part(page(1, 3)));
    screen.getByRole('button', { name: '編集2' }).focus();
    await userEvent.keyboard('{Enter}');
    const text = screen.getByRole('textbox', { name: '備考2' });
    text.focus();
    await userEvent.keyboard('a{ArrowLeft}{Home}{ArrowDown}');
    expect(document.activeElement).toBe(text);
    await userEvent.tab();
    expect(focused()).toBe('後');
    await userEvent.tab({ shift: true });
    expect(focused()).toBe('編集2');
  });

  it('has a stop again after its rows were replaced, and none without rows', async () => {
    const view = renderPart(part(undefined));
    const enters = async () => {
      screen.getByRole('button', { name: '前' }).focus();
      await userEvent.tab();
      return focused();
    };
    view.rerender(part(page(1, 3)));
    expect(await enters()).toBe('配信1');
    screen.getByRole('link', { name: '会社3' }).focus();
    view.rerender(part(page(11, 3)));
    expect(await enters()).toBe('配信11');
    view.rerender(part([]));
    expect(await enters()).toBe('後');
    view.rerender(part(page(21, 3)));
    expect(await enters()).toBe('配信21');
  });

  it('moves the stop to a clicked plain cell', () => {
    renderPart(part(page(1, 2)));
    const cell = screen.getByRole('gridcell', { name: '東京都2' });
    fireEvent.mouseDown(cell);
    expect(cell.tabIndex).toBe(0);
    expect(screen.getByRole('switch', { name: '配信1' }).tabIndex).toBe(-1);
  });

  it('keeps the arrow keys of a closed menu, and leaves them to an open one', async () => {
    const menu: Column<Company> = {
      id: 'menu',
      header: '操作',
      width: 64,
      render: ({ id }) => (
        <Menu onTop="below" label={`⋯${id}`}>
          <button type="button">変更</button>
          <button type="button">停止</button>
        </Menu>
      ),
    };
    renderPart(
      <DataTable label="表" columns={[...COLUMNS, menu]} rows={page(1, 3)} rowId={({ id }) => id} empty="なし" />,
    );
    screen.getByRole('button', { name: '⋯1' }).focus();
    await userEvent.keyboard('{ArrowDown}');
    expect([focused(), screen.queryByRole('button', { name: '変更' })]).toEqual(['⋯2', null]);
    const seen: unknown[] = [];
    for (const key of ['Enter', 'ArrowDown', 'ArrowDown', 'ArrowDown', 'Escape', 'ArrowUp']) {
      await userEvent.keyboard(`{${key}}`);
      seen.push(focused());
    }
    expect(seen).toEqual(['⋯2', '変更', '停止', '変更', '⋯2', '⋯1']);
  });
});
