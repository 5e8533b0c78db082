import type { FullTenant } from './full-tenant.ts';
import type { MatrixRow } from './matrix-row.ts';

const read = ({ noticeId }: FullTenant) => ({ path: `/notice/${noticeId}`, body: { update_info: { is_read: 1 } } });

/** The rows of the matrix for notices, which only their member can read. */
export const NOTICE_ROWS: Record<string, MatrixRow> = {
  'GET /notice/list': {
    own: () => ({ path: '/notice/list' }),
    foreign: () => ({ read: { ask: { path: '/notice/list?where_info[is_read]=1' }, gets: { shows: [] } } }),
  },
  'GET /notice/unread': { own: () => ({ path: '/notice/unread' }), foreign: () => ({}) },
  'PUT /notice/:id': {
    own: read,
    foreign: (victim) => ({ path: { ask: read(victim), gets: { status: 404 } } }),
  },
  'POST /notice/read': {
    own: ({ noticeId }) => ({ path: '/notice/read', body: { until_id: noticeId } }),
    // The call marks only the asker's own notices.
    foreign: ({ noticeId }) => ({
      body: { ask: { path: '/notice/read', body: { until_id: noticeId } }, gets: { shows: { status: 'updated' } } },
    }),
  },
  'GET /notice_setting': { own: () => ({ path: '/notice_setting' }), foreign: () => ({}) },
  'PUT /notice_setting': {
    own: () => ({ path: '/notice_setting', body: { update_info: { morning_summary: 0 } } }),
    foreign: () => ({}),
  },
};
