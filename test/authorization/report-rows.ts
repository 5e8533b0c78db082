import type { MatrixRow, Nothing } from './matrix-row.ts';

const PERIOD = { from: '2026-11-20', to: '2026-11-20' };
const path = `/report/view?${new URLSearchParams(PERIOD)}`;

const none = { sent: 0, failed: 0, unknown: 0, replied: 0, refused: 0, complained: 0, dead: 0 };
const empty: Nothing = {
  shows: {
    ...PERIOD,
    before_from: '2026-11-19',
    before_to: '2026-11-19',
    total: { ...none, replied_by_hand: 0 },
    judged: { ...none, is_enough: 0 },
    before: none,
    days: [],
    templates: [],
    hours: [],
    industries: [],
  },
};

/** The rows of the matrix for reports. */
export const REPORT_ROWS: Record<string, MatrixRow> = {
  'GET /report/view': {
    own: () => ({ path }),
    foreign: ({ senderGroupId, templateId }) => ({
      'query, group': { ask: { path: `${path}&sender_group_id=${senderGroupId}` }, gets: empty },
      'query, template': { ask: { path: `${path}&template_id=${templateId}` }, gets: empty },
    }),
  },
  'GET /send_log/:id/results': {
    own: ({ sendLogId }) => ({ path: `/send_log/${sendLogId}/results` }),
    foreign: ({ sendLogId }) => ({ path: { ask: { path: `/send_log/${sendLogId}/results` }, gets: { status: 404 } } }),
  },
};
