import type { MatrixRow } from './matrix-row.ts';

const NONE = { rows: [], total: 0 };

/** The rows of the matrix for replies. */
export const REPLY_ROWS: Record<string, MatrixRow> = {
  'GET /reply/view': {
    own: () => ({ path: '/reply/view' }),
    foreign: ({ repliedProspectId, repliedDeliveryId }) => ({
      prospect: { ask: { path: `/reply/view?prospect_id=${repliedProspectId}` }, gets: { shows: NONE } },
      delivery: { ask: { path: `/reply/view?delivery_id=${repliedDeliveryId}` }, gets: { shows: NONE } },
    }),
  },
  'POST /reply': {
    own: ({ prospectIds }) => ({ path: '/reply', body: { add_info: { prospect_id: prospectIds[0] } } }),
    foreign: ({ prospectIds }) => ({
      prospect: {
        ask: { path: '/reply', body: { add_info: { prospect_id: prospectIds[0] } } },
        gets: { status: 404 },
      },
    }),
  },
  'PUT /reply/:id': {
    own: ({ replyId }) => ({ path: `/reply/${replyId}`, body: { update_info: { handled: 1 } } }),
    foreign: ({ replyId }) => ({
      path: { ask: { path: `/reply/${replyId}`, body: { update_info: { refused: 1 } } }, gets: { status: 404 } },
    }),
  },
};
