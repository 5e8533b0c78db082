import type { MatrixRow, Nothing } from './matrix-row.ts';

const notFound: Nothing = { status: 404 };
const PERIODS = [{ weekday: 1, opens: 540, closes: 1080 }];
const DAY = { first_day: '2026-12-01', last_day: '2026-12-01', name: '創立記念日' };

/** The rows of the matrix for the hours, closing days and limits. */
export const SENDING_RULES_ROWS: Record<string, MatrixRow> = {
  'GET /sending_rules/:sender_group_id': {
    own: ({ senderGroupId }) => ({ path: `/sending_rules/${senderGroupId}` }),
    foreign: ({ senderGroupId }) => ({ path: { ask: { path: `/sending_rules/${senderGroupId}` }, gets: notFound } }),
  },
  'PUT /sending_rules/:sender_group_id': {
    own: ({ senderGroupId }) => ({
      path: `/sending_rules/${senderGroupId}`,
      body: { version: 1, update_info: { periods: PERIODS } },
    }),
    foreign: ({ senderGroupId }) => ({
      path: {
        ask: { path: `/sending_rules/${senderGroupId}`, body: { update_info: { periods: PERIODS } } },
        gets: notFound,
      },
    }),
  },
  'GET /closing_day/list': {
    own: ({ closingDayId }) => ({ path: `/closing_day/list?where_info[id]=${closingDayId}` }),
    foreign: ({ closingDayId, senderGroupId }) => ({
      'where_info id': { ask: { path: `/closing_day/list?where_info[id]=${closingDayId}` }, gets: { shows: [] } },
      'where_info sender_group_id': {
        ask: { path: `/closing_day/list?where_info[sender_group_id]=${senderGroupId}` },
        gets: { shows: [] },
      },
    }),
  },
  'POST /closing_day': {
    own: ({ senderGroupId }) => ({
      path: '/closing_day',
      body: { add_info: { ...DAY, sender_group_id: senderGroupId } },
    }),
    foreign: ({ senderGroupId }) => ({
      sender_group_id: {
        ask: { path: '/closing_day', body: { add_info: { ...DAY, sender_group_id: senderGroupId } } },
        gets: notFound,
      },
    }),
  },
  'PUT /closing_day/:id': {
    own: ({ closingDayId }) => ({
      path: `/closing_day/${closingDayId}`,
      body: { version: 1, update_info: { name: '別の名称' } },
    }),
    foreign: ({ closingDayId }) => ({
      path: { ask: { path: `/closing_day/${closingDayId}`, body: { update_info: { active: 0 } } }, gets: notFound },
    }),
  },
  'POST /closing_day/preset': {
    own: () => ({ path: '/closing_day/preset', body: { preset: 'new_year', year: 2026 } }),
    foreign: ({ senderGroupId }) => ({
      sender_group_id: {
        ask: {
          path: '/closing_day/preset',
          body: { preset: 'obon', year: 2026, sender_group_id: senderGroupId },
        },
        gets: notFound,
      },
    }),
  },
  'POST /closing_day/import': {
    own: () => ({ path: '/closing_day/import', body: { rows: [{ day: '2026/12/1', name: '創立記念日' }] } }),
    foreign: ({ senderGroupId }) => ({
      sender_group_id: {
        ask: {
          path: '/closing_day/import',
          body: { rows: [{ day: '2026/12/1', name: '創立記念日' }], sender_group_id: senderGroupId },
        },
        gets: notFound,
      },
    }),
  },
  'GET /sender_limit/:profile_id': {
    own: ({ senderProfileId }) => ({ path: `/sender_limit/${senderProfileId}` }),
    foreign: ({ senderProfileId }) => ({ path: { ask: { path: `/sender_limit/${senderProfileId}` }, gets: notFound } }),
  },
  'PUT /sender_limit/:profile_id': {
    own: ({ senderProfileId }) => ({
      path: `/sender_limit/${senderProfileId}`,
      body: { update_info: { per_day: 200 } },
    }),
    foreign: ({ senderProfileId }) => ({
      path: {
        ask: { path: `/sender_limit/${senderProfileId}`, body: { update_info: { per_day: null } } },
        gets: notFound,
      },
    }),
  },
};
