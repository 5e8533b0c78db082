/** Forms whose unsaved text is a draft of the session: docs/decisions/web-state. */

import { notifyManager, useMutation } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState } from 'react';
import { type Faults, faultsOf } from '../api/faults-of.ts';
import { ApiError, type MutationMeta } from '../api/query-client.ts';
import { setDraft, useSession } from '../session/session-store.ts';
import { useFaultFocus } from './focus-fault.ts';
import { type FormDraft, type Merged, mergeFields, type Seen } from './merged-form.ts';

/** Reads a draft. One of an older version of this program has other fields, or is the form alone. */
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
  /** The name of the session's draft. */
  readonly name: string;
  readonly stored: Seen<Form>;
  /** Reads a draft that the session holds in another shape. What it throws at counts as no draft. */
  readonly read?: (text: string, stored: Seen<Form>) => FormDraft<Form>;
  readonly write?: (draft: FormDraft<Form>) => string;
  readonly merge?: (draft: FormDraft<Form>, stored: Seen<Form>) => Merged<Form>;
  /** Whether there is nothing to save. A draft equal to what is stored is removed. */
  readonly isSame?: (form: Form, stored: Form) => boolean;
}

interface Parts<Form, Answer, Options> extends Stored<Form> {
  /** Returns the faults that need no request. */
  readonly check?: (form: Form) => Faults;
  /** Sends the form, and brings what is stored now into the query cache. @throws ApiError */
  readonly send: (form: Form, options: Options) => Promise<Answer>;
  /** Called when the draft is gone. */
  readonly onSaved?: (answer: Answer, form: Form, options: Options) => unknown;
  /** Whether somebody else has saved meanwhile. */
  readonly isConflict: (error: Error) => boolean;
  /** Reads what somebody else has saved. */
  readonly reload?: () => Promise<unknown>;
  /** Returns the field of a path of the request. */
  readonly fieldOf?: (path: string, sent: Form) => string;
  /** Whether no toast repeats an error. @param isPlaced it is a conflict, or stands at a field */
  readonly showsItself?: (error: Error, isPlaced: boolean) => boolean;
}

const sameJson = (one: object, other: object): boolean => JSON.stringify(one) === JSON.stringify(other);

/** Returns the session's draft merged with what is stored now. One that nobody can read counts as none. */
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
    /** Removes the draft that was saved. What was typed meanwhile continues from what was saved, if that is known. */
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
  /** The draft that the form was in. */
  readonly text: string | undefined;
}

const versionIn = (answer: unknown): string | undefined => (answer as { readonly version?: string } | null)?.version;

/** The save of a form: its state, and the faults that it finds. */
function useSave<Form extends object, Answer, Options>(
  { check, send, onSaved, isConflict, reload, fieldOf, showsItself }: Parts<Form, Answer, Options>,
  draft: ReturnType<typeof useDraft<Form>>,
) {
  const [faults, setFaults] = useState<Faults>({});
  /** The second of two quick presses comes before the mutation has told its state. */
  const isSending = useRef(false);
  /** What another member has saved stands above the form, not at a field. */
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
      // Queries tell their observers by this schedule. The draft must not go before they show what is stored now.
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
 * Returns an edited form, its faults, and the actions on it. What is typed is a draft of the session.
 * Refused text stays. Its faults stand at their fields, and the first of these gets the focus.
 */
export function useDraftForm<Form extends object, Answer, Options = void>(parts: Parts<Form, Answer, Options>) {
  const { name, isConflict } = parts;
  const draft = useDraft(parts);
  const { form, base, theirs, isDirty, keep } = draft;
  const { submit, reset, isPending, isSuccess, error, faults, setFaults, isPlaced } = useSave(parts, draft);
  const element = useRef<HTMLFormElement>(null);
  const focusFaults = useFaultFocus(element);

  /** Removes what the last save left on the screen. */
  function forgetProblem(): void {
    // A save that is running keeps its state.
    if (error !== null) reset();
    setFaults({});
  }

  return {
    name,
    form,
    /** What the form began from. */
    base,
    theirs,
    isDirty,
    busy: isPending,
    /** The last save was accepted, and nothing was changed since. */
    isSaved: isSuccess && !isDirty,
    faults,
    /** Why the last save failed, if no field says it. */
    problem: error === null || isPlaced(error) ? undefined : error.message,
    /** The error of the last save. */
    error,
    /** The server's sentence about another member's save: who, and when. */
    conflict: error !== null && isConflict(error) ? error.message : undefined,
    /** The element that has the fields. */
    element,
    focusFaults,
    /** A fault disappears when its field is changed. */
    change(change: Partial<Form>): void {
      keep(base, { ...form, ...change });
      setFaults((before) => Object.fromEntries(Object.entries(before).filter(([field]) => !(field in change))));
    },
    /** Continues from what this form has stored itself. */
    continueFrom: (next: Seen<Form>) => keep(next, form),
    /** @param onProblem gets the faults by field, in the place of the focus on the first */
    save: (options: Options, onProblem: (faults: Faults) => void = focusFaults) => submit(options, onProblem),
    forgetProblem,
    discard(): void {
      forgetProblem();
      setDraft(name, null);
    },
  };
}

export type EditedForm<Form extends object, Options = void> = ReturnType<typeof useDraftForm<Form, unknown, Options>>;
