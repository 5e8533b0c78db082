import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type Faults, faultsOf } from '#web/lib/faults-of.ts';
import { setDraft, useSession } from '#web/lib/session-store.ts';
import { toast } from '#web/lib/toast.ts';
import { useOnceKey } from '#web/lib/use-once-key.ts';
import { askConfirmation, postSender, putSender } from './changes.ts';
import { draftName, fieldsOf, merged, readDraft, readLimit, type SenderForm, storedOf } from './sender-fields.ts';
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

/** Returns the edited sender, its faults, and the actions on it. Unsaved text is a draft of the session. */
export function useSenderForm({ of, stored, templateId, onSaved }: Parts) {
  const client = useQueryClient();
  const { keyOf } = useOnceKey();
  const [faults, setFaults] = useState<Faults>({});
  /** A refusal that belongs to no field. */
  const [refusal, setRefusal] = useState<{ readonly message: string; readonly isConflict: boolean } | null>(null);
  const [busy, setBusy] = useState(false);
  const name = draftName(of);
  const draft = useSession(({ drafts }) => drafts[name]);
  const seen = storedOf(stored, templateId);
  const initial = seen.form;
  const typed = readDraft(draft, seen);
  const { form, theirs } = typed === undefined ? { form: initial, theirs: [] } : merged(typed, seen);
  const dirty = JSON.stringify(form) !== JSON.stringify(initial);

  function change(part: Partial<SenderForm>): void {
    const next = { ...form, ...part };
    const isStored = JSON.stringify(next) === JSON.stringify(initial);
    setDraft(name, isStored ? null : JSON.stringify({ base: typed?.base ?? seen, form: next }));
    setFaults((before) => Object.fromEntries(Object.entries(before).filter(([field]) => !(field in part))));
  }

  async function save(): Promise<void> {
    const limit = readLimit(form.mails_per_minute);
    if (limit === undefined) return setFaults({ mails_per_minute: SENDER_FORM_MESSAGES.limitFault });
    setBusy(true);
    const fields = fieldsOf(form, limit);
    const answer =
      'id' in of
        ? await putSender(of.id, stored?.version ?? '', fields)
        : await postSender({ ...fields, sender_group_id: of.groupId }, keyOf({ ...fields, of }));
    const isConflict = !answer.ok && answer.code === 'sender_changed';
    // What somebody else has changed is then beside what was typed here.
    if (isConflict && 'id' in of) await client.fetchQuery(senderDetail(of.id));
    setBusy(false);
    if (!answer.ok) {
      const found = faultsOf(answer);
      setFaults(found);
      const isShown = Object.keys(found).some((field) => field in form);
      setRefusal(isShown ? null : { message: answer.message, isConflict });
      return;
    }
    setDraft(name, null);
    toast('success', SENDER_SETTINGS_MESSAGES.saved.sender(form.person_in_charge.trim()));
    onSaved();
    const isNewAddress = stored === null || stored.email !== form.email.trim();
    if (answer.data.is_confirmed === 0 && isNewAddress) await askConfirmation(answer.data.id, form.email.trim());
    await reloadSenders(client);
  }

  return {
    form,
    faults,
    refusal,
    busy,
    dirty,
    change,
    save,
    /** What another member has saved meanwhile. */
    theirs,
    discard: () => setDraft(name, null),
    load: () => {
      setDraft(name, null);
      setRefusal(null);
    },
  };
}

export type EditedSender = ReturnType<typeof useSenderForm>;
