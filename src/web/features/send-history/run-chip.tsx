import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type CSSProperties, useEffect, useState } from 'react';
import { useNarrowScreen } from '#web/lib/narrow-screen.ts';
import { reloadLists } from '#web/lib/reload-lists.ts';
import { Link } from '#web/lib/router/link.tsx';
import { useLocation } from '#web/lib/router/use-router.ts';
import { followOpenRuns, useFollowedRuns } from './followed-runs-state.ts';
import styles from './run-dock.module.css';
import { RunStrip } from './run-strip.tsx';
import { latestRuns } from './view-send-logs.ts';
import { RUN_STRIP_MESSAGES } from './words.ts';

/** More strips would cover the screen, and the buttons of a phone. The send history lists all runs. */
const MAX_STRIPS = 3;
const MAX_STRIPS_ON_PHONE = 1;

interface Props {
  /** Returns the path of a run's screen. */
  readonly pathOf: (id: number) => string;
  /** The path of the send history. */
  readonly allPath: string;
}

/** Shows the progress of the account's runs in a corner of every screen. */
export function RunDock({ pathOf, allPath }: Props) {
  const followed = useFollowedRuns((state) => state.followed_runs);
  const [announcement, announce] = useState('');
  useOpenRuns();
  const docked = followed
    .filter(({ isClosed }) => !isClosed)
    .sort((a, b) => Number(a.hasEnded) - Number(b.hasEnded) || b.id - a.id);
  const shown = docked.slice(0, useNarrowScreen() ? MAX_STRIPS_ON_PHONE : MAX_STRIPS);
  const others = docked.length - shown.length;
  const room = { '--strips': shown.length, '--others': Math.min(others, 1) };
  return (
    <>
      <div className={styles.room} style={room as CSSProperties} />
      <p role="status" className="visually-hidden">
        {announcement}
      </p>
      <div className={styles.dock}>
        {others > 0 ? (
          <Link to={allPath} className={styles.others}>
            {RUN_STRIP_MESSAGES.others(others)}
          </Link>
        ) : null}
        {followed.map((run) => (
          <RunStrip
            key={run.id}
            followed={run}
            isShown={shown.includes(run)}
            path={pathOf(run.id)}
            onAnnounce={announce}
          />
        ))}
      </div>
    </>
  );
}

/**
 * Follows open runs that were started elsewhere.
 * It looks for them at the start, on each new screen and when the window gets the focus. It does not poll, so that an
 * unused session can expire.
 */
function useOpenRuns(): void {
  const client = useQueryClient();
  const { pathname } = useLocation();
  const { data, refetch } = useQuery(latestRuns);

  // biome-ignore lint/correctness/useExhaustiveDependencies: each new screen needs a request
  useEffect(() => void refetch(), [pathname, refetch]);

  useEffect(() => {
    const { followed_runs } = useFollowedRuns.getState();
    const found = (data?.rows ?? [])
      .filter(({ id, finished }) => !finished && followed_runs.every((run) => run.id !== id))
      .map(({ id }) => id);
    if (found.length === 0) return;
    followOpenRuns(found);
    reloadLists(client);
  }, [data, client]);
}
