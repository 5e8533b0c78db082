import { useQuery } from '@tanstack/react-query';
import type { CSSProperties } from 'react';
import { Panel } from '#web/components/panel.tsx';
import { NotLoaded } from '#web/components/state/not-loaded.tsx';
import { ReplyEntry } from './reply-entry.tsx';
import { companyReplies } from './reply-query.ts';
import { REPLY_MESSAGES as messages } from './words.ts';

interface Props {
  readonly prospectId: number;
  readonly company: string;
  /** Reserves the section's height until the replies have loaded. */
  readonly room: CSSProperties;
}

/** Shows the replies of a company, newest first, with the actions on them. */
export default function CompanyReplies({ prospectId, company, room }: Props) {
  const { data, error, refetch } = useQuery(companyReplies(prospectId));
  if (data === undefined) {
    return (
      <div style={room}>
        <NotLoaded hasFailed={error !== null} onRetry={() => void refetch()} />
      </div>
    );
  }
  return (
    <Panel title={messages.title}>
      <ul>
        {data.rows.map((reply) => (
          <ReplyEntry key={reply.id} reply={reply} company={company} />
        ))}
      </ul>
      {data.total > data.rows.length ? <small>{messages.more(data.total - data.rows.length)}</small> : null}
    </Panel>
  );
}
