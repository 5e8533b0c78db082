import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { labelKey } from '#domain/company/own-label.ts';
import { type AnswerOf, call } from '../api/call.ts';
import { unwrap } from '../api/query-client.ts';
import { OWN_FIELD_LIST, TAG_LIST } from '../api/query-keys.ts';

/** The account's own fields of companies and its tags, as several screens read them (without numbers of companies). */

export type OwnField = AnswerOf<'listCustomFields'>[number];
export type Tag = AnswerOf<'listTags'>[number];

export const ownFieldList = queryOptions({
  queryKey: [OWN_FIELD_LIST],
  queryFn: async ({ signal }): Promise<readonly OwnField[]> =>
    unwrap(await call('listCustomFields', { query: {} }, { signal })),
});

export const tagList = queryOptions({
  queryKey: [TAG_LIST],
  queryFn: async ({ signal }): Promise<readonly Tag[]> => unwrap(await call('listTags', { query: {} }, { signal })),
});

/** Those that are offered: all but the archived ones. */
export const inUse = <Row extends { readonly archived: 0 | 1 }>(rows: readonly Row[] = []): readonly Row[] =>
  rows.filter(({ archived }) => archived === 0);

/** Adds a tag by its name. Another member may have added it meanwhile: then that one is returned. */
export function useAddTag() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (label: string): Promise<Pick<Tag, 'id' | 'label' | 'colour'>> => {
      const answer = await call('addTag', { body: { add_info: { label } } });
      const tags = await client.fetchQuery({ ...tagList, staleTime: 0 });
      const isTaken = !answer.ok && answer.code === 'label_taken';
      const wanted = isTaken ? tags.find((tag) => labelKey(tag.label) === labelKey(label)) : undefined;
      if (wanted !== undefined && wanted.archived === 0) return wanted;
      const { id } = unwrap(answer);
      return tags.find((tag) => tag.id === id) ?? { id, label, colour: 0 };
    },
  });
}
