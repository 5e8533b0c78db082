import { queryOptions } from '@tanstack/react-query';
import { call } from '../api/call.ts';
import { unwrap } from '../api/query-client.ts';
import { TEMPLATE_LIST } from '../api/query-keys.ts';

/** A template that can be chosen. */
export interface TemplateChoice {
  readonly id: number;
  readonly name: string;
  readonly subject: string;
  readonly sendgrid_template_id: string | null;
}

const COLUMNS = ['id', 'name', 'subject', 'sendgrid_template_id'];

/** Fetches all templates except the archived ones, by name and subject. */
export const templateChoices = queryOptions({
  queryKey: [TEMPLATE_LIST, 'choices'],
  queryFn: async ({ signal }): Promise<TemplateChoice[]> => {
    const query = { where_info: { archived: 0 as const }, columns: COLUMNS };
    const answer = await call('listMailTemplates', { query }, { signal });
    return unwrap(answer).flatMap(({ id, name = '', subject = '', sendgrid_template_id = null }) =>
      id === undefined ? [] : [{ id, name, subject, sendgrid_template_id }],
    );
  },
});
