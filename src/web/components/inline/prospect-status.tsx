import IconArchive from '@tabler/icons-react/dist/esm/icons/IconArchive.mjs';
import IconBan from '@tabler/icons-react/dist/esm/icons/IconBan.mjs';
import IconCalendarTime from '@tabler/icons-react/dist/esm/icons/IconCalendarTime.mjs';
import IconCheck from '@tabler/icons-react/dist/esm/icons/IconCheck.mjs';
import IconMail from '@tabler/icons-react/dist/esm/icons/IconMail.mjs';
import IconMailOff from '@tabler/icons-react/dist/esm/icons/IconMailOff.mjs';
import IconMessageReply from '@tabler/icons-react/dist/esm/icons/IconMessageReply.mjs';
import IconSend from '@tabler/icons-react/dist/esm/icons/IconSend.mjs';
import type { ProspectView } from '#contract/companies/prospects.ts';
import { DATA_MESSAGES } from '#web/lib/data/words.ts';
import { badgeDay, sentenceTime } from '#web/lib/screen-time.ts';
import { StatusBadge, type StatusLook } from './status-badge.tsx';

/** The status of a company for one sender group, from a list or the company's details. */
type State = Pick<ProspectView, 'status' | 'sent_at' | 'send_at'>;

const LOOKS: Readonly<Record<State['status'], StatusLook>> = {
  archived: { tone: 'neutral', Icon: IconArchive },
  undeliverable: { tone: 'amber', Icon: IconMailOff },
  suppressed: { tone: 'neutral', Icon: IconBan },
  replied: { tone: 'amber', Icon: IconMessageReply },
  in_progress: { tone: 'blue', Icon: IconSend },
  reserved: { tone: 'blue', Icon: IconCalendarTime },
  sent: { tone: 'green', Icon: IconCheck },
  unsent: { tone: 'neutral', Icon: IconMail },
};

const TIMES = { day: badgeDay, minute: sentenceTime };

interface Props {
  readonly of: State;
  /** The format of the time at which the mail was sent or is reserved. */
  readonly time: keyof typeof TIMES;
}

/** Shows the status of a company: the same in its row, its card and its details. */
export function ProspectStatus({ of: { status, sent_at, send_at }, time }: Props) {
  const { rowStatuses, statusAt } = DATA_MESSAGES.prospects;
  const word = rowStatuses[status];
  const at = status === 'sent' ? sent_at : status === 'reserved' ? send_at : null;
  return <StatusBadge look={LOOKS[status]} word={at === null ? word : statusAt(word, TIMES[time](at))} />;
}
