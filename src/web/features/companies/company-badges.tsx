import IconArchive from '@tabler/icons-react/dist/esm/icons/IconArchive.mjs';
import IconBan from '@tabler/icons-react/dist/esm/icons/IconBan.mjs';
import IconCheck from '@tabler/icons-react/dist/esm/icons/IconCheck.mjs';
import IconMail from '@tabler/icons-react/dist/esm/icons/IconMail.mjs';
import IconMessageReply from '@tabler/icons-react/dist/esm/icons/IconMessageReply.mjs';
import type { CompanyDetail } from '#contract/companies.ts';
import { StatusBadge } from '#web/components/status-badge.tsx';
import { withNote } from '#web/lib/phrases.ts';
import { SuppressionReply, suppressionText } from './suppression-reply.tsx';
import { COMPANY_MESSAGES } from './words.ts';

/** Shows whether a company is archived, suppressed or has answered, and when it was last mailed. */
export function CompanyBadges({ company }: { readonly company: CompanyDetail }) {
  const { archived, suppressed, maybe_refused, replied, publication_notice, groups } = company;
  const answered = { tone: 'amber', Icon: IconMessageReply } as const;
  const { statuses } = COMPANY_MESSAGES;
  const lastSent = groups
    .flatMap(({ sent_at }) => sent_at ?? [])
    .toSorted()
    .at(-1);
  return (
    <div className="row">
      {archived === 1 ? <StatusBadge look={{ tone: 'neutral', Icon: IconArchive }} word={statuses.archived} /> : null}
      {suppressed === null ? null : (
        <>
          <StatusBadge
            look={{ tone: 'amber', Icon: IconBan }}
            word={withNote(statuses.suppressed, suppressionText(suppressed))}
          />
          <SuppressionReply suppressed={suppressed} />
        </>
      )}
      {replied === 1 ? <StatusBadge look={answered} word={statuses.replied} /> : null}
      {maybe_refused === null ? null : <StatusBadge look={answered} word={statuses.maybeRefused} />}
      {publication_notice === 'refused' ? (
        <StatusBadge look={{ tone: 'amber', Icon: IconBan }} word={statuses.refusedByNotice} />
      ) : null}
      {lastSent === undefined ? (
        <StatusBadge look={{ tone: 'neutral', Icon: IconMail }} word={statuses.unsent} />
      ) : (
        <StatusBadge look={{ tone: 'green', Icon: IconCheck }} word={statuses.sentAt(lastSent)} />
      )}
    </div>
  );
}
