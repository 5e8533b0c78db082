import { describe, expect, it } from 'vitest';
import type { Column } from './column.ts';
import { textColumn, widestOf } from './text-column.ts';
import { textWidth, trackStyle, tracksOf } from './tracks.ts';

interface Row {
  readonly name: string;
}

const NAME: Column<Row> = textColumn('name', '会社名', ({ name }: Row) => name);
const rows = (...names: readonly string[]) => names.map((name) => ({ name }));
const widthOf = (more: Partial<Column<Row>>, of: readonly Row[], isSorted = false) =>
  tracksOf([{ ...NAME, ...more }], of, isSorted)[0]?.least;
const style = (...args: Parameters<typeof tracksOf<Row>>) =>
  trackStyle(tracksOf(...args)) as Record<'--widths' | '--shares' | '--table-width', string>;

describe('the width of a text', () => {
  it.each([
    ['', 0],
    ['会社名', 42],
    ['（株）', 42],
    ['abcde', 42],
    ['ｱｲｳｴｵ', 42],
    ['11/29（日）09:00', 126],
    ['𠮷野家', 42],
    ['長'.repeat(100), 1400],
  ])('of %s is %i px', (text, width) => {
    expect(textWidth(text)).toBe(width);
  });

  it('says which of some words is the widest, not the longest', () => {
    expect(widestOf(['送信済み', 'paused', '失敗'])).toBe('送信済み');
    expect(widestOf([])).toBe('');
  });
});

describe('a column that fits its texts', () => {
  it('is as wide as the longest of them', () => {
    expect(widthOf({}, rows('株式会社架空商事', '架空'))).toBe(8 * 14 + 24);
  });

  it('is as wide as its header where the texts are shorter, with its unit and the icon of the order', () => {
    expect(widthOf({}, rows('架空'))).toBe(3 * 14 + 24);
    expect(widthOf({ unit: '円' }, rows('架空'))).toBe(6 * 14 + 24);
    expect(widthOf({}, rows('架空'), true)).toBe(3 * 14 + 16 + 24);
    expect(widthOf({ isUnsortable: true }, rows('架空'), true)).toBe(3 * 14 + 24);
  });

  it('stays between its width and what it takes at most', () => {
    expect(widthOf({ width: 200 }, rows('架空'))).toBe(200);
    expect(widthOf({ most: 140 }, rows('長'.repeat(100)))).toBe(140);
    expect(widthOf({}, rows('長'.repeat(100)))).toBe(1424);
  });

  it('has room for what stands beside the text', () => {
    expect(widthOf({ beside: 28 }, rows('送信済み'))).toBe(4 * 14 + 28 + 24);
    expect(widthOf({ beside: 28 }, rows(''))).toBe(3 * 14 + 24);
  });

  it('looks at all 200 rows of a page, and at no more of a larger one', () => {
    const names = Array.from({ length: 199 }, () => '架空');
    expect(widthOf({}, rows(...names, '最後の会社の長い名前'))).toBe(10 * 14 + 24);
    expect(widthOf({}, rows(...names, '架空', '最後の会社の長い名前'))).toBe(3 * 14 + 24);
  });

  it('has a width before its rows come, and without any', () => {
    expect(tracksOf([NAME], undefined)).toEqual(tracksOf([NAME], []));
    expect(widthOf({}, [])).toBe(3 * 14 + 24);
  });
});

describe('the tracks of a table', () => {
  const address: Column<Row> = { id: 'address', header: '住所', width: 100, render: ({ name }) => name };

  it('show short texts whole before long ones, and share what is left then by the contents', () => {
    const cut: Column<Row> = { ...NAME, id: 'cut', width: 100, cut: true };
    const columns = [NAME, cut, { ...cut, header: '名', most: 60, width: 60 }];
    expect(style(columns, rows('架空商事'))).toEqual({
      '--widths': '80px 100px 60px',
      '--shares': [
        'minmax(min(80px, 33.33%), 80px)',
        'minmax(min(100px, 41.67%), calc(100px + max(0px, 100% - 240px) * 0.6250))',
        'minmax(min(60px, 25.00%), calc(60px + max(0px, 100% - 240px) * 0.3750))',
      ].join(' '),
      '--table-width': '240px',
    });
    // No column grows beyond its text while another is cut: all three are whole at 136 + 136 + 60 px.
    expect(style(columns, rows('架空商事株式会社'))['--shares']).toMatch(
      /, 136px\) .*, calc\(136px \+ max\(0px, 100% - 332px\) .*, calc\(60px \+ max\(0px, 100% - 332px\)/,
    );
  });

  it('leave no header without its room', () => {
    const cut: Column<Row> = { ...NAME, width: 20, most: 40, cut: true };
    expect(tracksOf([cut], rows('架'))).toEqual([{ least: 66, share: 66 }]);
  });

  it('share a wider table among all columns where no text may be cut', () => {
    expect(style([address, { ...address, id: 'other', width: 300 }])['--shares']).toBe(
      'minmax(min(100px, 25.00%), 100fr) minmax(min(300px, 75.00%), 300fr)',
    );
  });

  it('keep the width of a column that says nothing of its texts', () => {
    expect(style([address], rows('長'.repeat(100)))['--widths']).toBe('100px');
  });
});
