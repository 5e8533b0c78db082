import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { Import, ReviewKind } from '#contract/companies/imports.ts';
import { type AnswerOf, call, type InputOf } from '#web/lib/api/call.ts';
import { unwrap, unwrapPage } from '#web/lib/api/query-client.ts';

export const IMPORT = 'import';
export const IMPORT_LIST = 'import_list';

export type Look = AnswerOf<'lookAtImport'>;
/** How a person wants the file to be read; what is left out is detected. */
export type Reading = InputOf<'lookAtImport'>['query'];
export type ImportRow = AnswerOf<'listImports'>[number];
export type ImportChange = AnswerOf<'listImportChanges'>[number];
export type ImportLine = AnswerOf<'listImportLines'>[number];

export const ofId = (id: number) => ({ params: { id: String(id) } });

/** One import: where it is, what its check has found, and what it has done. */
export const importOf = (id: number) =>
  queryOptions({
    queryKey: [IMPORT, id] as const,
    queryFn: async ({ signal }): Promise<Import> => unwrap(await call('getImport', ofId(id), { signal })),
    staleTime: 0,
    meta: { quiet: true },
  });

/** The first rows of an upload. The proposed fields stay the same while the screen is open. */
export const lookOf = (id: number, reading: Reading) =>
  queryOptions({
    queryKey: [IMPORT, id, 'look', reading] as const,
    queryFn: async ({ signal }): Promise<Look> =>
      unwrap(await call('lookAtImport', { ...ofId(id), query: reading }, { signal })),
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
    meta: { quiet: true },
  });

interface PageOf {
  readonly page: number;
  readonly size: number;
}

const pageOf = ({ page, size }: PageOf) => ({ limit: size, offset: (page - 1) * size });

/** A page of the companies that an import would change. */
export const changesOf = (id: number, page: PageOf) =>
  queryOptions({
    queryKey: [IMPORT, id, 'changes', page] as const,
    queryFn: async ({ signal }) => {
      const input = { ...ofId(id), query: pageOf(page) };
      return unwrapPage(await call('listImportChanges', input, { signal }));
    },
    placeholderData: keepPreviousData,
  });

export interface LineFilter {
  readonly kind: ReviewKind;
  /** Lines of one reason and field alone. */
  readonly reason?: string | undefined;
  readonly column?: string | undefined;
}

/** A page of the rows that an import leaves out or reports. */
export const linesOf = (id: number, { kind, reason, column }: LineFilter, page: PageOf) =>
  queryOptions({
    queryKey: [IMPORT, id, 'lines', { kind, reason, column }, page] as const,
    queryFn: async ({ signal }) => {
      const query = { kind, reason, column, ...pageOf(page) };
      return unwrapPage(await call('listImportLines', { ...ofId(id), query }, { signal }));
    },
    placeholderData: keepPreviousData,
  });

const POLL_MS = 3000;
const WORKING: readonly ImportRow['state'][] = ['checking', 'importing', 'undoing'];

export const isWorking = ({ state }: Pick<ImportRow, 'state'>): boolean => WORKING.includes(state);

/** A page of the history, the newest first. It polls while a worker is busy with one of them. */
export const importList = (page: PageOf) =>
  queryOptions({
    queryKey: [IMPORT_LIST, page] as const,
    queryFn: async ({ signal }) => unwrapPage(await call('listImports', { query: pageOf(page) }, { signal })),
    placeholderData: keepPreviousData,
    staleTime: 0,
    refetchInterval: ({ state }) => (state.data?.rows.some(isWorking) ? POLL_MS : false),
  });
