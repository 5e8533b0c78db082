import IconArchive from '@tabler/icons-react/dist/esm/icons/IconArchive.mjs';
import IconBan from '@tabler/icons-react/dist/esm/icons/IconBan.mjs';
import IconCalendarTime from '@tabler/icons-react/dist/esm/icons/IconCalendarTime.mjs';
import IconCheck from '@tabler/icons-react/dist/esm/icons/IconCheck.mjs';
import IconCircleDashed from '@tabler/icons-react/dist/esm/icons/IconCircleDashed.mjs';
import IconMailOff from '@tabler/icons-react/dist/esm/icons/IconMailOff.mjs';
import IconMessageReply from '@tabler/icons-react/dist/esm/icons/IconMessageReply.mjs';
import IconSend from '@tabler/icons-react/dist/esm/icons/IconSend.mjs';
import type { ProspectView } from '#contract/prospects.ts';
import { StatusBadge, type StatusLook } from '#web/components/status-badge.tsx';
import { CompanyLink, type CompanyLinks } from './company-name.tsx';
import { PROSPECT_MESSAGES } from './words.ts';

type Status = ProspectView['status'];

const LOOKS: Readonly<Record<Status, StatusLook>> = {
  archived: { tone: 'neutral', Icon: IconArchive },
  undeliverable: { tone: 'amber', Icon: IconMailOff },
  suppressed: { tone: 'neutral', Icon: IconBan },
  replied: { tone: 'amber', Icon: IconMessageReply },
  in_progress: { tone: 'blue', Icon: IconSend },
  reserved: { tone: 'blue', Icon: IconCalendarTime },
  sent: { tone: 'green', Icon: IconCheck },
  unsent: { tone: 'neutral', Icon: IconCircleDashed },
};

/** Returns month and day of `YYYY/MM/DD HH:mm`. */
const dayOf = (time: string): string => time.slice(5, 10);

/** Statuses whose reason the company's details show. */
const EXPLAINED: readonly Status[] = ['undeliverable', 'suppressed', 'replied'];

interface Props {
  readonly prospect: ProspectView;
  readonly links: CompanyLinks;
}

/** The status of a company; a sent mail with its day. Why a company gets no mail is one click away. */
export function ProspectStatus({ prospect: { id, status, sent_at }, links }: Props) {
  const word = PROSPECT_MESSAGES.rowStatuses[status];
  const text = status === 'sent' && sent_at !== null ? PROSPECT_MESSAGES.sentOn(word, dayOf(sent_at)) : word;
  const badge = <StatusBadge look={LOOKS[status]} word={text} />;
  if (!EXPLAINED.includes(status)) return badge;
  return (
    <CompanyLink id={id} links={links} title={PROSPECT_MESSAGES.showReason}>
      {badge}
    </CompanyLink>
  );
}
