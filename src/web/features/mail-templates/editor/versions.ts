import { queryOptions } from '@tanstack/react-query';
import { type AnswerOf, call } from '#web/lib/call.ts';
import { unwrap } from '#web/lib/query-client.ts';

export type VersionRow = AnswerOf<'listTemplateVersions'>[number];
export type Version = AnswerOf<'getTemplateVersion'>;

const VERSIONS = 'template_versions';

/** The kept versions of a template, the newest first. */
export const templateVersions = (id: number) =>
  queryOptions({
    queryKey: [VERSIONS, id],
    queryFn: async ({ signal }): Promise<VersionRow[]> => {
      const input = { params: { id: String(id) }, query: {} };
      return unwrap(await call('listTemplateVersions', input, { signal }));
    },
    staleTime: 0,
  });

/** One version. It never changes. */
export const templateVersion = (id: number, number: number) =>
  queryOptions({
    queryKey: [VERSIONS, id, number],
    queryFn: async ({ signal }): Promise<Version> => {
      const input = { params: { id: String(id), number: String(number) } };
      return unwrap(await call('getTemplateVersion', input, { signal }));
    },
    staleTime: Number.POSITIVE_INFINITY,
  });

export const restoreVersion = (id: number, number: number, version: string) =>
  call('restoreTemplateVersion', {
    params: { id: String(id), number: String(number) },
    body: { version },
  });
