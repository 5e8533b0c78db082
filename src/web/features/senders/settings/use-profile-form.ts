import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { dayOf } from '#domain/time/tokyo-time.ts';
import type { ApiResult } from '#web/lib/api/call.ts';
import { ApiError, hasCode, unwrap } from '#web/lib/api/query-client.ts';
import { serverNow } from '#web/lib/api/server-clock.ts';
import { useOnceKey } from '#web/lib/api/use-once-key.ts';
import { type EditedForm, useDraftForm } from '#web/lib/form/draft-form.ts';
import { toast } from '#web/lib/screen/toast.ts';
import { askConfirmation, fetchProfileOf, postSender, putLimit, putProfile } from './changes.ts';
import {
  changeOf,
  draftName,
  limitChange,
  limitFaults,
  mailboxOf,
  type ProfileForm,
  type ProfileOf,
  personOf,
  readIds,
  storedOf,
} from './profile-form.ts';
import { type ProfileLimit, type ProfileRow, profileLimit, reloadSenders, senderSettings } from './settings-query.ts';
import { PROFILE_FORM_MESSAGES, SENDER_SETTINGS_MESSAGES } from './words.ts';

interface Parts {
  readonly of: ProfileOf;
  /** The stored person; null: a new one. */
  readonly stored: ProfileRow | null;
  /** The person's stored daily limit; null: a new person. */
  readonly limit: ProfileLimit | null;
  /** The initial templates of a new person. */
  readonly templateIds: readonly number[];
  readonly onSaved: () => void;
}

interface Saved {
  /** A sender of the person, for which the confirmation mail is requested. */
  readonly senderId: number;
  readonly is_confirmed: 0 | 1;
}

/** Returns what a change answers. A question about mails that wait stands at the mailbox. @throws ApiError */
function changed<T>(answer: ApiResult<T>): T {
  if (answer.ok || answer.code !== 'has_open_mails') return unwrap(answer);
  const message = PROFILE_FORM_MESSAGES.again(answer.message);
  throw new ApiError({ ...answer, details: [{ path: 'update_info.mailbox_id', message }] });
}

/** Returns the edited person, its errors, and the actions on it. */
export function useProfileForm({ of, stored, limit, templateIds, onSaved }: Parts): EditedProfile {
  const client = useQueryClient();
  const add = useAddition(client);
  /** The mailbox of the last save: a second press agrees to what the server asks about it. */
  const asked = useRef<string>(null);
  const edited: EditedProfile = useDraftForm({
    name: draftName(of),
    stored: storedOf(stored, limit, templateIds),
    check: limitFaults,
    send: async (form): Promise<Saved> => {
      if (stored === null) return add('groupId' in of ? of.groupId : 0, form);
      // Before the person, because it leaves the version. A repeated save sends the limit again, without effect.
      const change = limitChange(form, limit, dayOf(serverNow()));
      if (change !== null) {
        unwrap(await putLimit(stored.id, change));
        // The limit is stored, even if the person is refused.
        await client.invalidateQueries({ queryKey: profileLimit(stored.id).queryKey });
      }
      const isAgreed = hasCode(edited.error, 'has_open_mails') && asked.current === form.mailbox_id;
      asked.current = form.mailbox_id;
      const answer = await putProfile(stored.id, stored.version, changeOf(form, stored), isAgreed);
      return { senderId: stored.sender_id, is_confirmed: changed(answer).is_confirmed };
    },
    onSaved: async ({ senderId, is_confirmed }, form) => {
      // The dialog closes, and discards what was typed meanwhile.
      edited.discard();
      toast('success', SENDER_SETTINGS_MESSAGES.saved.person(form.person_in_charge.trim()));
      onSaved();
      const isNewAddress = stored === null || stored.email !== form.email.trim();
      // A mailbox confirms the address itself.
      const isAsked = is_confirmed === 0 && isNewAddress && form.active && form.mailbox_id === '';
      if (isAsked) await askConfirmation(senderId, form.email.trim());
      await reloadSenders(client);
    },
    isConflict: (error) => hasCode(error, 'profile_changed'),
    reload: () => client.refetchQueries({ queryKey: senderSettings.queryKey }),
    // The first template of a new person is a field of the call.
    fieldOf: (path) => path.replace(/^\w+_info\./, '').replace(/^(?:template_id|subject)$/, 'template_ids'),
    showsItself: () => true,
  });
  const hasNoTemplate = stored === null && edited.form.template_ids === '' && 'template_ids' in edited.faults;
  if (!hasNoTemplate) return edited;
  return { ...edited, faults: { ...edited.faults, template_ids: PROFILE_FORM_MESSAGES.noTemplateChosen } };
}

export type EditedProfile = EditedForm<ProfileForm>;

/**
 * Returns a function that adds a person. The first call adds it with its first template; the key prevents duplicates.
 * A second call sets all templates. If that one is refused, the next save continues with the added person.
 */
function useAddition(client: QueryClient) {
  const { keyOf } = useOnceKey();
  const added = useRef<Saved & { readonly templateId: number }>(null);
  /** The templates of an equal person that existed before, which it keeps. */
  const kept = useRef<readonly number[]>(null);
  return async (sender_group_id: number, form: ProfileForm): Promise<Saved> => {
    const chosen = readIds(form.template_ids);
    // The server refuses 0 together with the other errors.
    const [template_id = 0] = chosen;
    if (added.current === null) {
      const info = { ...personOf(form), sender_group_id, template_id, subject: null };
      const { id: senderId, is_confirmed } = unwrap(await postSender(info, keyOf(info)));
      if (chosen.length === 1 && form.mailbox_id === '') return { senderId, is_confirmed };
      added.current = { senderId, is_confirmed, templateId: template_id };
      void reloadSenders(client);
    }
    const { senderId, templateId } = added.current;
    const { id, version, template_ids: before } = await fetchProfileOf(senderId);
    kept.current ??= before.filter((used) => used !== templateId);
    const template_ids = [...new Set([...chosen, ...kept.current])];
    const mailbox_id = mailboxOf(form);
    const info = { ...personOf(form), template_ids, ...(mailbox_id !== null && { mailbox_id }) };
    const { is_confirmed } = changed(await putProfile(id, version, info));
    return { senderId, is_confirmed };
  };
}
