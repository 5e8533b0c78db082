import { type SubmitEvent, useRef, useState } from 'react';
import { Dialog } from '#web/components/dialog/dialog.tsx';
import { Field } from '#web/components/field/field.tsx';
import { TextField } from '#web/components/field/text-field.tsx';
import type { ApiFailure } from '#web/lib/api/call.ts';
import { type Faults, faultsOf } from '#web/lib/api/faults-of.ts';
import { useOnceKey } from '#web/lib/api/use-once-key.ts';
import { useFaultFocus } from '#web/lib/form/focus-fault.ts';
import { setDraft, useSession } from '#web/lib/session/session-store.ts';
import { AddButtons } from './add-buttons.tsx';
import { type GivenClass, postSuppressions } from './add-suppressions.ts';
import { ClassField } from './class-field.tsx';
import { Effects } from './effects.tsx';
import styles from './suppressions.module.css';
import { useAdd } from './use-add.ts';
import { SUPPRESSION_ADD_MESSAGES as messages } from './words.ts';

const DRAFT = 'suppressions.values';

interface Props {
  /** The initial address; undefined: the draft, or nothing. */
  readonly address?: string;
  readonly onClose: () => void;
}

/** Adds addresses and domains, one a line. It first counts what they change. */
export default function AddDialog({ address, onClose }: Props) {
  const form = useRef<HTMLFormElement>(null);
  const focusFaults = useFaultFocus(form);
  const { keyOf } = useOnceKey();
  const [text, setText] = useValues(address);
  const [type, setType] = useState<GivenClass>('blocked');
  const [note, setNote] = useState('');
  const [faults, setFaults] = useState<Faults>({});
  const lines = linesOf(text);
  const info = {
    values: lines.map(({ value }) => value),
    class: type,
    ...(note.trim() !== '' && { note: note.trim() }),
  };
  const add = useAdd({
    send: (isTrial) => postSuppressions(info, isTrial, keyOf(info)),
    onProblem: (failure) => show(faultsAt(failure, lines)),
    onStored: () => {
      setDraft(DRAFT, null);
      onClose();
    },
  });

  /** @returns whether there are errors */
  function show(found: Faults): boolean {
    setFaults(found);
    focusFaults();
    return Object.keys(found).length > 0;
  }

  function changed(): void {
    setFaults({});
    add.forget();
  }

  function submit(event: SubmitEvent): void {
    event.preventDefault();
    if (lines.length === 0) show({ values: messages.none });
    else void add.submit();
  }

  return (
    <Dialog title={messages.addTitle} size={560} onClose={() => !add.busy && onClose()}>
      <form ref={form} className={`stack ${styles.fields}`} onSubmit={submit} noValidate>
        <ValuesField
          text={text}
          rows={address === undefined ? 6 : 1}
          fault={faults.values}
          onType={(typed) => {
            setText(typed);
            changed();
          }}
        />
        <ClassField
          value={type}
          onChange={(chosen) => {
            setType(chosen);
            changed();
          }}
        />
        <TextField
          label={messages.note}
          help={messages.noteHelp}
          error={faults.note}
          maxLength={200}
          value={note}
          onChange={(typed) => {
            setNote(typed);
            changed();
          }}
        />
        {add.counted === null ? null : <Effects counted={add.counted} />}
        <AddButtons added={add.counted?.added ?? null} busy={add.busy} onClose={onClose} />
      </form>
    </Dialog>
  );
}

interface ValuesProps {
  readonly text: string;
  /** How many lines are in sight without more text. */
  readonly rows: number;
  readonly fault: string | undefined;
  readonly onType: (text: string) => void;
}

function ValuesField({ text, rows, fault, onType }: ValuesProps) {
  return (
    <Field label={messages.values} help={messages.valuesHelp} error={fault}>
      {({ className, ...control }) => (
        <textarea
          {...control}
          className={`${className} ${rows === 1 ? styles.grows : ''}`}
          rows={rows}
          spellCheck={false}
          data-autofocus
          value={text}
          onChange={(event) => onType(event.target.value)}
        />
      )}
    </Field>
  );
}

/** Manages the typed values as a draft of the session, unless the dialog opens with an address. */
function useValues(address: string | undefined): [text: string, setText: (text: string) => void] {
  const [own, setOwn] = useState(address ?? '');
  const draft = useSession(({ drafts }) => drafts[DRAFT]) ?? '';
  if (address !== undefined) return [own, setOwn];
  return [draft, (text) => setDraft(DRAFT, text === '' ? null : text)];
}

interface Line {
  /** Counted from 1. */
  readonly line: number;
  readonly value: string;
}

const linesOf = (text: string): Line[] =>
  text
    .split('\n')
    .map((value, index) => ({ line: index + 1, value: value.trim().toWellFormed() }))
    .filter(({ value }) => value !== '');

/** Returns the first error by typed line, and those of other fields. */
function faultsAt(failure: ApiFailure, lines: readonly Line[]): Faults {
  const found = faultsOf(failure);
  const first = Object.entries(found).find(([field]) => field.startsWith('values'));
  if (first === undefined) return found;
  const [field, message] = first;
  const line = lines[Number(/^values\.(\d+)/.exec(field)?.[1])];
  return { ...found, values: line === undefined ? message : messages.line(line.line, message) };
}
