import IconBan from '@tabler/icons-react/dist/esm/icons/IconBan.mjs';
import IconCheck from '@tabler/icons-react/dist/esm/icons/IconCheck.mjs';
import { ROLE_NAMES } from '#domain/account/role-names.ts';
import type { Column } from '#web/components/data-table/column.ts';
import { BADGE_EDGES, textColumn, widestOf } from '#web/components/data-table/text-column.ts';
import { menuColumn } from '#web/components/dialog/row-menu.tsx';
import { StatusBadge, type StatusLook } from '#web/components/inline/status-badge.tsx';
import { call } from '#web/lib/api/call.ts';
import { toast } from '#web/lib/screen/toast.ts';
import { listTime } from '#web/lib/screen-time.ts';
import type { MemberAct } from './member-dialogs.tsx';
import { groupsText, type Member, type NamedGroup } from './members-query.ts';
import { MEMBER_MESSAGES as messages } from './words.ts';

const { columns: header } = messages;

const LOOKS: Readonly<Record<Member['active'], StatusLook>> = {
  1: { tone: 'green', Icon: IconCheck },
  0: { tone: 'neutral', Icon: IconBan },
};

const nameOf = ({ name, is_me }: Member): string => (is_me === 1 ? messages.me(name) : name);

/** Opens the dialog of an act on a member. */
type OnAct = (act: MemberAct, member: Member) => void;

/** @param onAct null: the reader is no admin, who is told no log-ins either */
export const memberColumns = (groups: readonly NamedGroup[], onAct: OnAct | null): readonly Column<Member>[] => [
  textColumn('name', header.name, nameOf, { width: 120, most: 240, cut: true, isRowHeader: true }),
  textColumn('email', header.email, ({ email }) => email, { width: 140, most: 320, cut: true }),
  textColumn('role', header.role, ({ role }) => ROLE_NAMES[role]),
  textColumn('groups', header.groups, (member) => groupsText(member, groups), { width: 110, most: 320, cut: true }),
  ...(onAct === null
    ? []
    : [
        textColumn<Member>('two_factor', header.secondStep, ({ two_factor }) => messages.secondSteps[two_factor ?? 0]),
        textColumn<Member>('last_login_at', header.lastLogin, ({ last_login_at: at }) =>
          at ? listTime(at) : messages.neverLoggedIn,
        ),
      ]),
  {
    id: 'active',
    header: header.status,
    width: 48,
    fits: () => widestOf(Object.values(messages.states)),
    beside: BADGE_EDGES,
    render: ({ active }) => <StatusBadge look={LOOKS[active]} word={messages.states[active]} />,
  },
  ...(onAct === null ? [] : [acts(onAct)]),
];

/** Admins change each other, and not themselves. */
const acts = (onAct: OnAct): Column<Member> =>
  menuColumn({
    header: header.act,
    nameOf: ({ name }) => messages.actsOn(name),
    acts(member) {
      if (member.is_me === 1) return null;
      const entry = (act: MemberAct) => (
        <button type="button" onClick={() => onAct(act, member)}>
          {messages.acts[act]}
        </button>
      );
      if (member.active === 0) return entry('bringBack');
      return (
        <>
          {entry('role')}
          {member.role === 'sales' ? entry('groups') : null}
          <button type="button" onClick={() => void sendReset(member)}>
            {messages.acts.reset}
          </button>
          {member.two_factor === 1 ? entry('secondStep') : null}
          {entry('stop')}
        </>
      );
    },
  });

async function sendReset({ id, email }: Member): Promise<void> {
  const answer = await call('sendMemberPasswordReset', { params: { id: String(id) } });
  if (answer.ok) toast('success', messages.resetSent(email));
  else if (answer.status !== 401) toast('warning', answer.message);
}
