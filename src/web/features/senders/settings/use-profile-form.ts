import { useQueryClient } from '@tanstack/react-query';
import { type EditedForm, useDraftForm } from '#web/lib/draft-form.ts';
import type { Faults } from '#web/lib/faults-of.ts';
import { hasCode, unwrap } from '#web/lib/query-client.ts';
import { toast } from '#web/lib/toast.ts';
import { useOnceKey } from '#web/lib/use-once-key.ts';
import { askConfirmation, postSender, putSender } from './changes.ts';
import { draftName, fieldsOf, readLimit, type SenderForm, storedOf } from './sender-fields.ts';
import { reloadSenders, type SenderDetail, senderDetail } from './settings-query.ts';
import { SENDER_FORM_MESSAGES, SENDER_SETTINGS_MESSAGES } from './words.ts';

export type SenderOf = { readonly id: number } | { readonly groupId: number };

interface Parts {
  readonly of: SenderOf;
  /** The stored sender; null: a new one. */
  readonly stored: SenderDetail | null;
  /** The template of a new sender at first. */
  readonly templateId: number | undefined;
  readonly onSaved: () => void;
}

/** Returns the edited sender, its faults, and the actions on it. */
export function useSenderForm({ of, stored, templateId, onSaved }: Parts): EditedSender {
  const client = useQueryClient();
  const { keyOf } = useOnceKey();
  const edited: EditedSender = useDraftForm({
    name: draftName(of),
    stored: storedOf(stored, templateId),
    check: ({ mails_per_minute }): Faults =>
      readLimit(mails_per_minute) === undefined ? { mails_per_minute: SENDER_FORM_MESSAGES.limitFault } : {},
    send: async (form) => {
      const fields = fieldsOf(form, readLimit(form.mails_per_minute) ?? null);
      if ('id' in of) return unwrap(await putSender(of.id, stored?.version ?? '', fields));
      return unwrap(await postSender({ ...fields, sender_group_id: of.groupId }, keyOf({ ...fields, of })));
    },
    onSaved: async ({ id, is_confirmed }, form) => {
      // The dialog closes, also over what was typed meanwhile.
      edited.discard();
      toast('success', SENDER_SETTINGS_MESSAGES.saved.sender(form.person_in_charge.trim()));
      onSaved();
      const isNewAddress = stored === null || stored.email !== form.email.trim();
      if (is_confirmed === 0 && isNewAddress) await askConfirmation(id, form.email.trim());
      await reloadSenders(client);
    },
    isConflict: (error) => hasCode(error, 'sender_changed'),
    reload: () => client.refetchQueries({ queryKey: senderDetail('id' in of ? of.id : 0).queryKey }),
    showsItself: () => true,
  });
  return edited;
}

export type EditedSender = EditedForm<SenderForm>;
