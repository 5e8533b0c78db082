import { type QueryClient, queryOptions } from '@tanstack/react-query';
import type { Role } from '#domain/account/role.ts';
import { ROLE_NAMES } from '#domain/account/role-names.ts';
import { type AnswerOf, call, type InputOf } from '#web/lib/api/call.ts';
import { SHOWN_IN_PLACE, unwrap } from '#web/lib/api/query-client.ts';
import { SENDER_GROUP_LIST } from '#web/lib/api/query-keys.ts';
import { LIST_SEPARATOR } from '#web/lib/phrases.ts';
import { MEMBER_MESSAGES as messages } from './words.ts';

export type Member = AnswerOf<'listMembers'>[number];
export type Invitation = AnswerOf<'listInvitations'>[number];

const MEMBERS = 'member_list';
const INVITATIONS = 'invitation_list';

export const memberList = queryOptions({
  queryKey: [MEMBERS],
  queryFn: async ({ signal }): Promise<Member[]> => unwrap(await call('listMembers', {}, { signal })),
  staleTime: 0,
  meta: SHOWN_IN_PLACE,
});

/** The mails of invitations follow the answer, one by one. */
const MAIL_POLL_MS = 3000;

const isOnItsWay = ({ state, mail_state }: Invitation): boolean => state === 'waiting' && mail_state === 'sending';

export const invitationList = queryOptions({
  queryKey: [INVITATIONS],
  queryFn: async ({ signal }): Promise<Invitation[]> => unwrap(await call('listInvitations', {}, { signal })),
  staleTime: 0,
  meta: SHOWN_IN_PLACE,
  refetchInterval: ({ state }) => (state.data?.some(isOnItsWay) ? MAIL_POLL_MS : false),
});

export interface NamedGroup {
  readonly id: number;
  readonly group_name: string;
  readonly active: 0 | 1;
}

/** Fetches all sender groups, also inactive ones, which members may have. */
export const namedGroups = queryOptions({
  queryKey: [SENDER_GROUP_LIST, 'named'],
  queryFn: async ({ signal }): Promise<readonly NamedGroup[]> => {
    const answer = await call('listSenderGroups', { query: { columns: ['id', 'group_name', 'active'] } }, { signal });
    // Rows have the requested columns.
    return unwrap(answer) as NamedGroup[];
  },
});

export const putMember = ({ id, version }: Pick<Member, 'id' | 'version'>, body: Omit<PutBody, 'version'>) =>
  call('updateMember', { params: { id: String(id) }, body: { version, ...body } });
type PutBody = InputOf<'updateMember'>['body'];

/** Reloads the members and their invitations. */
export async function reloadMembers(client: QueryClient): Promise<void> {
  await Promise.all([MEMBERS, INVITATIONS].map((name) => client.invalidateQueries({ queryKey: [name] })));
}

/** Returns where somebody acts, in words. */
export function groupsText(
  { role, sender_group_ids }: { readonly role: Role; readonly sender_group_ids: readonly number[] | null },
  groups: readonly NamedGroup[],
): string {
  if (role === 'viewer') return messages.noGroup;
  if (sender_group_ids === null) return messages.everywhere;
  const names = sender_group_ids.map((id) => groups.find((group) => group.id === id)?.group_name ?? messages.goneGroup);
  return names.join(LIST_SEPARATOR);
}

export const ROLE_CHOICES = (['sales', 'viewer', 'admin'] as const).map((value) => ({
  value,
  label: ROLE_NAMES[value],
}));
