import type { MatrixRow } from './matrix-row.ts';

/** The rows of the matrix for the setting of retention, which an account has one of. */
export const RETENTION_ROWS: Record<string, MatrixRow> = {
  'GET /mail_retention': { own: () => ({ path: '/mail_retention' }), foreign: () => ({}) },
  'PUT /mail_retention': {
    own: () => ({ path: '/mail_retention', body: { update_info: { months: 12 } } }),
    foreign: () => ({}),
  },
};
