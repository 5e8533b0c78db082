import type { FullTenant } from './full-tenant.ts';
import type { MatrixRow, Nothing } from './matrix-row.ts';

const notFound: Nothing = { status: 404 };

const newCondition = (sender_group_id: number) => ({
  path: '/saved_condition',
  body: { add_info: { name: '新しい条件', is_shared: 1, where_info: { sender_group_id, address: '東京' } } },
});

const counts = (groupId: number, conditionId: number) =>
  `/saved_condition/count?sender_group_id=${groupId}&ids=${conditionId}`;

const change = ({ conditionId }: FullTenant, update_info: object) => ({
  path: `/saved_condition/${conditionId}`,
  body: { update_info },
});

/** The rows of the matrix for saved conditions, and for a member's first steps, whose calls take no id. */
export const CONDITION_ROWS: Record<string, MatrixRow> = {
  // The call takes no id: its answer is the same for all accounts.
  'GET /inbox': { own: () => ({ path: '/inbox' }), foreign: () => ({}) },
  'GET /first_steps': {
    own: () => ({ path: '/first_steps' }),
    foreign: () => ({ plain: { ask: { path: '/first_steps' }, gets: { status: 200 } } }),
  },
  'PUT /first_steps': {
    own: () => ({ path: '/first_steps', body: { update_info: { dismissed: 1 } } }),
    foreign: () => ({}),
  },
  'GET /saved_condition/list': {
    own: ({ conditionId }) => ({ path: `/saved_condition/list?where_info[id]=${conditionId}` }),
    foreign: ({ conditionId }) => ({
      'where_info id': { ask: { path: `/saved_condition/list?where_info[id]=${conditionId}` }, gets: { shows: [] } },
    }),
  },
  'GET /saved_condition/count': {
    own: ({ senderGroupId, conditionId }) => ({ path: counts(senderGroupId, conditionId) }),
    foreign: (victim, asker) => ({
      'query, condition': {
        ask: { path: counts(asker.senderGroupId, victim.conditionId) },
        gets: { shows: [] },
      },
      // Only the account's own companies are counted, and none of them is in that group.
      'query, group': { ask: { path: counts(victim.senderGroupId, asker.conditionId) }, gets: { status: 200 } },
    }),
  },
  'POST /saved_condition': {
    own: ({ senderGroupId }) => newCondition(senderGroupId),
    foreign: ({ senderGroupId }) => ({ 'body, group': { ask: newCondition(senderGroupId), gets: notFound } }),
  },
  'PUT /saved_condition/:id': {
    own: (owner) => change(owner, { name: '新しい名前', where_info: { address: '大阪' } }),
    foreign: (victim, asker) => ({
      path: { ask: change(victim, { name: '乗っ取り' }), gets: notFound },
      'path, removed': { ask: change(victim, { active: 0 }), gets: notFound },
      'body, group': {
        ask: change(asker, { where_info: { sender_group_id: victim.senderGroupId, address: '東京' } }),
        gets: notFound,
      },
    }),
  },
};
