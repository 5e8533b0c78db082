import { queryOptions } from '@tanstack/react-query';
import { MAX_SENDERS } from '#domain/limits.ts';
import { allRows } from '#web/lib/api/all-rows.ts';
import { call } from '#web/lib/api/call.ts';
import { SENDER_LIST } from '#web/lib/api/query-keys.ts';
import type { TemplateIds } from '#web/lib/screen/page-settings.ts';
import { confirmationPollMs } from '#web/lib/session/awaited-confirmation.ts';
import { SENDER_MESSAGES } from './words.ts';

export interface Sender extends TemplateIds {
  readonly id: number;
  /** The id of the person who sends with it. */
  readonly profile_id: number;
  readonly subject: string;
  readonly template_name: string;
  readonly person_in_charge: string;
  readonly email: string;
  /** '' if there is none. */
  readonly bcc: string;
  /** Whether the owner of the address has confirmed it. Otherwise it can send tests only. */
  readonly is_confirmed: 0 | 1;
  readonly confirmation_sent_at: string | null;
  /** The name of its sender group. */
  readonly group: string;
  /** When it was last used, tests included; null: never. */
  readonly last_used_at: string | null;
}

const COLUMNS = [
  'id',
  'profile_id',
  'subject',
  'template_name',
  'person_in_charge',
  'email',
  'bcc',
  'template_id',
  'sendgrid_template_id',
  'group',
  'is_confirmed',
  'confirmation_sent_at',
  'last_used_at',
];

async function fetchSenders(signal: AbortSignal, groupId: number): Promise<Sender[]> {
  const where_info = { active: 1, sender_group_id: groupId };
  const rows = await allRows(MAX_SENDERS, (offset) =>
    call('listSenders', { query: { where_info, columns: COLUMNS, offset } }, { signal }),
  );
  return rows.flatMap(({ id, template_id, sendgrid_template_id = null, ...sender }) => {
    if (id === undefined || template_id === undefined) return [];
    const {
      profile_id = 0,
      subject = '',
      template_name = '',
      person_in_charge = '',
      email = '',
      bcc,
      group = '',
      is_confirmed = 1,
      confirmation_sent_at = null,
      last_used_at = null,
    } = sender;
    return {
      id,
      profile_id,
      subject,
      template_name,
      person_in_charge,
      email,
      bcc: bcc ?? '',
      is_confirmed,
      confirmation_sent_at,
      template_id,
      sendgrid_template_id,
      group,
      last_used_at,
    };
  });
}

export const senderList = (groupId: number) =>
  queryOptions({
    queryKey: [SENDER_LIST, groupId],
    queryFn: ({ signal }) => fetchSenders(signal, groupId),
    // Subjects are edited in another tab, and must be current when the user returns.
    refetchOnWindowFocus: 'always',
    refetchInterval: ({ state }) => confirmationPollMs(state.data),
  });

/** Sorts the choices: last used first, then by id, as in the list. */
export const byLastUse = (senders: readonly Sender[]): readonly Sender[] =>
  [...senders].sort((one, other) => compare(other.last_used_at ?? '', one.last_used_at ?? ''));

const compare = (one: string, other: string): number => (one < other ? -1 : Number(one > other));

/** Returns the person of a sender, with a note if its address is not confirmed. */
export function personOf({ person_in_charge, is_confirmed, confirmation_sent_at }: Sender): string {
  if (is_confirmed === 1) return person_in_charge;
  return confirmation_sent_at === null
    ? SENDER_MESSAGES.notAsked(person_in_charge)
    : SENDER_MESSAGES.waiting(person_in_charge);
}
