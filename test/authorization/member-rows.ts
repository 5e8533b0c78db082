import type { Client } from '../client.ts';
import type { FullTenant } from './full-tenant.ts';
import type { MatrixRow } from './matrix-row.ts';

const notFound = { status: 404 } as const;

const change = (id: number, version: string) => ({
  path: `/member/${id}`,
  body: { version, update_info: { active: 1 } },
});

/** Returns the version of a member, as the list shows it. */
async function versionOf(client: Client, id: number): Promise<string> {
  const { body } = await client.get('/member/list');
  return (body as { id: number; version: string }[]).find((member) => member.id === id)?.version ?? '';
}

const invitation = (senderGroupId: number) => ({
  path: '/invitation',
  body: { add_info: { emails: ['invited-new@example.com'], role: 'sales', sender_group_ids: [senderGroupId] } },
});

const key = 'x'.repeat(43);

/** The rows of the matrix for members and invitations. */
export const MEMBER_ROWS: Record<string, MatrixRow> = {
  'GET /member/list': { own: () => ({ path: '/member/list' }), foreign: () => ({}) },
  'PUT /member/:id': {
    own: async ({ memberId }, client) => change(memberId, await versionOf(client, memberId)),
    foreign: ({ memberId }) => ({ path: { ask: change(memberId, ''), gets: notFound } }),
  },
  'POST /member/:id/password_reset': {
    own: ({ memberId }) => ({ path: `/member/${memberId}/password_reset` }),
    foreign: ({ memberId }) => ({
      path: { ask: { path: `/member/${memberId}/password_reset` }, gets: notFound },
    }),
  },
  'POST /invitation': {
    own: ({ senderGroupId }) => invitation(senderGroupId),
    foreign: ({ senderGroupId }) => ({ 'body, group': { ask: invitation(senderGroupId), gets: notFound } }),
  },
  'GET /invitation/list': { own: () => ({ path: '/invitation/list' }), foreign: () => ({}) },
  'POST /invitation/:id/send': {
    own: ({ invitationId }) => ({ path: `/invitation/${invitationId}/send` }),
    foreign: ({ invitationId }) => ({ path: { ask: { path: `/invitation/${invitationId}/send` }, gets: notFound } }),
  },
  'PUT /invitation/:id': {
    own: ({ invitationId }) => ({ path: `/invitation/${invitationId}`, body: { update_info: { active: 0 } } }),
    foreign: ({ invitationId }) => ({
      path: { ask: { path: `/invitation/${invitationId}`, body: { update_info: { active: 0 } } }, gets: notFound },
    }),
  },
  'POST /invitation/check': {
    open: true,
    own: ({ invitationKey }: FullTenant) => ({ path: '/invitation/check', body: { key: invitationKey } }),
    foreign: () => ({}),
  },
  'POST /invitation/accept': {
    open: true,
    own: () => ({ path: '/invitation/accept', body: { key, name: '森 一', new_password: '次の馬 電池 ホチキス 橋' } }),
    foreign: () => ({}),
  },
};
