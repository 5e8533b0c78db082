import { useQuery } from '@tanstack/react-query';
import type { Run } from '#contract/runs.ts';
import { ButtonLink } from '#web/components/button-link.tsx';
import { updateAttackListSettings } from '#web/features/attack-list/attack-list-state.ts';
import { followUpRun } from '#web/features/attack-list/follow-up-runs.ts';
import { FOLLOW_UP_MESSAGES } from '#web/features/attack-list/words.ts';
import { setSavedCondition } from '#web/features/prospects/filter/filter-state.ts';
import { selectSenderGroup } from '#web/features/senders/senders-state.ts';
import { ATTACK_LIST_PATH } from '#web/lib/address/paths.ts';

/** Keeps the place of the link while it is looked up: on a phone it has a line of its own. */
const Room = () => (
  <span style={{ visibility: 'hidden' }}>
    <ButtonLink to={ATTACK_LIST_PATH}>{FOLLOW_UP_MESSAGES.label}</ButtonLink>
  </span>
);

/** Leads from a run to the attack list of its follow-up, without filters. It is there where a run can have one. */
export function FollowUpLink({ run: { id, test_send_mode, sent } }: { readonly run: Run }) {
  const { data: [found] = [], isLoading } = useQuery(followUpRun(id, test_send_mode === 0 && sent > 0));
  if (isLoading) return <Room />;
  if (found === undefined) return null;

  function choose({ sender_group_id }: { sender_group_id: number }): void {
    selectSenderGroup(sender_group_id);
    setSavedCondition(null);
    updateAttackListSettings({ follow_up: { sender_group_id, send_log_id: id } });
  }

  return (
    <ButtonLink to={ATTACK_LIST_PATH} onClick={() => choose(found)}>
      {FOLLOW_UP_MESSAGES.label}
    </ButtonLink>
  );
}
