import { useQuery } from '@tanstack/react-query';
import type { Run } from '#contract/sending/runs.ts';
import { useSession } from '#web/lib/session/session-store.ts';
import { useMay } from '#web/lib/session/use-may.ts';
import { runOrigin } from './view-run-origin.ts';

/**
 * Whether the member may steer a run and decide about its mails. Only a member with groups asks for the run's group; it
 * permits nothing until it is known.
 */
export function useMayAct(run: Run): boolean {
  const hasGroups = useSession((state) => Array.isArray(state.current_user?.member?.sender_group_ids));
  const { data } = useQuery({ ...runOrigin(run), enabled: hasGroups });
  const may = useMay('steerRun', { groupId: data?.sender_group_id });
  return may && (!hasGroups || data !== undefined);
}
