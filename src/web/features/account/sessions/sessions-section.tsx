import IconCheck from '@tabler/icons-react/dist/esm/icons/IconCheck.mjs';
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { lazy, useState } from 'react';
import { Button } from '#web/components/button.tsx';
import { StatusBadge, type StatusLook } from '#web/components/inline/status-badge.tsx';
import { Panel } from '#web/components/panel.tsx';
import { LoadFailed } from '#web/components/state/load-failed.tsx';
import { PartBoundary } from '#web/components/state/part-boundary.tsx';
import { type AnswerOf, call } from '#web/lib/api/call.ts';
import { SHOWN_IN_PLACE, unwrap } from '#web/lib/api/query-client.ts';
import { loadPart } from '#web/lib/screen/load-part.ts';
import { toast } from '#web/lib/screen/toast.ts';
import { listTime } from '#web/lib/screen-time.ts';
import { readAgent } from './agent.ts';
import styles from './sessions.module.css';
import { SESSION_MESSAGES as messages } from './words.ts';

const EndOthersDialog = lazy(() => loadPart(() => import('./end-others-dialog.tsx')));

const CURRENT: StatusLook = { tone: 'green', Icon: IconCheck };

type Session = AnswerOf<'listSessions'>[number];

const sessionList = queryOptions({
  queryKey: ['session_list'],
  queryFn: async ({ signal }): Promise<Session[]> => unwrap(await call('listSessions', {}, { signal })),
  staleTime: 0,
  meta: SHOWN_IN_PLACE,
});

const deviceOf = ({ agent }: Session): string => readAgent(agent) ?? messages.unknown;

/** Lists where the member is logged in. The session of this browser ends by the log-out of the header. */
export default function SessionsSection() {
  const client = useQueryClient();
  const [asks, setAsks] = useState(false);
  const { data: sessions, isError, error, refetch } = useQuery(sessionList);
  const reload = () => client.invalidateQueries(sessionList);
  const end = useMutation({
    mutationFn: async ({ id }: Session) => {
      const body = { update_info: { active: 0 as const } };
      return unwrap(await call('endSession', { params: { id }, body }));
    },
    onSuccess: (_answer, session) => toast('success', messages.ended(deviceOf(session))),
    onSettled: reload,
  });
  const others = (sessions ?? []).filter(({ is_current }) => is_current === 0).length;
  return (
    <Panel
      title={messages.title}
      help={messages.help}
      tools={
        others === 0 ? undefined : (
          <Button className="push" aria-haspopup="dialog" onClick={() => setAsks(true)}>
            {messages.endOthers}
          </Button>
        )
      }
    >
      {isError && sessions === undefined ? (
        <LoadFailed what={messages.title} error={error} onRetry={() => void refetch()} />
      ) : null}
      <ul className={styles.list} aria-busy={sessions === undefined || undefined}>
        {sessions?.map((session) => (
          <li key={session.id} className="entry">
            <Device session={session} />
            {session.is_current === 1 ? null : (
              <Button
                aria-label={messages.endOf(deviceOf(session))}
                busy={end.isPending && end.variables.id === session.id}
                onClick={() => end.mutate(session)}
              >
                {messages.end}
              </Button>
            )}
          </li>
        ))}
      </ul>
      <PartBoundary>
        {asks ? <EndOthersDialog others={others} onClose={() => setAsks(false)} onEnded={() => void reload()} /> : null}
      </PartBoundary>
    </Panel>
  );
}

function Device({ session }: { readonly session: Session }) {
  const { address, created_at, last_used_at, is_current } = session;
  return (
    <div>
      <div className="row">
        <strong>{deviceOf(session)}</strong>
        <bdi>{address}</bdi>
        {is_current === 1 ? <StatusBadge look={CURRENT} word={messages.current} /> : null}
      </div>
      <p className="note">
        <span>{messages.lastUsed(listTime(last_used_at))}</span>
        <span>{messages.loggedIn(listTime(created_at))}</span>
      </p>
    </div>
  );
}
