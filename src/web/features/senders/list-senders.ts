import { queryOptions } from '@tanstack/react-query';
import { confirmationPollMs } from '#web/lib/awaited-confirmation.ts';
import { call } from '#web/lib/call.ts';
import type { TemplateIds } from '#web/lib/page-settings.ts';
import { unwrap } from '#web/lib/query-client.ts';

export interface Sender extends TemplateIds {
  readonly id: number;
  readonly subject: string;
  readonly person_in_charge: string;
  readonly email: string;
  /** '' for none. */
  readonly bcc: string;
  /** Whether the owner of the address has confirmed it. Else it sends tests only. */
  readonly is_confirmed: 0 | 1;
  readonly confirmation_sent_at: string | null;
  /** The name of its sender group. */
  readonly group: string;
}

const COLUMNS = [
  'id',
  'subject',
  'person_in_charge',
  'email',
  'bcc',
  'template_id',
  'sendgrid_template_id',
  'group',
  'is_confirmed',
  'confirmation_sent_at',
];

async function fetchSenders(signal: AbortSignal, groupId: number): Promise<Sender[]> {
  const where_info = { active: 1, sender_group_id: groupId };
  const query = { where_info, columns: COLUMNS };
  const answer = await call('listSenders', { query }, { signal });
  return unwrap(answer).flatMap(({ id, template_id, sendgrid_template_id = null, ...sender }) => {
    if (id === undefined || template_id === undefined) return [];
    const {
      subject = '',
      person_in_charge = '',
      email = '',
      bcc,
      group = '',
      is_confirmed = 1,
      confirmation_sent_at = null,
    } = sender;
    return {
      id,
      subject,
      person_in_charge,
      email,
      bcc: bcc ?? '',
      is_confirmed,
      confirmation_sent_at,
      template_id,
      sendgrid_template_id,
      group,
    };
  });
}

export const senderList = (groupId: number) =>
  queryOptions({
    queryKey: ['sender_list', groupId],
    queryFn: ({ signal }) => fetchSenders(signal, groupId),
    // Subjects are edited in another tab, and must be current on return.
    refetchOnWindowFocus: 'always',
    refetchInterval: ({ state }) => confirmationPollMs(state.data),
  });
