import type { MatrixRow } from './matrix-row.ts';

const add = (value: string) => ({ add_info: { values: [value], class: 'blocked' } });

/** The rows of the matrix for the list of suppressions. */
export const SUPPRESSION_ROWS: Record<string, MatrixRow> = {
  'GET /suppression/view': {
    own: () => ({ path: '/suppression/view' }),
    foreign: ({ marker, unknownDeliveryId }) => ({
      search: { ask: { path: `/suppression/view?search=${marker}` }, gets: { shows: NONE } },
      delivery: { ask: { path: `/suppression/view?delivery_id=${unknownDeliveryId}` }, gets: { shows: NONE } },
    }),
  },
  // The call takes no id of another account: its addresses may be suppressed in the asker's account too.
  'POST /suppression': { own: () => ({ path: '/suppression', body: add('new@example.com') }), foreign: () => ({}) },
  'POST /suppression/import': {
    own: () => ({ path: '/suppression/import?class=refused', body: Buffer.from('new@example.com\n') }),
    foreign: () => ({}),
  },
  'PUT /suppression/:id': {
    own: ({ suppressionId }) => ({ path: `/suppression/${suppressionId}`, body: { update_info: { lifted: 1 } } }),
    foreign: ({ suppressionId }) => ({
      path: {
        ask: { path: `/suppression/${suppressionId}`, body: { update_info: { lifted: 1, reason: 'mistake' } } },
        gets: { status: 404 },
      },
    }),
  },
};

/** The stranger has one suppressed domain. */
const NONE = { rows: [], total: 0, addresses: 0, domains: 1 };
