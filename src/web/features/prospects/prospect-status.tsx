import {
  IconArchive,
  IconBan,
  IconCalendarTime,
  IconCheck,
  IconCircleDashed,
  IconMailOff,
  IconSend,
} from '@tabler/icons-react';
import type { ProspectView } from '#contract/prospect.ts';
import { StatusBadge, type StatusLook } from '#web/components/status-badge.tsx';
import { PROSPECT_MESSAGES } from './words.ts';

type Status = ProspectView['status'];

const LOOKS: Readonly<Record<Status, StatusLook>> = {
  archived: { tone: 'neutral', Icon: IconArchive },
  undeliverable: { tone: 'amber', Icon: IconMailOff },
  suppressed: { tone: 'neutral', Icon: IconBan },
  in_progress: { tone: 'blue', Icon: IconSend },
  reserved: { tone: 'blue', Icon: IconCalendarTime },
  sent: { tone: 'green', Icon: IconCheck },
  unsent: { tone: 'neutral', Icon: IconCircleDashed },
};

/** Returns month and day of `YYYY/MM/DD HH:mm`. */
const dayOf = (time: string): string => time.slice(5, 10);

/** The status of a company; a sent mail with its day. */
export function ProspectStatus({ prospect: { status, sent_at } }: { readonly prospect: ProspectView }) {
  const word = PROSPECT_MESSAGES.rowStatuses[status];
  const text = status === 'sent' && sent_at !== null ? PROSPECT_MESSAGES.sentOn(word, dayOf(sent_at)) : word;
  return <StatusBadge look={LOOKS[status]} word={text} />;
}
