import type { Icon } from '@tabler/icons-react';
import IconAlertTriangle from '@tabler/icons-react/dist/esm/icons/IconAlertTriangle.mjs';
import IconBan from '@tabler/icons-react/dist/esm/icons/IconBan.mjs';
import IconCalendarX from '@tabler/icons-react/dist/esm/icons/IconCalendarX.mjs';
import IconChevronRight from '@tabler/icons-react/dist/esm/icons/IconChevronRight.mjs';
import IconFileImport from '@tabler/icons-react/dist/esm/icons/IconFileImport.mjs';
import IconHistory from '@tabler/icons-react/dist/esm/icons/IconHistory.mjs';
import IconMailOff from '@tabler/icons-react/dist/esm/icons/IconMailOff.mjs';
import IconMessage from '@tabler/icons-react/dist/esm/icons/IconMessage.mjs';
import IconMessageQuestion from '@tabler/icons-react/dist/esm/icons/IconMessageQuestion.mjs';
import IconPlayerPause from '@tabler/icons-react/dist/esm/icons/IconPlayerPause.mjs';
import IconSend from '@tabler/icons-react/dist/esm/icons/IconSend.mjs';
import IconWorldX from '@tabler/icons-react/dist/esm/icons/IconWorldX.mjs';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { NOTICE_TITLES } from '#contract/notices/notices-names.ts';
import type { NoticeKind } from '#domain/account/notice.ts';
import { dayOf, instantOf, parseDateTime } from '#domain/time/tokyo-time.ts';
import { DAY_MS } from '#domain/time-units.ts';
import { Button } from '#web/components/button.tsx';
import { ButtonLink } from '#web/components/inline/button-link.tsx';
import { EmptyState } from '#web/components/state/empty-state.tsx';
import { NotLoaded } from '#web/components/state/not-loaded.tsx';
import { call } from '#web/lib/api/call.ts';
import { unwrap } from '#web/lib/api/query-client.ts';
import { serverNow } from '#web/lib/api/server-clock.ts';
import { LIST_SEPARATOR } from '#web/lib/phrases.ts';
import { Link } from '#web/lib/router/link.tsx';
import { listClock, sentenceDay } from '#web/lib/screen-time.ts';
import { type NoticePaths, pathOfNotice } from './notice-links.ts';
import styles from './notice-panel.module.css';
import { type Notice, noticeList } from './notice-query.ts';
import { readNotice, reloadNotices } from './read-notices.ts';
import { NOTICE_MESSAGES as messages } from './words.ts';

const ROWS_AT_ONCE = 30;
const ROWS_MAX = 1000;

interface Props {
  readonly paths: NoticePaths;
  readonly onClose: () => void;
}

/** Lists the notices of the member, newest first. */
export default function NoticePanel({ paths, onClose }: Props) {
  const [unreadOnly, setUnreadOnly] = useState(false);
  const [limit, setLimit] = useState(ROWS_AT_ONCE);
  const { data, error, refetch } = useQuery(noticeList(unreadOnly, limit));
  const readAll = useReadAll();
  const { mutate: read } = useReadNotice();
  const newest = Math.max(0, ...(data ?? []).map(({ id }) => id));
  const hasUnread = data?.some(({ is_read }) => is_read === 0) === true;
  return (
    <>
      <div className={`row ${styles.tools}`}>
        <label className={styles.filter}>
          <input type="checkbox" checked={unreadOnly} onChange={({ target }) => setUnreadOnly(target.checked)} />
          {messages.unreadOnly}
        </label>
        <Button variant="quiet" busy={readAll.isPending} disabled={!hasUnread} onClick={() => readAll.mutate(newest)}>
          {messages.readAll}
        </Button>
        <ButtonLink variant="quiet" to={paths.settings} onClick={onClose}>
          {messages.open}
        </ButtonLink>
      </div>
      {data === undefined ? <NotLoaded what={messages.title} error={error} onRetry={() => void refetch()} /> : null}
      {data?.length === 0 ? (
        <EmptyState
          kind={unreadOnly ? 'no-match' : 'none'}
          title={unreadOnly ? messages.noneUnread : messages.none}
          help={unreadOnly ? undefined : messages.noneHelp}
        />
      ) : null}
      {byDay(data ?? []).map(({ name, ofDay }) => (
        <section key={name}>
          <h3 className={`note ${styles.day}`}>{name}</h3>
          <ul>
            {ofDay.map((notice) => (
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
        </section>
      ))}
      {data !== undefined && data.length >= limit && limit < ROWS_MAX ? (
        <Button onClick={() => setLimit(Math.min(ROWS_MAX, limit + ROWS_AT_ONCE))}>{messages.more}</Button>
      ) : null}
    </>
  );
}

/** Marks one notice as read. A failure shows no toast, because opening a notice leaves the list. */
function useReadNotice() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (id: number) => unwrap(await readNotice(id)),
    onSettled: () => reloadNotices(client),
    meta: { showsItself: () => true },
  });
}

