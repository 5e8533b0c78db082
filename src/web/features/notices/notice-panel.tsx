import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '#web/components/button.tsx';
import { EmptyState } from '#web/components/empty-state.tsx';
import { NotLoaded } from '#web/components/not-loaded.tsx';
import { Link } from '#web/lib/router/link.tsx';
import type { NoticePaths } from './notice-links.ts';
import styles from './notice-panel.module.css';
import { noticeList } from './notice-query.ts';
import { NoticeRow } from './notice-row.tsx';
import { useReadAll, useReadNotice } from './read-notices.ts';
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
