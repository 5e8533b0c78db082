import { useQueryClient } from '@tanstack/react-query';
import { useMemo, useRef, useState } from 'react';
import { ApiError, hasCode, unwrap } from '#web/lib/api/query-client.ts';
import { useOnceKey } from '#web/lib/api/use-once-key.ts';
import { type Mailbox, reloadMailboxes } from '#web/lib/data/mailboxes.ts';
import { type EditedForm, useDraftForm } from '#web/lib/form/draft-form.ts';
import { toast } from '#web/lib/screen/toast.ts';
import { beginConsent } from './consent/begin-consent.ts';
import { type Checked, checkMailbox, type Named, postMailbox, putMailbox } from './mailbox-calls.ts';
import {
  addInfoOf,
  changesOf,
  type FormAct,
  failureOf,
  fieldOf,
  formFaults,
  formOf,
  type MailboxForm,
  needsCheck,
  placed,
  withFollowers,
} from './mailbox-form.ts';
import { MAILBOX_FORM_MESSAGES as messages } from './words.ts';

interface Parts {
  readonly act: FormAct;
  /** null: a new mailbox. */
  readonly stored: Mailbox | null;
  /** The form of a new mailbox. */
  readonly blank: MailboxForm;
  /** A change that needs no check was saved. */
  readonly onSaved: () => void;
}

/** A mailbox that was saved, and what a check of it has found; null: it needs none. */
export interface Outcome {
  readonly id: number;
  readonly name: string;
  readonly address: string;
  readonly checked: Checked | null;
  /** Whether the browser leaves for the provider of the mailbox. */
  readonly isLeaving: boolean;
}

/** Returns a refusal as an error with its field. */
const refusal = (error: unknown): unknown => (error instanceof ApiError ? new ApiError(placed(error.failure)) : error);

/** Returns what stores a mailbox and its password, and then checks the connection. */
function useConnection({ act, stored }: Pick<Parts, 'act' | 'stored'>, before: MailboxForm, password: string) {
  const { keyOf } = useOnceKey();
  const [isChecking, setChecking] = useState(false);
  /** The last check; undefined: none in this dialog. */
  const [checked, setChecked] = useState<Checked>();
  /** The new mailbox once it is stored: the next save changes it. */
  const added = useRef<(Named & { readonly form: MailboxForm }) | null>(null);

  /** Stores the form. @returns the mailbox, and whether its connection is to be checked */
  async function store(form: MailboxForm): Promise<Named & { readonly isOpen: boolean }> {
    if (stored === null && added.current === null) {
      const info = addInfoOf(form);
      added.current = { ...unwrap(await postMailbox(info, keyOf(info))), form };
    }
    const { id, version, form: base } = added.current ?? { ...(stored as Mailbox), form: before };
    const info = changesOf(form, base, password, act);
    if (Object.keys(info).length === 0) return { id, version, isOpen: act !== 'edit' };
    const answer = unwrap(await putMailbox({ id, version }, { update_info: info }));
    if (added.current !== null) added.current = { ...answer, form };
    return { ...answer, isOpen: act !== 'edit' || needsCheck(info) };
  }

  async function check(id: number): Promise<Checked> {
    setChecked(undefined);
    setChecking(true);
    try {
      const answer = unwrap(await checkMailbox(id));
      setChecked(answer);
      if (added.current !== null) added.current = { ...added.current, version: answer.version };
      const failure = failureOf(answer);
      if (failure !== null) throw new ApiError(failure);
      return answer;
    } finally {
      setChecking(false);
    }
  }

  return {
    isChecking,
    checked,
    async connect(form: MailboxForm): Promise<Outcome> {
      const { name, address } = form;
      const { id, isOpen } = await store(form);
      const saved = { id, name, address, isLeaving: isOpen && form.kind !== 'smtp' };
      if (saved.isLeaving) {
        const failure = await beginConsent(id);
        if (failure !== null) throw new ApiError(failure);
        return { ...saved, checked: null };
      }
      return { ...saved, checked: isOpen ? await check(id) : null };
    },
  };
}

/** Returns the edited mailbox. What a check of its connection refuses is a fault of its field. */
export function useMailboxForm({ act, stored, blank, onSaved }: Parts) {
  const client = useQueryClient();
  const [password, setPassword] = useState('');
  const [outcome, setOutcome] = useState<Outcome>();
  const base = useMemo(
    () =>
      stored === null ? { version: null, form: blank } : { version: String(stored.version), form: formOf(stored) },
    [stored, blank],
  );
  const { connect, isChecking, checked } = useConnection({ act, stored }, base.form, password);
  const edited: EditedForm<MailboxForm> = useDraftForm({
    name: stored === null ? 'mailbox.new' : `mailbox.${stored.id}`,
    stored: base,
    check: (form) => formFaults(form, base.form, password, act),
    send: async (form: MailboxForm): Promise<Outcome> => {
      try {
        return await connect(form);
      } catch (error) {
        throw refusal(error);
      } finally {
        await reloadMailboxes(client);
      }
    },
    onSaved: (answer) => {
      edited.discard();
      setPassword('');
      if (answer.checked !== null) return setOutcome(answer);
      // The provider's page follows.
      if (!answer.isLeaving) toast('success', messages.saved(answer.name.trim()));
      onSaved();
    },
    isConflict: (error) => hasCode(error, 'mailbox_changed'),
    reload: () => reloadMailboxes(client),
    fieldOf,
    // An error without a field is shown above the form.
    showsItself: () => true,
  });
  return {
    ...edited,
    // What stands at a field needs no second sentence.
    problem: Object.keys(edited.faults).length > 0 ? undefined : edited.problem,
    change: (change: Partial<MailboxForm>) => edited.change(withFollowers(edited.form, change)),
    password,
    setPassword(value: string): void {
      setPassword(value);
      if ('password' in edited.faults) edited.forgetProblem();
    },
    isChecking,
    checked,
    outcome,
  };
}

export type EditedMailbox = ReturnType<typeof useMailboxForm>;
