import { describe, expect, it } from 'vitest';
import { PROSPECT_COLUMNS, SENDING_STATUSES } from '#contract/prospect.ts';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import { prospectColumns } from './prospect-columns.tsx';
import { PROSPECT_MESSAGES } from './words.ts';

// The browser does not load the contract's values (they would bring zod with them); so this ties the two.
describe('the columns', () => {
  it('stand in the order of the contract', () => {
    expect(prospectColumns(1).map(({ id }) => id)).toEqual([...PROSPECT_COLUMNS]);
    expect(Object.keys(COMMON_MESSAGES.prospects.columns)).toEqual([...PROSPECT_COLUMNS]);
  });

  it('come with every sending status', () => {
    expect(Object.keys(PROSPECT_MESSAGES.statuses)).toEqual(['all', ...SENDING_STATUSES]);
  });
});
