import IconArchive from '@tabler/icons-react/dist/esm/icons/IconArchive.mjs';
import IconBan from '@tabler/icons-react/dist/esm/icons/IconBan.mjs';
import IconMessageReply from '@tabler/icons-react/dist/esm/icons/IconMessageReply.mjs';
import type { CompanyDetail } from '#contract/companies/companies.ts';
import { ProspectStatus } from '#web/components/inline/prospect-status.tsx';
import { StatusBadge } from '#web/components/inline/status-badge.tsx';
import { DATA_MESSAGES } from '#web/lib/data/words.ts';
import { withNote } from '#web/lib/phrases.ts';
import { groupOf } from './company-form.ts';
import { SuppressionReply, suppressionText } from './suppression-reply.tsx';
import { COMPANY_MESSAGES } from './words.ts';

interface Props {
  readonly company: CompanyDetail;
  /** The group whose status is shown; undefined: none. */
  readonly groupId: number | undefined;
}

/** Statuses that another badge of the company already shows in more detail. */
const TOLD = ['archived', 'suppressed', 'replied'];

/** Shows the status of a company as in its row, and badges for its other properties. */
export function CompanyBadges({ company, groupId }: Props) {
  const { archived, suppressed, maybe_refused, replied, publication_notice } = company;
  const answered = { tone: 'amber', Icon: IconMessageReply } as const;
  const { statuses } = COMPANY_MESSAGES;
  const { rowStatuses } = DATA_MESSAGES.prospects;
  const state = groupId === undefined ? undefined : groupOf(company, groupId);
  return (
    <div className="row">
      {state === undefined || TOLD.includes(state.status) ? null : <ProspectStatus of={state} time="minute" />}
      {archived === 1 ? (
        <StatusBadge look={{ tone: 'neutral', Icon: IconArchive }} word={rowStatuses.archived} />
      ) : null}
      {suppressed === null ? null : (
        <>
          <StatusBadge
            look={{ tone: 'amber', Icon: IconBan }}
            word={
              suppressed.class === 'undeliverable'
                ? suppressionText(suppressed)
                : withNote(rowStatuses.suppressed, suppressionText(suppressed))
            }
          />
          <SuppressionReply suppressed={suppressed} />
        </>
      )}
      {replied === 1 ? <StatusBadge look={answered} word={rowStatuses.replied} /> : null}
      {maybe_refused === null ? null : <StatusBadge look={answered} word={statuses.maybeRefused} />}
      {publication_notice === 'refused' ? (
        <StatusBadge look={{ tone: 'amber', Icon: IconBan }} word={statuses.refusedByNotice} />
      ) : null}
    </div>
  );
}
