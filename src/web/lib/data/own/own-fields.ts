import { queryOptions } from '@tanstack/react-query';
import { type AnswerOf, call } from '../../api/call.ts';
import { unwrap } from '../../api/query-client.ts';
import { OWN_FIELD_LIST, TAG_LIST } from '../../api/query-keys.ts';

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
