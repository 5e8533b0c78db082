import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { faultsOf } from '#web/lib/faults-of.ts';
import { asMessage } from '#web/lib/phrases.ts';
import { setDraft, useSession } from '#web/lib/session-store.ts';
import { toast } from '#web/lib/toast.ts';
import {
  draftName,
  faultsByField,
  type LegalDraft,
  type LegalForm,
  merged,
  readDraft,
  storedOf,
} from './legal-form.ts';
import { type LegalRow, putLegalProfile, reloadLegalProfiles } from './legal-query.ts';
import { LEGAL_MESSAGES as messages } from './words.ts';

/** Returns the edited profile of a group, its faults, and the actions on it. Unsaved text is a draft of the session. */
export function useLegalForm(row: LegalRow) {
  const client = useQueryClient();
  const [refused, setFaults] = useState<Readonly<Record<string, string>>>({});
  const [busy, setBusy] = useState(false);
  const name = draftName(row.sender_group_id);
  const draft = useSession(({ drafts }) => drafts[name]);
  const [conflict, setConflict] = useState<string>();
  const seen = storedOf(row);
  const stored = seen.form;
  const typed = readDraft(draft, seen);
  const { form, theirs } = typed === undefined ? { form: stored, theirs: [] } : merged(typed, seen);
  const dirty = !isSame(form, stored);

  /** A changed content is no longer what was confirmed. */
  function change(part: Partial<LegalForm>): void {
    const next = { ...form, confirmed: stored.confirmed, ...part };
    const isStored = isSame(next, stored);
    const kept = isStored || 'confirmed' in part ? next : { ...next, confirmed: false };
    const written: LegalDraft = { base: typed?.base ?? seen, form: kept, shown: row.version };
    setDraft(name, isStored ? null : JSON.stringify(written));
    setFaults((before) => Object.fromEntries(Object.entries(before).filter(([field]) => !(field in part))));
  }

  /** @returns whether the profile was stored without a fault */
  async function save(): Promise<boolean> {
    const { confirmed, ...profile } = form;
    setBusy(true);
    const sent = useSession.getState().drafts[name];
    // All fields: what was confirmed is then what is stored.
    const answer = await putLegalProfile(row.sender_group_id, row.version, {
      ...profile,
      confirmed: confirmed ? 1 : 0,
    });
    if (!answer.ok) {
      const isConflict = answer.code === 'legal_profile_changed';
      setConflict(isConflict ? answer.message : undefined);
      if (isConflict) await reloadLegalProfiles(client);
      setBusy(false);
      if (isConflict) return false;
      const found = faultsOf(answer);
      setFaults(found);
      if (!Object.keys(found).some((field) => field in form)) toast('warning', answer.message);
      return false;
    }
    setFaults({});
    setConflict(undefined);
    await reloadLegalProfiles(client);
    setBusy(false);
    // What was typed meanwhile stays.
    if (useSession.getState().drafts[name] === sent) setDraft(name, null);
    const isReady = answer.data.ready === 1;
    if (isReady) toast('success', messages.saved.ready(row.group_name));
    else toast('warning', messages.saved.incomplete(row.group_name));
    return isReady;
  }

  return {
    form,
    name,
    dirty,
    busy,
    /** What another member has saved meanwhile, and who. */
    theirs: { message: conflict, theirs },
    change,
    save,
    discard(): void {
      setFaults({});
      setConflict(undefined);
      setDraft(name, null);
    },
    /** Faults of fields that hold what is stored, and those of a refused save. */
    faultOf: (field: keyof LegalForm): string | undefined =>
      refused[field] ??
      (form[field] === stored[field] ? sentence(faultsByField(row.faults, 'error')[field]) : undefined),
    warningOf: (field: keyof LegalForm | 'public_url'): string | undefined =>
      field === 'public_url' || form[field] === stored[field] ? faultsByField(row.faults, 'warning')[field] : undefined,
  };
}

const isSame = (a: LegalForm, b: LegalForm): boolean => JSON.stringify(a) === JSON.stringify(b);

const sentence = (message: string | undefined): string | undefined => message && asMessage(message);

export type EditedProfile = ReturnType<typeof useLegalForm>;
