import type { QueryClient } from '@tanstack/react-query';
import {
  ATTACK_LIST,
  COMPANY,
  CONDITION_COUNTS,
  FIRST_STEPS,
  PROSPECT_LIST,
  RESERVATION_LIST,
  RESTORED,
  SEND_LOG_LIST,
} from './query-keys.ts';

/**
 * Reloads every list that shows runs or reservations, open companies, and the first steps.
 *
 * @param isTaken companies of the attack list were accepted for mail: its rows disappear before the answer arrives
 */
export function reloadLists(client: QueryClient, { isTaken = false } = {}): void {
  const attackList = { queryKey: [ATTACK_LIST] };
  void (isTaken ? client.resetQueries(attackList) : client.invalidateQueries(attackList));
  for (const name of [
    PROSPECT_LIST,
    RESERVATION_LIST,
    SEND_LOG_LIST,
    RESTORED,
    FIRST_STEPS,
    CONDITION_COUNTS,
    COMPANY,
  ]) {
    void client.invalidateQueries({ queryKey: [name] });
  }
}
