import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { hasCode, unwrap } from '#web/lib/api/query-client.ts';
import { type EditedForm, useDraftForm } from '#web/lib/form/draft-form.ts';
import { asMessage } from '#web/lib/phrases.ts';
import { toast } from '#web/lib/screen/toast.ts';
import { draftName, faultsByField, type LegalForm, merged, storedOf } from './legal-form.ts';
import { type LegalRow, putLegalProfile, reloadLegalProfiles } from './legal-query.ts';
import { LEGAL_MESSAGES as messages } from './words.ts';

/** Returns the edited profile of a group, its errors, and the actions on it. */
export function useLegalForm(row: LegalRow) {
  const client = useQueryClient();
  const seen = storedOf(row);
  // A profile that nobody has saved shows no errors yet.
  const [isSaved, setSaved] = useState(false);
  const isTouched = isSaved || row.postal_code !== '' || row.postal_address !== '';
  const edited: EditedForm<LegalForm> = useDraftForm({
    name: draftName(row.sender_group_id),
    stored: seen,
    merge: merged,
    send: async ({ confirmed, ...profile }) => {
      // Send all fields, so that the stored profile is the confirmed one.
      const info = { ...profile, confirmed: confirmed ? (1 as const) : (0 as const) };
      const answer = unwrap(await putLegalProfile(row.sender_group_id, row.version, info));
      await reloadLegalProfiles(client);
      return answer;
    },
    onSaved: ({ ready }) => {
      setSaved(true);
      if (ready === 1) return toast('success', messages.saved.ready(row.group_name));
      edited.focusFaults();
    },
    isConflict: (error) => hasCode(error, 'legal_profile_changed'),
    reload: () => reloadLegalProfiles(client),
  });
  const { form, faults } = edited;
  const stored = seen.form;

  return {
    ...edited,
    isTouched,
    /** The save that left fields incomplete. Their own errors say the rest, so no toast covers them. */
    told: edited.isSaved && row.ready === 0 ? messages.saved.incomplete(row.group_name) : null,
    /** Changes a field. Changed content needs a new confirmation, unless it equals the stored content. */
    change(part: Partial<LegalForm>): void {
      const next = { ...form, confirmed: stored.confirmed, ...part };
      const isKept = 'confirmed' in part || JSON.stringify(next) === JSON.stringify(stored);
      edited.change({ ...part, confirmed: isKept && next.confirmed });
    },
    /** Returns errors of unchanged stored values, and those of a refused save. */
    faultOf: (field: keyof LegalForm): string | undefined =>
      faults[field] ??
      (isTouched && form[field] === stored[field] ? sentence(faultsByField(row.faults, 'error')[field]) : undefined),
    warningOf: (field: keyof LegalForm | 'public_url'): string | undefined =>
      field === 'public_url' || form[field] === stored[field] ? faultsByField(row.faults, 'warning')[field] : undefined,
  };
}

const sentence = (message: string | undefined): string | undefined => message && asMessage(message);

export type EditedProfile = ReturnType<typeof useLegalForm>;
