import type { MatrixRow } from './matrix-row.ts';

/** The rows of the matrix for settings that an account has once: retention, sending rules. */
export const ACCOUNT_SETTING_ROWS: Record<string, MatrixRow> = {
  'GET /mail_retention': { own: () => ({ path: '/mail_retention' }), foreign: () => ({}) },
  'PUT /mail_retention': {
    own: () => ({ path: '/mail_retention', body: { update_info: { months: 12 } } }),
    foreign: () => ({}),
  },
  'GET /account_rule': { own: () => ({ path: '/account_rule' }), foreign: () => ({}) },
  'PUT /account_rule': {
    own: () => ({ path: '/account_rule', body: { update_info: { undo_seconds: 10 } } }),
    foreign: () => ({}),
  },
};
