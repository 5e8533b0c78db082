import { useQuery } from '@tanstack/react-query';
import type { CSSProperties } from 'react';
import { NotLoaded } from '#web/components/not-loaded.tsx';
import styles from './replies.module.css';
import { ReplyEntry } from './reply-entry.tsx';
import { companyReplies } from './reply-query.ts';
import { REPLY_MESSAGES as messages } from './words.ts';

interface Props {
  readonly prospectId: number;
  readonly company: string;
  /** The style of the section until the answers are there. */
  readonly room: CSSProperties;
}

/** What a company has answered, the newest first, and what can follow from it. */
export default function CompanyReplies({ prospectId, company, room }: Props) {
  const { data, error, refetch } = useQuery(companyReplies(prospectId));
  return (
    <section className={styles.section} style={data === undefined ? room : undefined} aria-labelledby="company-replies">
      <h2 id="company-replies">{messages.title}</h2>
      {data === undefined ? (
        <NotLoaded hasFailed={error !== null} onRetry={() => void refetch()} />
      ) : (
        <ul className={styles.list}>
          {data.rows.map((reply) => (
            <ReplyEntry key={reply.id} reply={reply} company={company} />
          ))}
        </ul>
      )}
      {data !== undefined && data.total > data.rows.length ? (
        <p className={styles.dim}>{messages.more(data.total - data.rows.length)}</p>
      ) : null}
    </section>
  );
}