/** Marks all notices up to an id as read. */
function useReadAll() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (until_id: number) => unwrap(await call('readNotices', { body: { until_id } })),
    onSettled: () => reloadNotices(client),
  });
}

/** Groups the notices by day, newest first, in their order. */
function byDay(notices: readonly Notice[]) {
  const today = dayOf(serverNow());
  const names = new Map([
    [today, messages.today],
    [dayOf(instantOf(today, 0) - DAY_MS), messages.yesterday],
  ]);
  const days = Map.groupBy(notices, ({ last_at }) => dayOf(parseDateTime(last_at) ?? 0));
  return [...days].map(([day, ofDay]) => ({ name: names.get(day) ?? sentenceDay(day), ofDay }));
}

const LOOKS: Readonly<Record<NoticeKind, { readonly Icon: Icon; readonly asksForALook?: true }>> = {
  run_ended: { Icon: IconSend },
  failures: { Icon: IconAlertTriangle, asksForALook: true },
  stopped: { Icon: IconPlayerPause, asksForALook: true },
  reservation_missed: { Icon: IconCalendarX, asksForALook: true },
  reply: { Icon: IconMessage },
  doubtful_reply: { Icon: IconMessageQuestion, asksForALook: true },
  refusal: { Icon: IconBan },
  import_ended: { Icon: IconFileImport },
  domain_bad: { Icon: IconWorldX, asksForALook: true },
  mailbox_lost: { Icon: IconMailOff, asksForALook: true },
  restored: { Icon: IconHistory, asksForALook: true },
  receipts_unwritable: { Icon: IconAlertTriangle, asksForALook: true },
};

interface NoticeRowProps {
  readonly notice: Notice;
  readonly paths: NoticePaths;
  /** Called when its link was followed. */
  readonly onOpen: () => void;
}

/** Shows one notice: what happened, to what, and when. The whole row is one link. */
function NoticeRow({ notice, paths, onOpen }: NoticeRowProps) {
  const { kind, percent, count, subjects, last_at, is_read } = notice;
  const { Icon, asksForALook } = LOOKS[kind];
  const rest = subjects.length > 0 ? count - subjects.length : 0;
  const names = subjects.map(({ name }) => name);
  return (
    <li className={`line ${styles.row}`} data-unread={is_read === 0 || undefined}>
      <span className={`tone ${styles.mark}`} data-tone={asksForALook && 'amber'}>
        <Icon size={18} stroke={1.8} aria-hidden />
      </span>
      <span className={styles.text}>
        <Link to={pathOfNotice(notice, paths)} className={styles.title} onClick={onOpen}>
          {messages.counted(NOTICE_TITLES[kind](percent), count)}
        </Link>
        {names.length > 0 ? (
          <span className="note">{[...names, ...(rest > 0 ? [messages.rest(rest)] : [])].join(LIST_SEPARATOR)}</span>
        ) : null}
      </span>
      <time className="note">{listClock(last_at)}</time>
      {is_read === 0 ? <span className={styles.dot} role="img" aria-label={messages.unread} /> : null}
      <IconChevronRight size={18} color="var(--k-dim)" aria-hidden />
    </li>
  );
}
