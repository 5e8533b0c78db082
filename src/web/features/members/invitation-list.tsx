import IconAlertTriangle from '@tabler/icons-react/dist/esm/icons/IconAlertTriangle.mjs';
import IconClockOff from '@tabler/icons-react/dist/esm/icons/IconClockOff.mjs';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useId, useMemo } from 'react';
import { ROLE_NAMES } from '#domain/account/role-names.ts';
import { addressKey } from '#domain/mail/address-key.ts';
import { parseDateTime } from '#domain/time/tokyo-time.ts';
import { DAY_MS, HOUR_MS } from '#domain/time-units.ts';
import { Button } from '#web/components/button.tsx';
import type { Column } from '#web/components/data-table/column.ts';
import { DataTable } from '#web/components/data-table/data-table.tsx';
import { BADGE_EDGES, textColumn } from '#web/components/data-table/text-column.ts';
import { menuColumn } from '#web/components/dialog/row-menu.tsx';
import { StatusBadge } from '#web/components/inline/status-badge.tsx';
import { LoadFailed } from '#web/components/state/load-failed.tsx';
import { Notice } from '#web/components/state/notice.tsx';
import { PATHS } from '#web/lib/address/paths.ts';
import { call } from '#web/lib/api/call.ts';
import { unwrap } from '#web/lib/api/query-client.ts';
import { serverNow } from '#web/lib/api/server-clock.ts';
import { Link } from '#web/lib/router/link.tsx';
import { toast } from '#web/lib/screen/toast.ts';
import { useMay } from '#web/lib/session/use-may.ts';
import styles from './members.module.css';
import {
  groupsText,
  type Invitation,
  invitationList,
  type NamedGroup,
  namedGroups,
  reloadMembers,
} from './members-query.ts';
import { INVITE_MESSAGES as messages } from './words.ts';

const { columns: header } = messages;

/** Lists who was invited and has not come yet, for admins. Nothing is shown while nobody is. */
export function InvitationList() {
  const id = useId();
  const mayConnect = useMay('addMailbox');
  const client = useQueryClient();
  const { data: invitations, isError, error, refetch } = useQuery(invitationList);
  const { data: groups = [] } = useQuery(namedGroups);
  const cancel = useMutation({
    mutationFn: async ({ id: invitation }: Invitation) => {
      const body = { update_info: { active: 0 as const } };
      unwrap(await call('updateInvitation', { params: { id: String(invitation) }, body }));
    },
    onSuccess: (_answer, { email }) => toast('success', messages.cancelled(email)),
    onSettled: () => reloadMembers(client),
  });
  const { mutate: onCancel } = cancel;
  const columns = useMemo(() => invitationColumns(groups, onCancel), [groups, onCancel]);
  if (isError && invitations === undefined) return <LoadFailed error={error} onRetry={() => void refetch()} />;
  const shown = openOf(invitations ?? []);
  if (shown.length === 0) return null;
  return (
    <section className={styles.list} aria-labelledby={id}>
      <h2 id={id}>{messages.heading(shown)}</h2>
      {mayConnect && shown.some(isCaught) ? (
        <Notice tone="warning" act={<Link to={PATHS.settingsMailboxes}>{messages.connect}</Link>}>
          {messages.caughtHelp}
        </Notice>
      ) : null}
      <DataTable label={messages.list} columns={columns} rows={shown} rowId={(row) => row.id} empty={null} />
    </section>
  );
}

/** Returns the invitations to wait for or to send again: the newest of each address, if it is open or has expired. */
function openOf(invitations: readonly Invitation[]): Invitation[] {
  const newest = new Map(invitations.toReversed().map((invitation) => [addressKey(invitation.email), invitation]));
  return invitations.filter(
    (invitation) =>
      newest.get(addressKey(invitation.email)) === invitation &&
      (invitation.state === 'waiting' || invitation.state === 'expired'),
  );
}

/** Its mail is in the mail catcher: the link reaches nobody. */
const isCaught = ({ state, mail_state }: Invitation): boolean => state === 'waiting' && mail_state === 'caught';

/** Returns how long a link is valid, or what keeps it from being used. */
function stateText({ state, mail_state, expires_at }: Invitation): string {
  if (state === 'expired') return messages.expired;
  if (mail_state !== 'sent') return messages[mail_state];
  const left = (parseDateTime(expires_at) ?? 0) - serverNow();
  return left > DAY_MS
    ? messages.days(Math.ceil(left / DAY_MS))
    : messages.hours(Math.max(1, Math.ceil(left / HOUR_MS)));
}

const invitationColumns = (
  groups: readonly NamedGroup[],
  onCancel: (invitation: Invitation) => void,
): readonly Column<Invitation>[] => [
  textColumn('email', header.email, ({ email }) => email, { width: 140, most: 360, cut: true, isRowHeader: true }),
  textColumn('role', header.role, ({ role }) => ROLE_NAMES[role]),
  textColumn('groups', header.groups, (row) => groupsText(row, groups), { width: 110, most: 320, cut: true }),
  {
    id: 'state',
    header: header.state,
    width: 48,
    fits: stateText,
    beside: BADGE_EDGES,
    render: (row) => <State row={row} />,
  },
  {
    id: 'again',
    header: header.act,
    width: 48,
    fits: () => messages.again,
    kind: 'acts',
    render: (row) => <SendAgain invitation={row} />,
  },
  menuColumn({
    header: '',
    nameOf: ({ email }) => messages.actsOn(email),
    acts: (row) => (
      <button type="button" onClick={() => onCancel(row)}>
        {messages.cancel}
      </button>
    ),
  }),
];

function State({ row }: { readonly row: Invitation }) {
  const text = stateText(row);
  if (row.state === 'expired') return <StatusBadge look={{ tone: 'neutral', Icon: IconClockOff }} word={text} />;
  if (row.mail_state === 'failed' || row.mail_state === 'caught')
    return <StatusBadge look={{ tone: 'red', Icon: IconAlertTriangle }} word={text} />;
  return text;
}

/** Mails a new link; the old one is dead. */
function SendAgain({ invitation: { id, email } }: { readonly invitation: Invitation }) {
  const client = useQueryClient();
  const { mutate, isPending } = useMutation({
    mutationFn: async () => unwrap(await call('sendInvitation', { params: { id: String(id) } })),
    onSuccess: ({ status }) => {
      if (status === 'sent') toast('success', messages.sent(email));
      else toast('info', messages.caughtHelp);
    },
    onSettled: () => reloadMembers(client),
  });
  return (
    <span>
      <Button variant="quiet" busy={isPending} aria-label={messages.againOf(email)} onClick={() => mutate()}>
        {messages.again}
      </Button>
    </span>
  );
}
