import type { QueryClient } from '@tanstack/react-query';
import { ATTACK_LIST, PROSPECT_LIST, RESERVATION_LIST, SEND_LOG_LIST } from './query-keys.ts';

/**
 * Asks again for every list that a run or a reservation shows in.
 * @param isTaken companies of the attack list were promised mail: its rows go at once, before the answer is there
 */
export function reloadLists(client: QueryClient, { isTaken = false } = {}): void {
  const attackList = { queryKey: [ATTACK_LIST] };
  void (isTaken ? client.resetQueries(attackList) : client.invalidateQueries(attackList));
  for (const name of [PROSPECT_LIST, RESERVATION_LIST, SEND_LOG_LIST]) {
    void client.invalidateQueries({ queryKey: [name] });
  }
}
