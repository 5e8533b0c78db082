import type { MatrixRow } from './matrix-row.ts';

const NO_EVENTS = { rows: [], total: 0, is_more: 0 };

/** The rows of the matrix for what an account has once: retention, sending rules, its audit. */
export const ACCOUNT_SETTING_ROWS: Record<string, MatrixRow> = {
  'GET /mail_retention': { own: () => ({ path: '/mail_retention' }), foreign: () => ({}) },
  'PUT /mail_retention': {
    own: () => ({ path: '/mail_retention', body: { update_info: { months: 12 } } }),
    foreign: () => ({}),
  },
  'GET /audit/view': {
    own: () => ({ path: '/audit/view' }),
    foreign: ({ memberId, sendLogId }) => ({
      'query, member': { ask: { path: `/audit/view?member=${memberId}` }, gets: { shows: NO_EVENTS } },
      'query, subject': { ask: { path: `/audit/view?subject=run:${sendLogId}` }, gets: { shows: NO_EVENTS } },
    }),
  },
  'GET /account_rule': { own: () => ({ path: '/account_rule' }), foreign: () => ({}) },
  'PUT /account_rule': {
    own: () => ({ path: '/account_rule', body: { update_info: { undo_seconds: 10 } } }),
    foreign: () => ({}),
  },
};
