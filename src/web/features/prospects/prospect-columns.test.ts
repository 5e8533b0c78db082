import { describe, expect, it } from 'vitest';
import { PROSPECT_STATUSES, VIEW_STATUSES } from '#contract/companies/prospects.ts';
import { PROSPECT_COLUMNS, SORT_COLUMNS } from '#contract/companies/prospects-filter.ts';
import { LINKS, prospect } from '#test/web/samples.ts';
import { isSortColumn } from '#web/lib/address/params.ts';
import { DATA_MESSAGES } from '#web/lib/data/words.ts';
import { prospectColumns } from './prospect-columns.tsx';
import { PROSPECT_MESSAGES } from './words.ts';

// The browser must not load the contract's values, which need zod. So this test compares the copy with them.
const columns = prospectColumns(1, LINKS).filter(({ onCard }) => onCard !== 'line');

const FILLED = {
  sent_at: '2026/11/20 10:15',
  send_at: '2026/12/01 09:00',
  remarks: '展示会',
  contact_url: 'https://www.example.jp/contact',
  phone: '03-1234-5678',
  published_at_url: 'https://www.example.jp/',
  published_seen_on: '2026-11-01',
  publication_notice: 'none',
} as const;

describe('the columns', () => {
  it('are in the order of the contract, with the status after 会社名', () => {
    expect(columns.filter(({ id }) => id !== 'status').map(({ id }) => id)).toEqual([...PROSPECT_COLUMNS]);
    expect(columns.findIndex(({ id }) => id === 'status')).toBe(
      columns.findIndex(({ id }) => id === 'company_name') + 1,
    );
    expect(Object.keys(DATA_MESSAGES.prospects.columns)).toEqual([...PROSPECT_COLUMNS]);
  });

  it('sort the list where the contract does', () => {
    const sortable = columns.filter(({ isUnsortable }) => isUnsortable !== true);
    expect(sortable.map(({ id }) => id)).toEqual([...SORT_COLUMNS]);
    expect(PROSPECT_COLUMNS.filter(isSortColumn)).toEqual([...SORT_COLUMNS]);
  });

  it('are narrow where no company has a value, but 有効 and 会社名; 備考 keeps 88 px, ステータス its header', () => {
    const widths = Object.fromEntries(columns.map(({ id, blank }) => [id, blank?.width]));
    const { active, company_name, remarks, status, ...others } = widths;
    expect([active, company_name, remarks, status]).toEqual([undefined, undefined, 88, 94]);
    expect(new Set(Object.values(others))).toEqual(new Set([44]));
    const [none, some] = [
      prospect(1, { ...Object.fromEntries(Object.keys(others).map((id) => [id, null])), status: 'unsent' }),
      prospect(2, { ...FILLED, status: 'sent' }),
    ].map((row) => columns.filter(({ blank }) => blank !== undefined && !blank.of(row)).map(({ id }) => id));
    expect(none).toEqual([]);
    expect(some).toEqual(['sent_at', 'send_at', 'status', 'remarks', ...Object.keys(others).slice(2)]);
  });

  it('have a label for every status', () => {
    expect(Object.keys(PROSPECT_MESSAGES.statuses)).toEqual(['all', ...VIEW_STATUSES]);
    expect(Object.keys(DATA_MESSAGES.prospects.rowStatuses)).toEqual([...PROSPECT_STATUSES]);
  });
});
