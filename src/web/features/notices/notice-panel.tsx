import { type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { NOTICE_TITLES } from '#contract/notices-names.ts';
import { Button } from '#web/components/button.tsx';
import { EmptyState } from '#web/components/empty-state.tsx';
import { NotLoaded } from '#web/components/not-loaded.tsx';
import { call } from '#web/lib/call.ts';
import { unwrap } from '#web/lib/query-client.ts';
import { NOTICE_LIST, UNREAD_NOTICES } from '#web/lib/query-keys.ts';
import { Link } from '#web/lib/router/link.tsx';
import { type NoticePaths, pathOfNotice, pathOfSubject } from './notice-links.ts';
import styles from './notice-panel.module.css';
import { type Notice, noticeList } from './notice-query.ts';
import { NOTICE_MESSAGES as messages } from './words.ts';

const ROWS_AT_ONCE = 30;
const ROWS_MAX = 1000;

interface Props {
  readonly paths: NoticePaths;
  readonly onClose: () => void;
}

/** The notices of the member, the newest first. */
export default function NoticePanel({ paths, onClose }: Props) {
  const [unreadOnly, setUnreadOnly] = useState(false);
  const [limit, setLimit] = useState(ROWS_AT_ONCE);
  const { data, isError, refetch } = useQuery(noticeList(unreadOnly, limit));
  const readAll = useReadAll();
  const { mutate: read } = useReadNotice();
  const newest = Math.max(0, ...(data ?? []).map(({ id }) => id));
  const hasUnread = data?.some(({ is_read }) => is_read === 0) === true;
  return (
    <>
      <div className={styles.tools}>
        <label className={styles.filter}>
          <input type="checkbox" checked={unreadOnly} onChange={({ target }) => setUnreadOnly(target.checked)} />
          {messages.unreadOnly}
        </label>
        <Button busy={readAll.isPending} disabled={!hasUnread} onClick={() => readAll.mutate(newest)}>
          {messages.readAll}
        </Button>
        <Link to={paths.settings} className={styles.settings} onClick={onClose}>
          {messages.open}
        </Link>
      </div>
      {data === undefined ? <NotLoaded hasFailed={isError} onRetry={() => void refetch()} /> : null}
      {data?.length === 0 ? (
        <EmptyState
          kind={unreadOnly ? 'no-match' : 'none'}
          title={unreadOnly ? messages.noneUnread : messages.none}
          help={unreadOnly ? undefined : messages.noneHelp}
        />
      ) : null}
      {data !== undefined && data.length > 0 ? (
        <ul className={styles.rows}>
          {data.map((notice) => (
            <NoticeRow
              key={notice.id}
              notice={notice}
              paths={paths}
              onOpen={() => {
                if (notice.is_read === 0) read(notice.id);
                onClose();
              }}
            />
          ))}
        </ul>
      ) : null}
      {data !== undefined && data.length >= limit && limit < ROWS_MAX ? (
        <Button onClick={() => setLimit(Math.min(ROWS_MAX, limit + ROWS_AT_ONCE))}>{messages.more}</Button>
      ) : null}
    </>
  );
}

const reload = (client: QueryClient): Promise<unknown> =>
  Promise.all([UNREAD_NOTICES, NOTICE_LIST].map((key) => client.invalidateQueries({ queryKey: [key] })));

/** Marks one notice as read. A failure has no toast: who opens a notice is about to leave the list. */
function useReadNotice() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (id: number) =>
      unwrap(
        await call('updateNotice', {
          params: { id: String(id) },
          body: { update_info: { is_read: 1 } },
        }),
      ),
    onSettled: () => reload(client),
    meta: { showsItself: () => true },
  });
}

/** Marks all notices up to an id as read. */
function useReadAll() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (until_id: number) => unwrap(await call('readNotices', { body: { until_id } })),
    onSettled: () => reload(client),
  });
}

interface NoticeRowProps {
  readonly notice: Notice;
  readonly paths: NoticePaths;
  /** A link of it was followed. */
  readonly onOpen: () => void;
}

/** One notice: what happened, to what, and when. */
function NoticeRow({ notice, paths, onOpen }: NoticeRowProps) {
  const { kind, percent, count, subjects, last_at, is_read } = notice;
  const rest = subjects.length > 0 ? count - subjects.length : 0;
  return (
    <li className={styles.row} data-unread={is_read === 0 || undefined}>
      <span className={styles.head}>
        {is_read === 0 ? <span className={styles.dot} role="img" aria-label={messages.unread} /> : null}
        <Link to={pathOfNotice(notice, paths)} className={styles.title} onClick={onOpen}>
          {messages.counted(NOTICE_TITLES[kind](percent), count)}
        </Link>
        <time className={styles.time}>{last_at.slice(5, -3)}</time>
      </span>
      {subjects.length > 0 ? (
        <span className={styles.subjects}>
          {subjects.map(({ id, name }) => (
            <Subject key={id} name={name} to={pathOfSubject(notice, id, paths)} onOpen={onOpen} />
          ))}
          {rest > 0 ? <span>{messages.rest(rest)}</span> : null}
        </span>
      ) : null}
    </li>
  );
}

interface SubjectProps {
  readonly name: string;
  readonly to: string | null;
  readonly onOpen: () => void;
}

const Subject = ({ name, to, onOpen }: SubjectProps) =>
  to === null ? (
    <span>{name}</span>
  ) : (
    <Link to={to} onClick={onOpen}>
      {name}
    </Link>
  );
