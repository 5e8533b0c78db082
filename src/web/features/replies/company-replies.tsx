import { useQuery } from '@tanstack/react-query';
import type { CSSProperties } from 'react';
import { Panel } from '#web/components/panel.tsx';
import { NotLoaded } from '#web/components/state/not-loaded.tsx';
import { actsOf, ReplyEntry } from './reply-entry.tsx';
import { companyReplies } from './reply-query.ts';
import { REPLY_MESSAGES as messages } from './words.ts';

interface Props {
  readonly prospectId: number;
  readonly company: string;
  /** Whether an open reply is what the company waits for: its 対応済みにする is filled. */
  readonly isNext: boolean;
  /** Reserves the section's height until the replies have loaded. */
  readonly room: CSSProperties;
}

/** Shows the replies of a company, newest first, with the actions on them. */
export default function CompanyReplies({ prospectId, company, isNext, room }: Props) {
  const { data, error, refetch } = useQuery(companyReplies(prospectId));
  if (data === undefined) {
    return (
      <div style={room}>
        <NotLoaded what={messages.title} error={error} onRetry={() => void refetch()} />
      </div>
    );
  }
  const next = isNext ? data.rows.find((reply) => actsOf(reply).includes('handle')) : undefined;
  return (
    <Panel title={messages.title}>
      <ul>
        {data.rows.map((reply) => (
          <ReplyEntry key={reply.id} reply={reply} company={company} isNext={reply === next} />
        ))}
      </ul>
      {data.total > data.rows.length ? <small>{messages.more(data.total - data.rows.length)}</small> : null}
    </Panel>
  );
}
