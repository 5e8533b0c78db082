import { call, type InputOf } from '#web/lib/api/call.ts';
import { unwrap } from '#web/lib/api/query-client.ts';
import { toast } from '#web/lib/screen/toast.ts';
import type { GroupRow, ProfileRow } from './settings-query.ts';
import { SENDER_SETTINGS_MESSAGES as messages } from './words.ts';

const keyed = (key: string) => ({ headers: { 'Idempotency-Key': key } });

export const postGroup = (group_name: string, key: string) =>
  call('addSenderGroup', { body: { add_info: { group_name } } }, keyed(key));

export const putGroup = (
  { id, version }: Pick<GroupRow, 'id' | 'version'>,
  update_info: { group_name?: string; active?: 0 | 1 },
) =>
  call('updateSenderGroup', {
    params: { id: String(id) },
    body: { version, update_info },
  });

export type AddInfo = InputOf<'addSender'>['body']['add_info'];
type ProfileFields = InputOf<'updateSenderProfile'>['body']['update_info'];

export const postSender = (add_info: AddInfo, key: string) => call('addSender', { body: { add_info } }, keyed(key));

/** @param isAgreed mails that wait may leave by another mailbox too */
export const putProfile = (id: number, version: string, update_info: ProfileFields, isAgreed = false) => {
  const confirmed = isAgreed ? { confirmed: 1 as const } : {};
  return call('updateSenderProfile', { params: { id: String(id) }, body: { version, ...confirmed, update_info } });
};

type LimitFields = InputOf<'updateSenderLimit'>['body']['update_info'];

export const putLimit = (profileId: number, update_info: LimitFields) =>
  call('updateSenderLimit', { params: { profile_id: String(profileId) }, body: { update_info } });

/** Fetches the person of a sender. */
export async function fetchProfileOf(senderId: number): Promise<Pick<ProfileRow, 'id' | 'version' | 'template_ids'>> {
  const { profile_id: id } = unwrap(await call('getSender', { params: { id: String(senderId) } }));
  const [profile] = unwrap(await call('listSenderProfiles', { query: { where_info: { id } } }));
  return profile as ProfileRow;
}

/** Requests the confirmation mail of a sender, and shows the outcome as a toast. */
export async function askConfirmation(id: number, email: string): Promise<void> {
  const params = { id: String(id) };
  const answer = await call('sendSenderConfirmation', { params });
  if (!answer.ok) toast('warning', answer.message);
  else if (answer.data.status === 'confirmed') toast('info', messages.alreadyConfirmed(email));
  else toast('info', `${messages.confirmationSent(email)}\n${messages.confirmationSentHelp}`);
}
