import type { QueryClient } from '@tanstack/react-query';
import { ATTACK_LIST, DELIVERIES, PROSPECT_LIST, SEND_LOG, SEND_LOG_LIST } from '#web/lib/query-keys.ts';

/** Reads anew what a change of a run or of its mails shows in. */
export function reloadRun(client: QueryClient, id: number): void {
  for (const queryKey of [[SEND_LOG, id], [DELIVERIES], [SEND_LOG_LIST], [PROSPECT_LIST], [ATTACK_LIST]]) {
    void client.invalidateQueries({ queryKey });
  }
}
