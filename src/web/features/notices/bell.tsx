import IconBell from '@tabler/icons-react/dist/esm/icons/IconBell.mjs';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { lazy, useEffect, useState } from 'react';
import { createPortal } from 'react-dom';
import { Popover } from '#web/components/dialog/popover.tsx';
import { PartBoundary } from '#web/components/state/part-boundary.tsx';
import { useRunEvents } from '#web/lib/api/run-events.ts';
import { useLocation } from '#web/lib/router/use-router.ts';
import { loadPart } from '#web/lib/screen/load-part.ts';
import styles from './bell.module.css';
import type { NoticePaths } from './notice-links.ts';
import { unreadNotices } from './notice-query.ts';
import { useToldEnds } from './told-ends-state.ts';
import { NOTICE_MESSAGES as messages } from './words.ts';

const NoticePanel = lazy(() => loadPart(() => import('./notice-panel.tsx')));

interface Props {
  /** The header's place for the bell. */
  readonly place: HTMLElement | null;
  readonly paths: NoticePaths;
}

/**
 * Shows the bell on every screen, with the number of unread notices.
 * The stream of runs sends the number, and each new screen requests it. Nothing polls, so that an unused session can
 * expire.
 */
export function Bell({ place, paths }: Props) {
  const [open, setOpen] = useState(false);
  const { pathname } = useLocation();
  const { data, refetch } = useQuery(unreadNotices);
  useRunEvents();

  // biome-ignore lint/correctness/useExhaustiveDependencies: each new screen needs a request
  useEffect(() => void refetch(), [pathname, refetch]);

  const unread = data?.unread ?? 0;
  useToldEndsRead(unread);

  if (place === null) return null;
  return createPortal(
    <Popover
      title={messages.title}
      hint={messages.title}
      buttonClass={styles.bell}
      label={
        <>
          <IconBell size={18} aria-hidden />
          <span className="visually-hidden">{messages.bell(unread)}</span>
          {unread > 0 ? (
            <span className={styles.badge} aria-hidden>
              {messages.badge(unread)}
            </span>
          ) : null}
        </>
      }
      isOpen={open}
      onToggle={setOpen}
    >
      <PartBoundary>
        <NoticePanel paths={paths} onClose={() => setOpen(false)} />
      </PartBoundary>
    </Popover>,
    place,
  );
}

/** Marks the notices as read whose ends a toast has told, whichever comes first. */
function useToldEndsRead(unread: number): void {
  const client = useQueryClient();
  const told = useToldEnds((state) => state.told);
  useEffect(() => {
    if (unread === 0 || told.length === 0) return;
    // Without its code the notices stay unread.
    void import('./read-notices.ts').then(({ readToldEnds }) => readToldEnds(client, told)).catch(() => undefined);
  }, [client, unread, told]);
}
