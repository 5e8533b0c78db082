import { describe, expect, it } from 'vitest';
import { PROSPECT_COLUMNS, SENDING_STATUSES } from '#contract/prospect.ts';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import { prospectColumns } from './prospect-columns.tsx';
import { PROSPECT_MESSAGES } from './words.ts';

// The browser does not load the contract's values, which would add zod. So this test compares the two.
describe('the columns', () => {
  it('are in the order of the contract', () => {
    expect(prospectColumns(1).map(({ id }) => id)).toEqual([...PROSPECT_COLUMNS]);
    expect(Object.keys(COMMON_MESSAGES.prospects.columns)).toEqual([...PROSPECT_COLUMNS]);
  });

  it('have a label for every sending status', () => {
    expect(Object.keys(PROSPECT_MESSAGES.statuses)).toEqual(['all', ...SENDING_STATUSES]);
  });
});
