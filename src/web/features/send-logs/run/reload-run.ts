import type { QueryClient } from '@tanstack/react-query';
import { DELIVERIES, SEND_LOG } from '#web/lib/api/query-keys.ts';
import { reloadLists } from '#web/lib/api/reload-lists.ts';

/** Reloads everything that shows a run or its mails. */
export function reloadRun(client: QueryClient, id: number): void {
  for (const queryKey of [[SEND_LOG, id], [DELIVERIES]]) void client.invalidateQueries({ queryKey });
  reloadLists(client);
}
