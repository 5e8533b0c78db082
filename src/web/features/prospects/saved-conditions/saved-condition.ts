import { type QueryClient, queryOptions } from '@tanstack/react-query';
import type { ProspectFilter } from '#contract/companies/prospects-filter.ts';
import { formatNumber } from '#domain/text/formats.ts';
import { filterOf, type ListStatus } from '#web/lib/address/params.ts';
import { type AnswerOf, type ApiFailure, call, type InputOf } from '#web/lib/api/call.ts';
import { unwrap } from '#web/lib/api/query-client.ts';
import { CONDITION_COUNTS } from '#web/lib/api/query-keys.ts';
import type { CompleteRow } from '#web/lib/data/complete-row.ts';

export type SavedCondition = CompleteRow<AnswerOf<'listSavedConditions'>[number]>;
export type AddInfo = InputOf<'addSavedCondition'>['body']['add_info'];
type UpdateInfo = InputOf<'updateSavedCondition'>['body']['update_info'];

/** A saved condition's content: the filters, and optionally the status and the sender group. */
export interface WholeCondition {
  readonly filter: ProspectFilter;
  readonly status: ListStatus | undefined;
  readonly groupId: number | undefined;
}

const SAVED = ['saved_condition_list'];

/** Fetches the member's own saved conditions and the shared ones, by name. */
export const savedConditions = queryOptions({
  queryKey: SAVED,
  queryFn: async ({ signal }): Promise<SavedCondition[]> => {
    const answer = await call('listSavedConditions', { query: {} }, { signal });
    // Without `columns`, rows have all of them.
    return (unwrap(answer) as SavedCondition[]).sort((a, b) => a.name.localeCompare(b.name, 'ja'));
  },
});

/** Fetches the number of companies for each condition id; absent: unknown. A failure is not shown. */
export const conditionCounts = (sender_group_id: number, saved: readonly SavedCondition[]) =>
  queryOptions({
    queryKey: [CONDITION_COUNTS, sender_group_id, saved.map(({ id, version }) => `${id} ${version}`)],
    queryFn: async ({ signal }): Promise<ReadonlyMap<number, string>> => {
      const query = { sender_group_id, ids: saved.map(({ id }) => id).join() };
      const counts = unwrap(await call('countSavedConditions', { query }, { signal }));
      return new Map(counts.flatMap(({ id, total }) => (total === null ? [] : [[id, formatNumber(total)]])));
    },
    meta: { quiet: true },
    retry: false,
  });

/** Whether a colleague has changed or deleted a condition since it was shown. */
export const isOutdated = ({ status, code }: ApiFailure): boolean => status === 404 || code === 'condition_changed';

export const reloadSaved = (client: QueryClient): Promise<void> => client.invalidateQueries({ queryKey: SAVED });

export const postCondition = (add_info: AddInfo, key: string) =>
  call('addSavedCondition', { body: { add_info } }, { headers: { 'Idempotency-Key': key } });

/** Saves a change of a condition, based on the shown version. */
export const putCondition = ({ id, version }: Pick<SavedCondition, 'id' | 'version'>, update_info: UpdateInfo) =>
  call('updateSavedCondition', {
    params: { id: String(id) },
    body: { version, update_info },
  });

/** Converts a saved condition to the form of the address. */
export function readSaved({ where_info: { sender_group_id, status, ...filter } }: SavedCondition): WholeCondition {
  return { filter: filterOf(filter), status, groupId: sender_group_id };
}

export const whereInfoOf = ({ filter, status, groupId }: WholeCondition): AddInfo['where_info'] => ({
  ...filter,
  ...(status !== undefined && { status }),
  ...(groupId !== undefined && { sender_group_id: groupId }),
});

export const isEmptyCondition = ({ filter, status }: Pick<WholeCondition, 'filter' | 'status'>): boolean =>
  status === undefined && Object.keys(filter).length === 0;

/** Whether the list differs from the saved condition. */
export function isChanged(saved: SavedCondition, shown: WholeCondition): boolean {
  const { groupId, ...own } = readSaved(saved);
  const isOtherGroup = groupId !== undefined && groupId !== shown.groupId;
  return isOtherGroup || JSON.stringify([own.filter, own.status]) !== JSON.stringify([shown.filter, shown.status]);
}
