import type { FullTenant } from './full-tenant.ts';
import type { Ask, MatrixRow, Nothing } from './matrix-row.ts';

const notFound: Nothing = { status: 404 };
const first = ({ prospectIds }: FullTenant): number => prospectIds[0] ?? 0;

const bulk = (sender_group_id: number, ids: readonly number[]) => ({ act: 'deactivate', sender_group_id, ids });

/** Makes a row for a call on one company. */
const ofCompany = (ask: (id: number, version: string) => Ask): MatrixRow => ({
  own: async (owner, client) => {
    const { body } = await client.get(`/prospect/${first(owner)}`);
    return ask(first(owner), (body as { version: string }).version);
  },
  foreign: (victim) => ({ path: { ask: ask(first(victim), ''), gets: notFound } }),
});

/** The rows of the matrix for the calls about companies. */
export const COMPANY_ROWS: Record<string, MatrixRow> = {
  // These calls take no id of another account.
  'POST /prospect/samples': { own: () => ({ path: '/prospect/samples' }), foreign: () => ({}) },
  'POST /prospect/samples/remove': { own: () => ({ path: '/prospect/samples/remove' }), foreign: () => ({}) },
  'GET /prospect/:id': ofCompany((id) => ({ path: `/prospect/${id}` })),
  'GET /prospect/:id/timeline': ofCompany((id) => ({ path: `/prospect/${id}/timeline` })),
  'GET /prospect/check': {
    ...ofCompany((id) => ({ path: `/prospect/check?id=${id}` })),
    foreign: (victim) => ({
      id: { ask: { path: `/prospect/check?id=${first(victim)}` }, gets: notFound },
      values: {
        ask: { path: `/prospect/check?company_name=${victim.marker}0&company_email=${victim.marker}0@example.com` },
        gets: {
          shows: {
            addressee: 'ご担当者様',
            similar: [],
            sharing: [],
            sharing_total: 0,
            suppressed: null,
            affected: { reserved: 0, queued: 0, sending: 0, failed: 0 },
          },
        },
      },
    }),
  },
  'POST /prospect': {
    own: ({ tagId }) => ({ path: '/prospect', body: { add_info: { company_name: '新しい会社', tag_ids: [tagId] } } }),
    foreign: ({ tagId }) => ({
      tag: {
        ask: { path: '/prospect', body: { add_info: { company_name: '別の会社', tag_ids: [tagId] } } },
        gets: { status: 400 },
      },
    }),
  },
  'PUT /prospect/:id': ofCompany((id, version) => ({
    path: `/prospect/${id}`,
    body: { version, update_info: { ceo: '新しい代表' } },
  })),
  'POST /prospect/bulk': {
    own: (owner) => ({ path: '/prospect/bulk', body: bulk(owner.senderGroupId, [first(owner)]) }),
    foreign: (victim, asker) => ({
      group: { ask: { path: '/prospect/bulk', body: bulk(victim.senderGroupId, [first(asker)]) }, gets: notFound },
      labels: {
        ask: {
          path: '/prospect/bulk',
          body: { ...bulk(asker.senderGroupId, [first(asker)]), act: 'label', label: { add: [victim.tagId] } },
        },
        gets: notFound,
      },
      ids: {
        ask: { path: '/prospect/bulk', body: bulk(asker.senderGroupId, victim.prospectIds) },
        gets: {
          shows: {
            matched: victim.prospectIds.length,
            changed: 0,
            unchanged: { already: 0, not_found: victim.prospectIds.length, no_email: 0, too_long: 0, too_many: 0 },
            reserved: 0,
            queued: 0,
          },
        },
      },
    }),
  },
  'POST /prospect/:id/archive': ofCompany((id) => ({ path: `/prospect/${id}/archive`, body: {} })),
  'POST /prospect/:id/restore': ofCompany((id) => ({ path: `/prospect/${id}/restore`, body: {} })),
  'POST /person': {
    own: (owner) => ({ path: '/person', body: { add_info: { prospect_id: first(owner), name: '新しい人' } } }),
    foreign: (victim) => ({
      prospect_id: {
        ask: { path: '/person', body: { add_info: { prospect_id: first(victim), name: '新しい人' } } },
        gets: notFound,
      },
    }),
  },
  'PUT /person/:id': {
    own: async ({ prospectIds, personId }, client) => {
      const { body } = await client.get(`/prospect/${prospectIds[1]}`);
      const [person] = (body as { people: { version: string }[] }).people;
      return { path: `/person/${personId}`, body: { version: person?.version, update_info: { title: '新しい役職' } } };
    },
    foreign: ({ personId }) => ({
      path: {
        ask: { path: `/person/${personId}`, body: { version: '', update_info: { title: '新しい役職' } } },
        gets: notFound,
      },
    }),
  },
  'GET /person/check': {
    own: ({ prospectIds, personId }) => ({ path: `/person/check?prospect_id=${prospectIds[1]}&id=${personId}` }),
    foreign: (victim, asker) => ({
      prospect_id: { ask: { path: `/person/check?prospect_id=${first(victim)}` }, gets: notFound },
      id: { ask: { path: `/person/check?prospect_id=${first(asker)}&id=${victim.personId}` }, gets: notFound },
    }),
  },
  'GET /person/find': {
    own: ({ marker }) => ({ path: `/person/find?text=${marker}` }),
    foreign: ({ marker }) => ({ text: { ask: { path: `/person/find?text=${marker}` }, gets: { shows: [] } } }),
  },
};
