import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { Import, ReviewKind } from '#contract/imports/imports.ts';
import { type AnswerOf, call, type InputOf } from '#web/lib/api/call.ts';
import { SHOWN_IN_PLACE, unwrap, unwrapPage } from '#web/lib/api/query-client.ts';

export const IMPORT = 'import';
export const IMPORT_LIST = 'import_list';

export type Look = AnswerOf<'lookAtImport'>;
/** The user's settings for reading the file; absent ones are detected. */
export type Reading = InputOf<'lookAtImport'>['query'];
export type ImportRow = AnswerOf<'listImports'>[number];
export type ImportChange = AnswerOf<'listImportChanges'>[number];
export type ImportLine = AnswerOf<'listImportLines'>[number];

export const ofId = (id: number) => ({ params: { id: String(id) } });

/** Fetches one import: its state, the results of its check, and of the import. */
export const importOf = (id: number) =>
  queryOptions({
    queryKey: [IMPORT, id] as const,
    queryFn: async ({ signal }): Promise<Import> => unwrap(await call('getImport', ofId(id), { signal })),
    staleTime: 0,
    meta: { quiet: true },
  });

/** Fetches the first rows of an upload. The proposed fields stay the same while the screen is open. */
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

/** What a list of changes shows. */
export type ChangeKind = 'changed' | 'people_changed' | 'people_added';

/** Fetches a page of the companies or people that an import would change, or of the people that it would add. */
export const changesOf = (id: number, kind: ChangeKind, page: PageOf) =>
  queryOptions({
    queryKey: [IMPORT, id, 'changes', kind, page] as const,
    meta: SHOWN_IN_PLACE,
    queryFn: async ({ signal }) => {
      const input = { ...ofId(id), query: { kind, ...pageOf(page) } };
      return unwrapPage(await call('listImportChanges', input, { signal }));
    },
    placeholderData: keepPreviousData,
  });

export interface LineFilter {
  readonly kind: ReviewKind;
  /** Only rows with this reason. */
  readonly reason?: string | undefined;
  readonly column?: string | undefined;
}

/** Fetches a page of the rows that an import leaves out or reports. */
export const linesOf = (id: number, { kind, reason, column }: LineFilter, page: PageOf) =>
  queryOptions({
    queryKey: [IMPORT, id, 'lines', { kind, reason, column }, page] as const,
    meta: SHOWN_IN_PLACE,
    queryFn: async ({ signal }) => {
      const query = { kind, reason, column, ...pageOf(page) };
      return unwrapPage(await call('listImportLines', { ...ofId(id), query }, { signal }));
    },
    placeholderData: keepPreviousData,
  });

const POLL_MS = 3000;
const WORKING: readonly ImportRow['state'][] = ['checking', 'importing', 'undoing'];

export const isWorking = ({ state }: Pick<ImportRow, 'state'>): boolean => WORKING.includes(state);

/** Fetches a page of the history, newest first. It polls while a worker processes one of the imports. */
export const importList = (page: PageOf) =>
  queryOptions({
    queryKey: [IMPORT_LIST, page] as const,
    meta: SHOWN_IN_PLACE,
    queryFn: async ({ signal }) => unwrapPage(await call('listImports', { query: pageOf(page) }, { signal })),
    placeholderData: keepPreviousData,
    staleTime: 0,
    refetchInterval: ({ state }) => (state.data?.rows.some(isWorking) ? POLL_MS : false),
  });
