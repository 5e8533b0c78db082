import IconAlertTriangle from '@tabler/icons-react/dist/esm/icons/IconAlertTriangle.mjs';
import IconBan from '@tabler/icons-react/dist/esm/icons/IconBan.mjs';
import IconCheck from '@tabler/icons-react/dist/esm/icons/IconCheck.mjs';
import IconClock from '@tabler/icons-react/dist/esm/icons/IconClock.mjs';
import { MAILBOX_KIND_NAMES, type MailboxState } from '#contract/senders/mailboxes-names.ts';
import { Button } from '#web/components/button.tsx';
import type { Column } from '#web/components/data-table/column.ts';
import { asButtons, BADGE_EDGES, textColumn, widestOf } from '#web/components/data-table/text-column.ts';
import { RowMenu } from '#web/components/dialog/row-menu.tsx';
import { StatusBadge, type StatusLook } from '#web/components/inline/status-badge.tsx';
import type { Mailbox } from '#web/lib/data/mailboxes.ts';
import { badgeDay, sentenceClock } from '#web/lib/screen-time.ts';
import type { MailboxAct } from './mailbox-dialog.tsx';
import { pausedUntil, readsText } from './mailbox-state.ts';
import styles from './mailboxes.module.css';
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
  return until === null ? messages.states[mailbox.state] : messages.paused(badgeDay(until), sentenceClock(until));
};

/** Opens the dialog of an act on a mailbox. */
type OnAct = (act: MailboxAct, mailbox: Mailbox) => void;

/** @param onAct null: the reader changes no mailbox */
export const mailboxColumns = (onAct: OnAct | null): readonly Column<Mailbox>[] => [
  textColumn('name', header.name, ({ name, owner_id }) => (owner_id === null ? messages.shared(name) : name), {
    width: 96,
    most: 240,
    cut: true,
    isRowHeader: true,
  }),
  {
    id: 'address',
    header: header.address,
    width: 110,
    fits: ({ address, kind }) => widestOf([address, MAILBOX_KIND_NAMES[kind]]),
    most: 360,
    cut: true,
    // Never cut: similar addresses differ at any place.
    render: ({ address, kind }) => (
      <span className={styles.whose}>
        {address}
        <span className="note">{MAILBOX_KIND_NAMES[kind]}</span>
      </span>
    ),
  },
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
  ...(onAct === null ? [] : [acts(onAct)]),
];

type RowAct = Exclude<MailboxAct, 'add' | 'connected'>;

type RowActs = readonly [RowAct, ...RowAct[]];

/** What each state offers: first what the mailbox lacks, else its form; the others in the menu. */
const ACTS: Readonly<Record<MailboxState, RowActs>> = {
  ok: ['edit', 'check', 'disconnect'],
  unchecked: ['check', 'edit', 'disconnect'],
  reconnect: ['reconnect', 'edit', 'check', 'disconnect'],
  off: ['reconnect'],
};

/** An unchecked mailbox of a provider often lacks the consent: it was refused there, or given for another address. */
const actsOf = ({ kind, state }: Mailbox): RowActs =>
  ACTS[state === 'unchecked' && kind !== 'smtp' ? 'reconnect' : state];

/** Names the button of an act for screen readers. */
const NAMES: Readonly<Partial<Record<RowAct, (name: string) => string>>> = {
  edit: messages.editOf,
  check: messages.checkOf,
  reconnect: messages.reconnectOf,
};

const acts = (onAct: OnAct): Column<Mailbox> => ({
  id: 'acts',
  header: header.act,
  width: 48,
  fits: (mailbox) => (mailbox.may_change === 0 ? '' : asButtons([messages[actsOf(mailbox)[0]], messages.dots])),
  beside: BADGE_EDGES,
  render(mailbox) {
    if (mailbox.may_change === 0) return null;
    const [first, ...others] = actsOf(mailbox);
    const { name } = mailbox;
    return (
      <span className={styles.acts}>
        <Button
          variant={mailbox.state === 'reconnect' ? 'primary' : 'default'}
          aria-label={NAMES[first]?.(name)}
          onClick={() => onAct(first, mailbox)}
        >
          {messages[first]}
        </Button>
        {others.length === 0 ? null : (
          <RowMenu name={messages.actsOn(name)}>
            {others.map((act) => (
              <button key={act} type="button" onClick={() => onAct(act, mailbox)}>
                {messages[act]}
              </button>
            ))}
          </RowMenu>
        )}
      </span>
    );
  },
});
