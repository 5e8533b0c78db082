import type { QueryClient } from '@tanstack/react-query';
import { ATTACK_LIST, DELIVERIES, PROSPECT_LIST, SEND_LOG, SEND_LOG_LIST } from '#web/lib/query-keys.ts';

/** Reloads everything that shows a run or its mails. */
export function reloadRun(client: QueryClient, id: number): void {
  for (const queryKey of [[SEND_LOG, id], [DELIVERIES], [SEND_LOG_LIST], [PROSPECT_LIST], [ATTACK_LIST]]) {
    void client.invalidateQueries({ queryKey });
  }
}
