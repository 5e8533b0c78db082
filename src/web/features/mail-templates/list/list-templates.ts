import { queryOptions } from '@tanstack/react-query';
import { type AnswerOf, call } from '#web/lib/api/call.ts';
import { SHOWN_IN_PLACE, unwrap } from '#web/lib/api/query-client.ts';
import { TEMPLATE_LIST } from '#web/lib/api/query-keys.ts';
import type { CompleteRow } from '#web/lib/data/complete-row.ts';

const COLUMNS = [
  'id',
  'name',
  'subject',
  'folder_id',
  'archived',
  'sendgrid_template_id',
  'updated_at',
  'updated_by',
  'senders',
] as const;
export type TemplateRow = Pick<CompleteRow<AnswerOf<'listMailTemplates'>[number]>, (typeof COLUMNS)[number]>;
export type Folder = CompleteRow<AnswerOf<'listTemplateFolders'>[number]>;
export type Sample = AnswerOf<'listTemplateSamples'>[number];

export interface TemplatePage {
  readonly templates: readonly TemplateRow[];
  readonly folders: readonly Folder[];
}

/** Fetches all templates of the account, including archived ones, and its folders. The browser searches and sorts. */
export const templateList = queryOptions({
  queryKey: [TEMPLATE_LIST],
  meta: SHOWN_IN_PLACE,
  queryFn: async ({ signal }): Promise<TemplatePage> => {
    const [templates, folders] = await Promise.all([
      call('listMailTemplates', { query: { columns: [...COLUMNS] } }, { signal }),
      call('listTemplateFolders', { query: {} }, { signal }),
    ]);
    // Rows have the requested columns.
    return { templates: unwrap(templates) as TemplateRow[], folders: unwrap(folders) as Folder[] };
  },
  staleTime: 0,
});

export const templateSamples = queryOptions({
  queryKey: ['template_samples'],
  queryFn: async ({ signal }): Promise<Sample[]> => unwrap(await call('listTemplateSamples', {}, { signal })),
  staleTime: Number.POSITIVE_INFINITY,
});

/** The recent mails of a template, and how many of them were replied to. */
export type SentCounts = Readonly<Record<'sent' | 'replied', number>>;
