import { describe, expect, it } from 'vitest';
import { PROSPECT_STATUSES, VIEW_STATUSES } from '#contract/companies/prospects.ts';
import { PROSPECT_COLUMNS, SORT_COLUMNS } from '#contract/companies/prospects-filter.ts';
import { LINKS } from '#test/web/samples.ts';
import { isSortColumn } from '#web/lib/address/params.ts';
import { DATA_MESSAGES } from '#web/lib/data/words.ts';
import { prospectColumns } from './prospect-columns.tsx';
import { PROSPECT_MESSAGES } from './words.ts';

// The browser must not load the contract's values, which need zod. So this test compares the copy with them.
const columns = prospectColumns(1, LINKS).filter(({ onCard }) => onCard !== 'line');

describe('the columns', () => {
  it('are in the order of the contract, with the status after 有効', () => {
    const [active, ...others] = PROSPECT_COLUMNS;
    expect(columns.map(({ id }) => id)).toEqual([active, 'status', ...others]);
    expect(Object.keys(DATA_MESSAGES.prospects.columns)).toEqual([...PROSPECT_COLUMNS]);
  });

  it('sort the list where the contract does', () => {
    const sortable = columns.filter(({ isUnsortable }) => isUnsortable !== true);
    expect(sortable.map(({ id }) => id)).toEqual([...SORT_COLUMNS]);
    expect(PROSPECT_COLUMNS.filter(isSortColumn)).toEqual([...SORT_COLUMNS]);
  });

  it('have a label for every status', () => {
    expect(Object.keys(PROSPECT_MESSAGES.statuses)).toEqual(['all', ...VIEW_STATUSES]);
    expect(Object.keys(DATA_MESSAGES.prospects.rowStatuses)).toEqual([...PROSPECT_STATUSES]);
  });
});
