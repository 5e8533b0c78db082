/** Forms whose unsaved text is a draft of the session: docs/decisions/web-state. */

import { notifyManager, useMutation } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState } from 'react';
import { type Faults, faultsOf } from '../api/faults-of.ts';
import { ApiError, type MutationMeta } from '../api/query-client.ts';
import { setDraft, useSession } from '../session/session-store.ts';
import { useFaultFocus } from './focus-fault.ts';
import { type FormDraft, type Merged, mergeFields, type Seen } from './merged-form.ts';

/** Reads a draft. A draft of an older program version has other fields, or consists of the form only. */
function readForm<Form extends object>(text: string, stored: Seen<Form>): FormDraft<Form> {
  const read = JSON.parse(text) as FormDraft<Form> | Partial<Form>;
  const complete = (form: Partial<Form>): Form => ({
    ...stored.form,
    ...Object.fromEntries(Object.entries(form).filter(([field]) => field in stored.form)),
  });
  if (!('base' in read)) return { base: stored, form: complete(read), shown: stored.version };
  const { base, form, shown } = read;
  return { base: { ...base, form: complete(base.form) }, form: complete(form), shown };
}

interface Stored<Form> {
  /** The name of the draft in the session. */
  readonly name: string;
  readonly stored: Seen<Form>;
  /** Reads a draft stored in another form. If it throws, the draft is ignored. */
  readonly read?: (text: string, stored: Seen<Form>) => FormDraft<Form>;
  readonly write?: (draft: FormDraft<Form>) => string;
  readonly merge?: (draft: FormDraft<Form>, stored: Seen<Form>) => Merged<Form>;
  /** Whether there is nothing to save. A draft equal to the stored form is removed. */
  readonly isSame?: (form: Form, stored: Form) => boolean;
}

interface Parts<Form, Answer, Options> extends Stored<Form> {
  /** Returns the errors that need no request. */
  readonly check?: (form: Form) => Faults;
  /** Sends the form, and updates the query cache with what is stored now. @throws ApiError */
  readonly send: (form: Form, options: Options) => Promise<Answer>;
  /** Called when the draft was removed after a save. */
  readonly onSaved?: (answer: Answer, form: Form, options: Options) => unknown;
  /** Whether an error means that somebody else has saved meanwhile. */
  readonly isConflict: (error: Error) => boolean;
  /** Reloads what somebody else has saved. */
  readonly reload?: () => Promise<unknown>;
  /** Returns the field for a path of the request. */
  readonly fieldOf?: (path: string, sent: Form) => string;
  /** Whether an error needs no toast. @param isPlaced it is a conflict, or is shown at a field */
  readonly showsItself?: (error: Error, isPlaced: boolean) => boolean;
}

const sameJson = (one: object, other: object): boolean => JSON.stringify(one) === JSON.stringify(other);

/** Returns the session's draft merged with the stored form. An unreadable draft is ignored. */
function useDraft<Form extends object>(parts: Stored<Form>) {
  const { name, stored, read = readForm, write = JSON.stringify, merge = mergeFields, isSame = sameJson } = parts;
  const text = useSession(({ drafts }) => drafts[name]);
  const merged = useMemo(() => {
    const unchanged = { base: stored, form: stored.form, theirs: [] };
    if (text === undefined) return unchanged;
    try {
      const draft = read(text, stored);
      return { base: draft.base, ...merge(draft, stored) };
    } catch {
      return unchanged;
    }
  }, [text, stored, read, merge]);
  const isDirty = text !== undefined && !isSame(merged.form, stored.form);
  const isSpent = text !== undefined && !isDirty;
  useEffect(() => {
    if (isSpent) setDraft(name, null);
  }, [isSpent, name]);

  const keep = (base: Seen<Form>, form: Form, shown = stored.version) => setDraft(name, write({ base, form, shown }));
  return {
    ...merged,
    text,
    isDirty,
    keep,
    /** Removes the saved draft. Text typed meanwhile is kept, based on the saved form if it is known. */
    settle(savedText: string | undefined, saved: Seen<Form> | null): void {
      const now = useSession.getState().drafts[name];
      if (now === savedText) setDraft(name, null);
      else if (now !== undefined && saved !== null) keep(saved, read(now, stored).form, saved.version);
    },
  };
}

interface Sent<Form, Options> {
  readonly form: Form;
  readonly options: Options;
  /** The text of the draft that was sent. */
  readonly text: string | undefined;
}

const versionIn = (answer: unknown): string | undefined => (answer as { readonly version?: string } | null)?.version;

