import { queryOptions, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { ListedTarget } from '#contract/companies/attack-list.ts';
import { attackTargets } from '#domain/sending/attack-list.ts';
import { overDomainLimit } from '#domain/sending/rules/domain-limit.ts';
import { type AnswerOf, call, type InputOf } from '#web/lib/api/call.ts';
import { SHOWN_IN_PLACE, unwrap } from '#web/lib/api/query-client.ts';
import { ATTACK_LIST } from '#web/lib/api/query-keys.ts';
import { useDebounced } from '#web/lib/screen/use-debounced.ts';
import {
  type AttackListSettings,
  asideOf,
  followUpOf,
  type ListSource,
  sendToOf,
  useAttackList,
  useHasPrimary,
} from './attack-list-state.ts';

export type PreviewQuery = InputOf<'previewAttackList'>['query'];
type Preview = AnswerOf<'previewAttackList'>;

/** Fetches the companies that would get mail with these settings. Never served from the cache. */
const attackListPreview = (query: PreviewQuery) =>
  queryOptions({
    queryKey: [ATTACK_LIST, query] as const,
    meta: SHOWN_IN_PLACE,
    queryFn: async ({ signal }): Promise<Preview> => unwrap(await call('previewAttackList', { query }, { signal })),
    staleTime: 0,
    placeholderData: (before, beforeQuery) =>
      beforeQuery?.queryKey[1].sender_group_id === query.sender_group_id ? before : undefined,
  });

/** Group, filters and order of the preview; the panel's settings give the other parameters. */
export type PreviewBase = Omit<
  PreviewQuery,
  'days_from_lastday' | 'limit_count' | 'follow_up_of' | 'send_to' | 'prospect_ids' | 'status'
>;

/** A row of the list. A row that gets no mail keeps its place. */
export interface TargetRow extends ListedTarget {
  /** In a test, the index among the rows that get mail. */
  readonly row?: number;
  /** Why the row gets no mail: it is excluded, or rows above it have reached the limit of its domain. */
  readonly left?: 'aside' | 'domain_limit';
}

/** Returns the query's conditions. Chosen companies are listed without any filter. */
function listedBy(base: PreviewBase, source: ListSource | null) {
  if (source === null) return base;
  if (source.status !== undefined) return { ...base, status: source.status };
  return { sender_group_id: base.sender_group_id, prospect_ids: source.companies.map(({ id }) => id).join() };
}

/** Loads the targets for the settings. Returns them with the state of the request. */
export function useTargets(base: PreviewBase, settings: AttackListSettings, isFilterWaiting: boolean) {
  const { is_test_mode, test_mode } = settings;
  const source = useAttackList((state) => state.list_source);
  const days_from_lastday = useDebounced(settings.days_from_lastday);
  const follow_up_of = followUpOf(settings, base.sender_group_id);
  const send_to = sendToOf(settings, base.sender_group_id, useHasPrimary());
  const leftOutSettings = {
    ...listedBy(base, source),
    days_from_lastday,
    ...(follow_up_of !== undefined && { follow_up_of }),
    ...(send_to !== undefined && { send_to }),
  };
  const query: PreviewQuery = { ...leftOutSettings, limit_count: settings.limit_count };
  const { data, isFetching, isPlaceholderData, isError, error, refetch } = useQuery(attackListPreview(query));
  const isTypedSince =
    (isFilterWaiting && source?.companies === undefined) || days_from_lastday !== settings.days_from_lastday;
  const limit = source?.companies === undefined ? settings.limit_count : source.companies.length;
  const aside = useAttackList((state) => asideOf(state, Number(base.sender_group_id)));
  const listed = useMemo(
    () => data && listTargets(data, limit, is_test_mode ? test_mode : null, new Set(aside)),
    [data, limit, is_test_mode, test_mode, aside],
  );
  return {
    ...listed,
    preview: data,
    source,
    query,
    leftOutSettings,
    /** Identifies the rows on screen. */
    view: JSON.stringify(query),
    isReloading: isFetching && data !== undefined,
    /** The rows belong to settings or filters other than those on screen, and must not be ordered. */
    isOutdated: data === undefined || isPlaceholderData || isTypedSince,
    hasFailed: isError && data === undefined,
    error,
    reload: () => void refetch(),
  };
}

export type Targets = ReturnType<typeof useTargets>;

/**
 * Makes the rows of the list, and the targets among them: the ticked rows up to the limit of their domain. The server
 * applies the same rule (rules/domain-limit.ts).
 */
function listTargets(
  { rows: eligible, domain_rule }: Preview,
  limit: number,
  testMode: Parameters<typeof attackTargets>[2],
  aside: ReadonlySet<number>,
) {
  const shown = attackTargets(eligible, limit, testMode);
  // Counts by the companies' own domains, also in a test.
  const ticked = eligible.slice(0, shown.length).filter(({ prospect_id }) => !aside.has(prospect_id));
  const shared = new Set(domain_rule?.shared_domains);
  const over = overDomainLimit(ticked, { perDomain: domain_rule?.per_domain ?? 0, shared });
  const mailed = ticked.filter(({ prospect_id }) => !over.has(prospect_id));
  const targets: readonly TargetRow[] =
    testMode === null ? mailed : attackTargets(mailed, limit, testMode).map((target, row) => ({ ...target, row }));
  const byId = new Map(targets.map((target) => [target.prospect_id, target]));
  const rows = shown.map((row): TargetRow => {
    const left = over.has(row.prospect_id) ? 'domain_limit' : 'aside';
    return byId.get(row.prospect_id) ?? { ...row, left };
  });
  return { rows, targets, isCutByTest: shown.length < Math.min(eligible.length, limit) };
}
