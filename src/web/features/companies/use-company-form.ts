import { useEffect, useMemo } from 'react';
import { setDraft, useSession } from '#web/lib/session-store.ts';
import {
  type CompanyForm,
  changedFields,
  draftName,
  type FormField,
  merged,
  readDraft,
  type Stored,
} from './company-form.ts';

/**
 * Returns the edited form of a company. What was typed is a draft of the session, merged with what is stored now.
 *
 * @param id undefined: a new company
 */
export function useCompanyForm(id: number | undefined, stored: Stored) {
  const name = draftName(id);
  const draft = useSession(({ drafts }) => drafts[name]);
  const typed = useMemo(() => readDraft(draft), [draft]);
  const { form, theirs } = useMemo(
    () => (typed === undefined ? { form: stored.form, theirs: [] } : merged(typed, stored)),
    [typed, stored],
  );
  const isDirty = Object.keys(changedFields(form, stored.form)).length > 0;

  // A draft equal to the stored company is removed.
  const isSpent = draft !== undefined && !isDirty;
  useEffect(() => {
    if (isSpent) setDraft(name, null);
  }, [isSpent, name]);

  const keep = (base: Stored, next: CompanyForm) => setDraft(name, JSON.stringify({ base, form: next }));
  return {
    name,
    form,
    theirs,
    isDirty,
    change: (field: FormField, value: string) => keep(typed?.base ?? stored, { ...form, [field]: value }),
    /** Continues from what this form has stored itself. */
    continueFrom: (next: Stored) => keep(next, form),
    discard: () => setDraft(name, null),
  };
}

export type EditedCompany = ReturnType<typeof useCompanyForm>;
