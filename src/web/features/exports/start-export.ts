import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ProspectColumn } from '#contract/companies/prospects-filter.ts';
import { call, type InputOf } from '#web/lib/api/call.ts';
import { hasStatus, type MutationMeta, unwrap } from '#web/lib/api/query-client.ts';
import { EXPORT_LIST } from './export-list.ts';

type ExportRequest = InputOf<'startExport'>['body']['add_info'];
type SuppressionRequest = Extract<ExportRequest, { what: 'suppressions' }>;
type ProspectRequest = Extract<ExportRequest, { what: 'prospects' }>;
export type Format = ExportRequest['format'];

interface ProspectSource {
  readonly what: 'prospects';
  /** Group, filters, status and order of the list. */
  readonly list: Omit<ProspectRequest, 'what' | 'format' | 'ids' | 'columns' | 'own_columns'>;
  /** How many companies the list has. */
  readonly total: number;
  /** Whether a filter or a status is set. */
  readonly isNarrowed: boolean;
  /** The ids of the chosen companies; undefined: none are chosen. */
  readonly ids: readonly number[] | undefined;
  readonly shownColumns: readonly ProspectColumn[];
  /** The names of the shown own columns. */
  readonly ownColumns: readonly string[];
}

/** The rows of a screen that can be exported. */
export type ExportSource =
  | ProspectSource
  | Omit<Extract<ExportRequest, { what: 'runs' }>, 'format'>
  | Omit<Extract<ExportRequest, { what: 'deliveries' }>, 'format'>
  | Omit<SuppressionRequest, 'format'>
  | Omit<Extract<ExportRequest, { what: 'audit' }>, 'format'>;

/** What the user chose in the dialog. */
export interface ExportChoice {
  readonly scope: 'chosen' | 'condition' | 'all';
  /** `people`: all columns, a row a person. */
  readonly columns: 'shown' | 'all' | 'people';
  readonly format: Format;
}

export function requestOf(source: ExportSource, { scope, columns, format }: ExportChoice): ExportRequest {
  if (source.what !== 'prospects') return { ...source, format };
  const { list, ids, shownColumns, ownColumns } = source;
  const { sender_group_id, sort, order } = list;
  const inOrder = { sender_group_id, ...(sort && { sort }), ...(order && { order }) };
  return {
    what: columns === 'people' ? 'people' : 'prospects',
    format,
    ...(scope === 'condition' ? list : inOrder),
    ...(scope === 'chosen' && ids !== undefined && { ids: [...ids] }),
    ...(columns === 'shown' && { columns: [...shownColumns] }),
    ...(columns === 'shown' && ownColumns.length > 0 && { own_columns: ownColumns.join() }),
  };
}

/** Returns the number of rows in the file; undefined: unknown here. */
export function rowsOf(source: ExportSource, { scope, columns }: ExportChoice): number | undefined {
  if (source.what !== 'prospects' || scope === 'all' || columns === 'people') return undefined;
  return scope === 'chosen' ? source.ids?.length : source.total;
}

/** Whether the account has reached the limit of exports. The dialog says which, and what can be deleted. */
export const isLimit = (error: Error | null): boolean => hasStatus(error, 409);

/** Starts an export. A repeated request with the same key starts no second export. */
export function useStartExport() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async ({ request, key }: { readonly request: ExportRequest; readonly key: string }) => {
      const headers = { 'Idempotency-Key': key };
      const input = { body: { add_info: request } };
      return unwrap(await call('startExport', input, { headers }));
    },
    onSettled: () => client.invalidateQueries({ queryKey: [EXPORT_LIST] }),
    meta: { showsItself: isLimit } satisfies MutationMeta,
  });
}
