import { useInfiniteQuery } from '@tanstack/react-query';
import type { CompanyDetail } from '#contract/companies.ts';
import { Button } from '#web/components/button.tsx';
import { NotLoaded } from '#web/components/not-loaded.tsx';
import styles from './company.module.css';
import { timelineQuery } from './company-query.ts';
import type { MailParts } from './mail-parts.ts';
import { EventLine } from './timeline-event.tsx';
import { TIMELINE_MESSAGES } from './words.ts';

/** The history of a company: mails, imports and changes, newest first. */
export function Timeline({ company, mails }: { readonly company: CompanyDetail; readonly mails: MailParts }) {
  const { data, isError, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(
    timelineQuery(company.id),
  );
  const isUnsent = data?.every(({ kind }) => kind !== 'mail' && kind !== 'recorded') === true && !hasNextPage;
  const groupNames = new Map(company.groups.map(({ sender_group_id, group_name }) => [sender_group_id, group_name]));
  return (
    <section className={styles.section} aria-labelledby="company-timeline">
      <h2 id="company-timeline">{TIMELINE_MESSAGES.title}</h2>
      {isUnsent ? <p className={styles.dim}>{TIMELINE_MESSAGES.noMail}</p> : null}
      {data === undefined ? <NotLoaded hasFailed={isError} onRetry={() => void refetch()} /> : null}
      <ol className={styles.events}>
        {data?.map((event, index) => (
          <EventLine
            // Two events may be of the same second.
            key={`${event.kind} ${event.at} ${event.delivery_id ?? data.length - index}`}
            event={event}
            groupName={event.sender_group_id === null ? undefined : groupNames.get(event.sender_group_id)}
            mails={mails}
          />
        ))}
      </ol>
      {hasNextPage ? (
        <Button busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {TIMELINE_MESSAGES.more}
        </Button>
      ) : null}
    </section>
  );
}
