import type { Ask, MatrixRow, Nothing } from './matrix-row.ts';

const notFound: Nothing = { status: 404 };

const exported = (add_info: object): Ask => ({
  path: '/export',
  body: { add_info: { format: 'csv_utf8', ...add_info } },
});
const ofJob = (pathOf: (jobId: number) => string): MatrixRow => ({
  own: ({ jobId }) => ({ path: pathOf(jobId) }),
  foreign: ({ jobId }) => ({ path: { ask: { path: pathOf(jobId) }, gets: notFound } }),
});

/** The rows of the matrix for jobs and exports. */
export const JOB_ROWS: Record<string, MatrixRow> = {
  'POST /export': {
    own: ({ senderGroupId }) => exported({ what: 'prospects', sender_group_id: senderGroupId }),
    foreign: ({ senderGroupId, sendLogId }) => ({
      'body, group': { ask: exported({ what: 'prospects', sender_group_id: senderGroupId }), gets: notFound },
      'body, send log': { ask: exported({ what: 'deliveries', send_log_id: sendLogId }), gets: notFound },
    }),
  },
  'GET /export/list': {
    own: () => ({ path: '/export/list' }),
    foreign: () => ({ plain: { ask: { path: '/export/list' }, gets: { status: 200 } } }),
  },
  'POST /export/:id/delete': {
    own: async (_, client) => {
      const { body } = await client.post('/export', { add_info: { what: 'runs', format: 'csv_utf8' } });
      return { path: `/export/${(body as { id: number }).id}/delete`, body: {} };
    },
    foreign: ({ jobId }) => ({ path: { ask: { path: `/export/${jobId}/delete`, body: {} }, gets: notFound } }),
  },
  'GET /export/:id/file': ofJob((jobId) => `/export/${jobId}/file`),
  'GET /job/:id': ofJob((jobId) => `/job/${jobId}`),
  'GET /job/:id/events': ofJob((jobId) => `/job/${jobId}/events`),
  'POST /job/:id/cancel': {
    own: async (_, client) => {
      const { body } = await client.post('/export', { add_info: { what: 'runs', format: 'csv_utf8' } });
      return { path: `/job/${(body as { id: number }).id}/cancel`, body: {} };
    },
    foreign: ({ jobId }) => ({ path: { ask: { path: `/job/${jobId}/cancel`, body: {} }, gets: notFound } }),
  },
};
