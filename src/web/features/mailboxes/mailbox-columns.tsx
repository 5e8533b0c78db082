import IconAlertTriangle from '@tabler/icons-react/dist/esm/icons/IconAlertTriangle.mjs';
import IconBan from '@tabler/icons-react/dist/esm/icons/IconBan.mjs';
import IconCheck from '@tabler/icons-react/dist/esm/icons/IconCheck.mjs';
import IconClock from '@tabler/icons-react/dist/esm/icons/IconClock.mjs';
import { MAILBOX_KIND_NAMES, type MailboxState } from '#contract/senders/mailboxes-names.ts';
import { Button } from '#web/components/button.tsx';
import type { Column } from '#web/components/data-table/column.ts';
import { asButtons, BADGE_EDGES, BUTTON_EDGES, textColumn } from '#web/components/data-table/text-column.ts';
import { menuColumn } from '#web/components/dialog/row-menu.tsx';
import { StatusBadge, type StatusLook } from '#web/components/inline/status-badge.tsx';
import type { Mailbox } from '#web/lib/data/mailboxes.ts';
import type { MailboxAct } from './mailbox-dialog.tsx';
import { pausedUntil, readsText } from './mailbox-state.ts';
import { MAILBOX_MESSAGES as messages } from './words.ts';

const { columns: header } = messages;

const LOOKS: Readonly<Record<MailboxState, StatusLook>> = {
  ok: { tone: 'green', Icon: IconCheck },
  unchecked: { tone: 'amber', Icon: IconClock },
  reconnect: { tone: 'red', Icon: IconAlertTriangle },
  off: { tone: 'neutral', Icon: IconBan },
};
const PAUSED: StatusLook = { tone: 'amber', Icon: IconClock };

const statusOf = (mailbox: Mailbox): string => {
  const until = pausedUntil(mailbox);
  return until === null ? messages.states[mailbox.state] : messages.paused(until);
};

/** Opens the dialog of an act on a mailbox. */
type OnAct = (act: MailboxAct, mailbox: Mailbox) => void;

/** @param onAct null: the reader changes no mailbox */
export const mailboxColumns = (onAct: OnAct | null): readonly Column<Mailbox>[] => [
  textColumn('name', header.name, ({ name, owner_id }) => (owner_id === null ? messages.shared(name) : name), {
    width: 120,
    most: 240,
    cut: true,
    isRowHeader: true,
  }),
  textColumn('address', header.address, ({ address }) => address, { width: 140, most: 320, cut: true }),
  textColumn('kind', header.kind, ({ kind }) => MAILBOX_KIND_NAMES[kind]),
  textColumn('today', header.today, ({ used_today, per_day }) => messages.used(used_today, per_day)),
  textColumn('reads', header.reads, readsText),
  {
    id: 'state',
    header: header.status,
    width: 48,
    fits: statusOf,
    beside: BADGE_EDGES,
    render: (mailbox) => (
      <StatusBadge look={pausedUntil(mailbox) === null ? LOOKS[mailbox.state] : PAUSED} word={statusOf(mailbox)} />
    ),
  },
  ...(onAct === null ? [] : [acts(onAct), menu(onAct)]),
];

/** What a row offers first: what it lacks, else its form. */
const firstActs = ({ may_change, state }: Mailbox): readonly ('edit' | 'check' | 'reconnect')[] => {
  if (may_change === 0) return [];
  return { ok: ['edit'], unchecked: ['check', 'edit'], reconnect: ['reconnect', 'edit'], off: ['reconnect'] }[
    state
  ] as readonly ('edit' | 'check' | 'reconnect')[];
};

const NAMES = { edit: messages.editOf, check: messages.checkOf, reconnect: messages.reconnectOf };

const acts = (onAct: OnAct): Column<Mailbox> => ({
  id: 'acts',
  header: header.act,
  width: 48,
  fits: (mailbox) => asButtons(firstActs(mailbox).map((act) => messages[act])),
  beside: BUTTON_EDGES,
  kind: 'acts',
  render: (mailbox) => (
    <span>
      {firstActs(mailbox).map((act) => (
        <Button
          key={act}
          variant={act === 'edit' ? 'quiet' : mailbox.state === 'reconnect' ? 'primary' : 'default'}
          aria-label={NAMES[act](mailbox.name)}
          onClick={() => onAct(act, mailbox)}
        >
          {messages[act]}
        </Button>
      ))}
    </span>
  ),
});

const menu = (onAct: OnAct): Column<Mailbox> =>
  menuColumn({
    header: header.more,
    nameOf: ({ name }) => messages.actsOn(name),
    acts: (mailbox) =>
      mailbox.may_change === 0 || mailbox.state === 'off' ? null : (
        <>
          <button type="button" onClick={() => onAct('check', mailbox)}>
            {messages.check}
          </button>
          <button type="button" onClick={() => onAct('disconnect', mailbox)}>
            {messages.disconnect}
          </button>
        </>
      ),
  });
