import { type SubmitEvent, useEffect, useRef, useState } from 'react';
import type { ApiFailure } from '../api/call.ts';
import { toast } from '../screen/toast.ts';
import { focusFault } from './focus-fault.ts';

type Faults<Name extends string> = Partial<Record<Name, string>>;

interface Parts<Name extends string> {
  readonly empty: Readonly<Record<Name, string>>;
  /** Returns the errors that need no request. */
  readonly check: (values: Readonly<Record<Name, string>>) => Faults<Name>;
  /** Sends the values. @returns null on success. A failure with details is shown at its fields, others as a toast */
  readonly send: (values: Readonly<Record<Name, string>>) => Promise<ApiFailure | null>;
}

/** Manages a short form of texts. An error keeps all input, and focuses its field. */
export function useForm<Name extends string>({ empty, check, send }: Parts<Name>) {
  const [values, setValues] = useState(empty);
  const [faults, setFaults] = useState<Faults<Name>>({});
  const [busy, setBusy] = useState(false);
  const form = useRef<HTMLFormElement>(null);

  useEffect(() => {
    if (Object.keys(faults).length > 0) focusFault(form.current);
  }, [faults]);

  async function submit(event: SubmitEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault();
    if (busy) return;
    const found = check(values);
    setFaults(found);
    if (Object.keys(found).length > 0) return;
    setBusy(true);
    const failure = await send(values);
    setBusy(false);
    if (failure === null) return;
    const refused = (failure.details ?? []).filter(({ path }) => path in empty);
    if (refused.length === 0) toast('warning', failure.message);
    else setFaults(Object.fromEntries(refused.map(({ path, message }) => [path, message])) as Faults<Name>);
  }

  const field = (name: Name) => ({
    name,
    value: values[name],
    error: faults[name],
    readOnly: busy,
    onChange: (value: string) => {
      setValues({ ...values, [name]: value });
      setFaults({});
    },
  });
  return {
    values,
    busy,
    field,
    form: { ref: form, onSubmit: (event: SubmitEvent<HTMLFormElement>) => void submit(event) },
  };
}
