import { queryOptions } from '@tanstack/react-query';
import type { CallAnswer } from '#contract/call.ts';
import type { getTemplateVersion, listTemplateVersions, restoreTemplateVersion } from '#contract/mail-templates.ts';
import { callApi } from '#web/lib/api-client.ts';
import { unwrap } from '#web/lib/query-client.ts';

export type VersionRow = CallAnswer<typeof listTemplateVersions>[number];
export type Version = CallAnswer<typeof getTemplateVersion>;

const VERSIONS = 'template_versions';

/** The kept versions of a template, the newest first. */
export const templateVersions = (id: number) =>
  queryOptions({
    queryKey: [VERSIONS, id],
    queryFn: async ({ signal }): Promise<VersionRow[]> => {
      const input = { params: { id: String(id) }, query: {} };
      return unwrap(
        await callApi<typeof listTemplateVersions>('GET', '/mail_template/:id/version/list', input, { signal }),
      );
    },
    staleTime: 0,
  });

/** One version. It never changes. */
export const templateVersion = (id: number, number: number) =>
  queryOptions({
    queryKey: [VERSIONS, id, number],
    queryFn: async ({ signal }): Promise<Version> => {
      const input = { params: { id: String(id), number: String(number) } };
      return unwrap(
        await callApi<typeof getTemplateVersion>('GET', '/mail_template/:id/version/:number', input, { signal }),
      );
    },
    staleTime: Number.POSITIVE_INFINITY,
  });

export const restoreVersion = (id: number, number: number, version: string) =>
  callApi<typeof restoreTemplateVersion>('POST', '/mail_template/:id/version/:number/restore', {
    params: { id: String(id), number: String(number) },
    body: { version },
  });
