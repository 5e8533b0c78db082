import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { sendPath } from '#web/lib/address/params.ts';
import { hasStatus } from '#web/lib/api/query-client.ts';
import { reloadLists } from '#web/lib/api/reload-lists.ts';
import { useRunEvents } from '#web/lib/api/run-events.ts';
import { sendLog } from '#web/lib/data/send-log.ts';
import { DATA_MESSAGES } from '#web/lib/data/words.ts';
import { useNavigate } from '#web/lib/router/use-router.ts';
import { toast } from '#web/lib/screen/toast.ts';
import { useRunEnd } from '../run/run-end.ts';
import { UNDO_MESSAGES } from '../undo/words.ts';
import { RUN_CHIP_MESSAGES } from '../words.ts';
import { type FollowedRun, markRunEnded, unfollowRun } from './followed-runs-state.ts';

/** How long in ms the panel in the page still shows a run that has ended: as long as its toast. */
const ENDED_SHOWN_MS = 4000;

interface Props {
  readonly followed: FollowedRun;
  /** Whether it can be undone: its own line then shows it. */
  readonly canBeTakenBack: boolean;
  /** Whether the panel has the pointer or the focus, which would be lost if a run left it. */
  readonly isHeld: boolean;
  /** Whether the panel in the page is open. It moves the content, so that it does not leave with the last mail. */
  readonly isInPage: boolean;
  /** Called when a toast in view has told the end of a real run. */
  readonly onTold: (id: number) => void;
  /** Announces a text to screen readers. Only runs in progress use it. */
  readonly onAnnounce: (text: string) => void;
}

/**
 * Follows a run, and tells its end once: by a toast in the tab that ordered it, elsewhere by the bell.
 * The bell has no notice of a run that was stopped, so that all tabs tell it.
 */
export function RunFollower(props: Props) {
  const { canBeTakenBack, isHeld, isInPage, onTold, onAnnounce } = props;
  const { id, hasEnded, isOwn = false } = props.followed;
  const client = useQueryClient();
  const navigate = useNavigate();
  useRunEvents(!hasEnded);
  const { data: run, error } = useQuery(sendLog(id));
  const end = useRunEnd(run);
  const isGone = hasStatus(error, 404);

  useEffect(() => {
    if (isGone) unfollowRun(id);
    if (run === undefined || run.finished === hasEnded || (run.finished && end === null)) return;
    // A run is open again when its failed mails are retried.
    markRunEnded(id, run.finished);
    if (end === null) return;
    reloadLists(client);
    onAnnounce('');
    const isStopped = end.kind === 'stopped';
    if (!isOwn && !isStopped) return;
    const act = { label: RUN_CHIP_MESSAGES.details, run: () => navigate(sendPath(id)) };
    toast(end.type, end.text, undefined, end.kind === 'done' ? act : undefined);
    if (!isStopped && run.test_send_mode === 0 && document.visibilityState === 'visible') onTold(id);
  }, [run, end, isGone, id, isOwn, hasEnded, client, navigate, onTold, onAnnounce]);

  const underWay = canBeTakenBack ? UNDO_MESSAGES.announced(run?.queued ?? 0) : DATA_MESSAGES.mail.sending;
  // A run without data yet may be one that can be undone.
  const state = run === undefined || hasEnded ? null : underWay;
  useEffect(() => {
    if (state !== null) onAnnounce(state);
  }, [state, onAnnounce]);

  useEffect(() => {
    if (!hasEnded || isHeld) return undefined;
    const timer = setTimeout(() => unfollowRun(id), isInPage ? ENDED_SHOWN_MS : 0);
    return () => clearTimeout(timer);
  }, [hasEnded, isHeld, isInPage, id]);

  return null;
}
