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

/** How long in ms the header still shows a run that has ended. */
const ENDED_SHOWN_MS = 10_000;

interface Props {
  readonly followed: FollowedRun;
  /** Whether it can be undone: its own line then shows it. */
  readonly canBeTakenBack: boolean;
  /** Whether the panel has the pointer or the focus, which would be lost if a run left it. */
  readonly isHeld: boolean;
  /** Announces a text to screen readers. Only runs in progress use it. */
  readonly onAnnounce: (text: string) => void;
}

/** Follows a run, and reports its end once, by a toast. */
export function RunFollower({ followed: { id, hasEnded }, canBeTakenBack, isHeld, onAnnounce }: Props) {
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
    const act = { label: RUN_CHIP_MESSAGES.details, run: () => navigate(sendPath(id)) };
    toast(end.type, end.text, undefined, end.kind === 'done' ? act : undefined);
  }, [run, end, isGone, id, hasEnded, client, navigate, onAnnounce]);

  const underWay = canBeTakenBack ? UNDO_MESSAGES.announced(run?.queued ?? 0) : DATA_MESSAGES.mail.sending;
  // A run without data yet may be one that can be undone.
  const state = run === undefined || hasEnded ? null : underWay;
  useEffect(() => {
    if (state !== null) onAnnounce(state);
  }, [state, onAnnounce]);

  useEffect(() => {
    if (!hasEnded || isHeld) return undefined;
    const timer = setTimeout(() => unfollowRun(id), ENDED_SHOWN_MS);
    return () => clearTimeout(timer);
  }, [hasEnded, isHeld, id]);

  return null;
}
