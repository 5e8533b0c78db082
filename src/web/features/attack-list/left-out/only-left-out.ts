import { queryOptions } from '@tanstack/react-query';
import { MAX_SEARCH_LENGTH, MAX_SEARCH_WORDS } from '#domain/limits.ts';
import { searchWords } from '#domain/text/text-filter.ts';
import { call } from '#web/lib/api/call.ts';
import { unwrap } from '#web/lib/api/query-client.ts';
import { ATTACK_LIST } from '#web/lib/api/query-keys.ts';
import type { LeftOutQuery, LeftOutSettings } from './left-out-query.ts';

/** The only company of a list, and when it is reserved. */
export interface OnlyLeftOut {
  readonly name: string;
  readonly sendAt: string | null;
  readonly reservationId: number | null;
}

/**
 * Fetches the name of the only company that a list leaves out, and its reservation. The preview names neither. The
 * sentence is right without them, so a failure is not reported.
 * @param reason undefined: send no request
 */
export const onlyLeftOut = (settings: LeftOutSettings, reason: LeftOutQuery['reason'] | undefined) =>
  queryOptions({
    queryKey: [ATTACK_LIST, 'only_left_out', reason, settings] as const,
    queryFn: async ({ signal }): Promise<OnlyLeftOut | null> => {
      const query = { ...settings, reason: reason ?? 'reserved' };
      const [row] = unwrap(await call('viewLeftOut', { query }, { signal })).rows;
      if (row === undefined) return null;
      const { prospect_id: id, company_name: name } = row;
      const none = { name, sendAt: null, reservationId: null };
      if (reason !== 'reserved') return none;
      const search = searchWords(name).slice(0, MAX_SEARCH_WORDS).join(' ').slice(0, MAX_SEARCH_LENGTH);
      const named = { sender_group_id: settings.sender_group_id, search, status: 'reserved' as const };
      const found = await call('viewProspects', { query: named }, { signal });
      const reserved = found.ok ? found.data.rows.find((company) => company.id === id) : undefined;
      return reserved ? { name, sendAt: reserved.send_at, reservationId: reserved.reservation_id } : none;
    },
    enabled: reason !== undefined,
    staleTime: 0,
    meta: { quiet: true },
  });