/** Manages the save of a form: its state, and the errors in its answer. */
function useSave<Form extends object, Answer, Options>(
  { check, send, onSaved, isConflict, reload, fieldOf, showsItself }: Parts<Form, Answer, Options>,
  draft: ReturnType<typeof useDraft<Form>>,
) {
  const [faults, setFaults] = useState<Faults>({});
  /** A ref, because the second of two quick presses comes before the mutation has updated its state. */
  const isSending = useRef(false);
  /** Returns the errors by field. A conflict with another member is shown above the form instead. */
  const faultsIn = (error: Error, form: Form): Faults =>
    error instanceof ApiError && !isConflict(error)
      ? faultsOf(error.failure, fieldOf && ((path) => fieldOf(path, form)))
      : {};
  const isPlaced = (error: Error): boolean =>
    isConflict(error) || Object.keys(faultsIn(error, draft.form)).some((field) => field in draft.form);
  const meta: MutationMeta = { showsItself: (error) => showsItself?.(error, isPlaced(error)) ?? isPlaced(error) };
  const mutation = useMutation({
    meta,
    mutationFn: ({ form, options }: Sent<Form, Options>) => send(form, options),
    onSuccess: async (answer, { form, options, text }) => {
      // Wait for the queries' notifications: the draft must stay until their observers show the stored form.
      await new Promise<void>((resolve) => notifyManager.schedule(resolve));
      setFaults({});
      const version = versionIn(answer);
      draft.settle(text, version === undefined ? null : { version, form });
      await onSaved?.(answer, form, options);
    },
    onError: async (error, { form }) => {
      setFaults(faultsIn(error, form));
      if (isConflict(error)) await reload?.();
    },
    onSettled: () => {
      isSending.current = false;
    },
  });
  return {
    ...mutation,
    faults,
    setFaults,
    isPlaced,
    submit(options: Options, onProblem: (faults: Faults) => void): void {
      if (isSending.current) return;
      const { form, text } = draft;
      const found = check?.(form) ?? {};
      if (Object.keys(found).length > 0) {
        setFaults(found);
        onProblem(found);
        return;
      }
      isSending.current = true;
      mutation.mutate({ form, options, text }, { onError: (error) => onProblem(faultsIn(error, form)) });
    },
  };
}

/**
 * Returns an edited form, its errors, and the actions on it. The typed text is a draft of the session.
 * A refused text stays. Errors are shown at their fields, and the first of these gets the focus.
 */
export function useDraftForm<Form extends object, Answer, Options = void>(parts: Parts<Form, Answer, Options>) {
  const { name, isConflict } = parts;
  const draft = useDraft(parts);
  const { form, base, theirs, isDirty, keep } = draft;
  const { submit, reset, isPending, isSuccess, error, faults, setFaults, isPlaced } = useSave(parts, draft);
  const element = useRef<HTMLFormElement>(null);
  const focusFaults = useFaultFocus(element);

  /** Removes the errors of the last save. */
  function forgetProblem(): void {
    // A running save keeps its state.
    if (error !== null) reset();
    setFaults({});
  }

  return {
    name,
    form,
    /** The form that the draft is based on. */
    base,
    theirs,
    isDirty,
    busy: isPending,
    /** Whether the last save was accepted, and nothing has changed since. */
    isSaved: isSuccess && !isDirty,
    faults,
    /** Why the last save failed, if no field shows it. */
    problem: error === null || isPlaced(error) ? undefined : error.message,
    /** The error of the last save. */
    error,
    /** The server's sentence about another member's save: who, and when. */
    conflict: error !== null && isConflict(error) ? error.message : undefined,
    /** The ref of the element that contains the fields. */
    element,
    focusFaults,
    /** Changes the form. The error of a changed field disappears. */
    change(change: Partial<Form>): void {
      keep(base, { ...form, ...change });
      setFaults((before) => Object.fromEntries(Object.entries(before).filter(([field]) => !(field in change))));
    },
    /** Continues from what this form itself has stored. */
    continueFrom: (next: Seen<Form>) => keep(next, form),
    /** Saves the form. @param onProblem gets the errors by field, in place of focusing the first one */
    save: (options: Options, onProblem: (faults: Faults) => void = focusFaults) => submit(options, onProblem),
    forgetProblem,
    discard(): void {
      forgetProblem();
      setDraft(name, null);
    },
  };
}

export type EditedForm<Form extends object, Options = void> = ReturnType<typeof useDraftForm<Form, unknown, Options>>;
