import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { attackTargets } from '#domain/sending/attack-list.ts';
import { useDebounced } from '#web/lib/use-debounced.ts';
import { type AttackListSettings, followUpOf } from './attack-list-state.ts';
import { attackListPreview, type PreviewQuery } from './preview-attack-list.ts';

/** Group, filters and order of the preview; the other parameters are the panel's own settings. */
export type PreviewBase = Omit<PreviewQuery, 'days_from_lastday' | 'limit_count' | 'follow_up_of'>;

/** The targets that the settings give, with the state of their loading. */
export function useTargets(base: PreviewBase, settings: AttackListSettings, isFilterWaiting: boolean) {
  const { limit_count, is_test_mode, test_mode } = settings;
  const days_from_lastday = useDebounced(settings.days_from_lastday);
  const follow_up_of = followUpOf(settings, base.sender_group_id);
  const leftOutSettings = { ...base, days_from_lastday, ...(follow_up_of !== undefined && { follow_up_of }) };
  const query: PreviewQuery = { ...leftOutSettings, limit_count };
  const { data, isFetching, isPlaceholderData, isError, refetch } = useQuery(attackListPreview(query));
  const isTypedSince = isFilterWaiting || days_from_lastday !== settings.days_from_lastday;
  const targets = useMemo(
    () =>
      data &&
      attackTargets(data.rows, limit_count, is_test_mode ? test_mode : null).map((target, row) => ({ ...target, row })),
    [data, limit_count, is_test_mode, test_mode],
  );
  return {
    targets,
    preview: data,
    leftOutSettings,
    /** Identifies the rows on screen. */
    view: JSON.stringify(query),
    isReloading: isFetching && data !== undefined,
    /** The rows belong to other settings or filters than those on screen, and must not be ordered. */
    isOutdated: data === undefined || isPlaceholderData || isTypedSince,
    hasFailed: isError && data === undefined,
    reload: () => void refetch(),
  };
}

export type Targets = ReturnType<typeof useTargets>;
