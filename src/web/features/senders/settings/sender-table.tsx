import IconBan from '@tabler/icons-react/dist/esm/icons/IconBan.mjs';
import IconCheck from '@tabler/icons-react/dist/esm/icons/IconCheck.mjs';
import IconClock from '@tabler/icons-react/dist/esm/icons/IconClock.mjs';
import IconMail from '@tabler/icons-react/dist/esm/icons/IconMail.mjs';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Button } from '#web/components/button.tsx';
import { StatusBadge } from '#web/components/status-badge.tsx';
import { minuteWithWeekday } from '#web/lib/with-weekday.ts';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import { askConfirmation } from './changes.ts';
import styles from './sender-settings.module.css';
import { reloadSenders, type SenderRow } from './settings-query.ts';
import { SENDER_SETTINGS_MESSAGES as messages } from './words.ts';

interface Props {
  readonly label: string;
  readonly senders: readonly SenderRow[];
  readonly markOf: (address: string) => ReactNode;
  readonly onEdit: (id: number) => void;
}

const { columns } = messages;

/** The senders of a group. On phones each one is a card. */
export function SenderTable({ label, senders, markOf, onEdit }: Props) {
  return (
    <table className={styles.table} aria-label={label}>
      <thead>
        <tr>
          {Object.values(columns).map((column) => (
            <th key={column} scope="col">
              {column}
            </th>
          ))}
          <td />
        </tr>
      </thead>
      <tbody>
        {senders.map((sender) => (
          <tr key={sender.id}>
            <th scope="row">{sender.person_in_charge}</th>
            <td data-label={columns.email}>
              <span className={styles.email}>{sender.email}</span>
              <AddressBadge sender={sender} />
              {markOf(sender.email)}
            </td>
            <td data-label={columns.bcc}>{sender.bcc?.replaceAll(',', ', ') ?? messages.none}</td>
            <td data-label={columns.template}>{sender.template_name}</td>
            <td data-label={columns.limit} className={styles.number}>
              {sender.mails_per_minute?.toLocaleString('ja-JP') ?? messages.none}
            </td>
            <td data-label={columns.status}>
              <ActiveBadge isActive={sender.active === 1} />
            </td>
            <td className={styles.actions}>
              {sender.is_confirmed === 1 ? null : <ConfirmationButton sender={sender} />}
              <Button aria-label={messages.editOf(sender.person_in_charge)} onClick={() => onEdit(sender.id)}>
                {COMMON_MESSAGES.actions.edit}
              </Button>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function ConfirmationButton({ sender }: { readonly sender: SenderRow }) {
  const client = useQueryClient();
  const [busy, setBusy] = useState(false);
  async function send(): Promise<void> {
    setBusy(true);
    await askConfirmation(sender.id, sender.email);
    await reloadSenders(client);
    setBusy(false);
  }
  return (
    <Button busy={busy} onClick={() => void send()}>
      {messages.sendConfirmation}
    </Button>
  );
}

/** The address is 未確認 until a mail asks for its confirmation, and 確認待ち until its link is used. */
function AddressBadge({ sender: { is_confirmed, confirmation_sent_at: sentAt } }: { readonly sender: SenderRow }) {
  if (is_confirmed === 1) return <StatusBadge look={{ tone: 'green', Icon: IconCheck }} word={messages.confirmed} />;
  if (sentAt === null) return <StatusBadge look={{ tone: 'amber', Icon: IconMail }} word={messages.unconfirmed} />;
  return (
    <>
      <StatusBadge look={{ tone: 'amber', Icon: IconClock }} word={messages.waiting} />
      <span className={styles.sentAt}>{messages.sentAt(minuteWithWeekday(sentAt))}</span>
    </>
  );
}

export function ActiveBadge({ isActive }: { readonly isActive: boolean }) {
  return isActive ? (
    <StatusBadge look={{ tone: 'green', Icon: IconCheck }} word={messages.active} />
  ) : (
    <StatusBadge look={{ tone: 'neutral', Icon: IconBan }} word={messages.inactive} />
  );
}
