import { type QueryClient, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { call, type InputOf } from '#web/lib/api/call.ts';
import { SHOWN_IN_PLACE, unwrap } from '#web/lib/api/query-client.ts';
import { OWN_FIELD_LIST, TAG_LIST } from '#web/lib/api/query-keys.ts';
import { reloadLists } from '#web/lib/api/reload-lists.ts';
import { type OwnField, ownFieldList, type Tag, tagList } from '#web/lib/data/own/own-fields.ts';
import { toast } from '#web/lib/screen/toast.ts';
import { OWN_FIELD_MESSAGES } from './words.ts';

/** The lists of this page, which follow what other members change. */
export const fieldList = { ...ownFieldList, staleTime: 0, meta: SHOWN_IN_PLACE };
export const tagsList = { ...tagList, staleTime: 0, meta: SHOWN_IN_PLACE };

/** Counts the companies and the templates of each field, which may take a while. */
export const fieldCounts = queryOptions({
  queryKey: [OWN_FIELD_LIST, 'counts'],
  queryFn: async ({ signal }): Promise<ReadonlyMap<number, OwnField>> =>
    byId(unwrap(await call('listCustomFields', { query: { counts: 1 } }, { signal }))),
  staleTime: 0,
  // The page is complete without the numbers.
  meta: { quiet: true },
});

/** Counts the companies of each tag. */
export const tagCounts = queryOptions({
  queryKey: [TAG_LIST, 'counts'],
  queryFn: async ({ signal }): Promise<ReadonlyMap<number, Tag>> =>
    byId(unwrap(await call('listTags', { query: { counts: 1 } }, { signal }))),
  staleTime: 0,
  meta: { quiet: true },
});

const byId = <Row extends { readonly id: number }>(rows: readonly Row[]): ReadonlyMap<number, Row> =>
  new Map(rows.map((row) => [row.id, row]));

type FieldInfo = InputOf<'updateCustomField'>['body']['update_info'];
type TagInfo = InputOf<'updateTag'>['body']['update_info'];

/** Changes a field. @param version the one that the member has seen @returns the new version @throws ApiError */
export async function putField(id: number, version: string, update_info: FieldInfo): Promise<string> {
  const input = { params: { id: String(id) }, body: { version, update_info } };
  return unwrap(await call('updateCustomField', input)).version;
}

/** Changes a tag, or merges it into another one. @returns its new version @throws ApiError */
export async function putTag(id: number, version: string, update_info: TagInfo): Promise<string> {
  const input = { params: { id: String(id) }, body: { version, update_info } };
  return unwrap(await call('updateTag', input)).version;
}

/** Reloads fields and tags, and all that shows companies. */
export async function reloadOwn(client: QueryClient): Promise<void> {
  reloadLists(client);
  await Promise.all([OWN_FIELD_LIST, TAG_LIST].map((name) => client.invalidateQueries({ queryKey: [name] })));
}

interface Named {
  readonly id: number;
  readonly version: string;
  readonly label: string;
}

/** Saves an act on a field or tag at one press; the toast of an archived one brings it back. */
export function useChange<Info extends { readonly archived?: 0 | 1 }>(
  put: (id: number, version: string, info: Info | { readonly archived: 0 }) => Promise<string>,
  said: { readonly archivedNow: (label: string) => string; readonly restored: (label: string) => string },
) {
  const client = useQueryClient();
  const onSettled = () => reloadOwn(client);
  const restore = useMutation({
    mutationFn: ({ id, version }: { id: number; version: string }) => put(id, version, { archived: 0 }),
    onSettled,
  });
  return useMutation({
    mutationFn: ({ row, info }: { row: Named; info: Info }) => put(row.id, row.version, info),
    onSuccess: (version, { row, info: { archived } }) => {
      const undo = { label: OWN_FIELD_MESSAGES.undo, run: () => restore.mutate({ id: row.id, version }) };
      if (archived === 1) toast('success', said.archivedNow(row.label), undefined, undo);
      if (archived === 0) toast('success', said.restored(row.label));
    },
    onSettled,
  }).mutate;
}
