import { queryOptions } from '@tanstack/react-query';
import type { listSenders } from '#contract/sender.ts';
import { callApi } from '#web/lib/api-client.ts';
import type { TemplateIds } from '#web/lib/page-settings.ts';
import { unwrap } from '#web/lib/query-client.ts';

export interface Sender extends TemplateIds {
  readonly id: number;
  readonly subject: string;
  readonly person_in_charge: string;
  readonly email: string;
  /** '' for none. */
  readonly bcc: string;
}

const COLUMNS = ['id', 'subject', 'person_in_charge', 'email', 'bcc', 'template_id', 'sendgrid_template_id'];

async function fetchSenders(groupId: number, signal: AbortSignal): Promise<Sender[]> {
  const query = { where_info: { sender_group_id: groupId, active: 1 }, columns: COLUMNS };
  const answer = await callApi<typeof listSenders>('GET', '/sender/list', { query }, { signal });
  return unwrap(answer).flatMap(({ id, template_id, sendgrid_template_id = null, ...sender }) => {
    if (id === undefined || template_id === undefined) return [];
    const { subject = '', person_in_charge = '', email = '', bcc } = sender;
    return { id, subject, person_in_charge, email, bcc: bcc ?? '', template_id, sendgrid_template_id };
  });
}

export const senderList = (groupId: number) =>
  queryOptions({
    queryKey: ['sender_list', groupId],
    queryFn: ({ signal }) => fetchSenders(groupId, signal),
    // Subjects are edited in another tab, and must be current on return.
    refetchOnWindowFocus: 'always',
  });
