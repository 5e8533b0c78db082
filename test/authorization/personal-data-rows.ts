import type { FullTenant } from './full-tenant.ts';
import type { Ask, MatrixRow } from './matrix-row.ts';

/** Returns the address of an unmailed company. */
const addressOf = ({ marker }: FullTenant) => `${marker}0@example.com`;
const ask = (act: 'view' | 'erase', tenant: FullTenant): Ask => ({
  path: `/personal_data/${act}`,
  body: { email: addressOf(tenant) },
});

/** The rows of the matrix for disclosing and erasing the data of an address. */
export const PERSONAL_DATA_ROWS: Record<string, MatrixRow> = {
  'POST /personal_data/view': {
    own: (owner) => ask('view', owner),
    foreign: (victim) => ({
      body: {
        ask: ask('view', victim),
        // The files contain only the asker's own data.
        gets: {
          shows: {
            companies: [],
            people: [],
            changes: [],
            mails: [],
            bounces: [],
            replies: [],
            suppressions: [],
            invitations: [],
            files: 2,
            erased: 0,
          },
        },
      },
    }),
  },
  'POST /personal_data/erase': {
    own: (owner) => ask('erase', owner),
    foreign: (victim) => ({
      body: {
        ask: ask('erase', victim),
        gets: {
          shows: { status: 'erased', companies: 0, people: 0, companies_kept: 0, mails: 0, cancelled: 0, files: 0 },
        },
      },
    }),
  },
};
