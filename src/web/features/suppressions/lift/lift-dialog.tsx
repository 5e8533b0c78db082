import { useQueryClient } from '@tanstack/react-query';
import { type SubmitEvent, useRef, useState } from 'react';
import { dayOf } from '#domain/time/tokyo-time.ts';
import { Button } from '#web/components/button.tsx';
import { Dialog } from '#web/components/dialog/dialog.tsx';
import dialog from '#web/components/dialog/dialog-body.module.css';
import { CancelButton, DialogFoot } from '#web/components/dialog/dialog-foot.tsx';
import { SelectField } from '#web/components/field/select-field.tsx';
import { TextField } from '#web/components/field/text-field.tsx';
import { type Faults, faultsOf } from '#web/lib/api/faults-of.ts';
import { useFaultFocus } from '#web/lib/form/focus-fault.ts';
import { toast } from '#web/lib/screen/toast.ts';
import { shownValue } from '../suppression-columns.tsx';
import { type LiftInfo, putLift, reloadSuppressions, type Suppression } from '../suppression-query.ts';
import styles from '../suppressions.module.css';
import { SUPPRESSION_LIFT_MESSAGES as messages } from './words.ts';

type LiftValues = Readonly<Record<'reason' | 'consented_on' | 'note', string>>;

interface Props {
  readonly row: Pick<Suppression, 'id' | 'kind' | 'class' | 'value'>;
  readonly onClose: () => void;
}

/** Asks before a suppression is lifted. Lifting an opt-out needs a reason from the list. */
export function LiftDialog({ row, onClose }: Props) {
  const client = useQueryClient();
  const form = useRef<HTMLFormElement>(null);
  const focusFaults = useFaultFocus(form);
  const [values, setValues] = useState<LiftValues>({ reason: '', consented_on: '', note: '' });
  const [faults, setFaults] = useState<Faults>({});
  const [busy, setBusy] = useState(false);
  const isRefused = row.class === 'refused';
  const name = shownValue(row);
  const words = row.class === 'undeliverable' ? messages.dead : messages;

  function change(part: Partial<LiftValues>): void {
    setValues({ ...values, ...part });
    setFaults({});
  }

  function show(found: Faults): void {
    setFaults(found);
    focusFaults();
  }

  async function lift(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    if (isRefused && values.reason === '') return show({ reason: messages.reasonMissing });
    setBusy(true);
    const answer = await putLift(row.id, infoOf(values));
    setBusy(false);
    if (!answer.ok) {
      const found = faultsOf(answer);
      if (Object.keys(found).length > 0) show(found);
      else toast('warning', answer.message);
      return;
    }
    onClose();
    toast('success', words.done(name));
    reloadSuppressions(client);
  }

  return (
    <Dialog title={words.title} onClose={() => !busy && onClose()}>
      <form ref={form} onSubmit={(event) => void lift(event)} noValidate>
        <p className={dialog.question}>{words.question(name)}</p>
        <p className={dialog.consequence}>{isRefused ? messages.refusedHelp : messages.consequence}</p>
        <div className={`stack ${styles.fields}`}>
          {isRefused ? <ConsentFields values={values} faults={faults} onChange={change} /> : null}
          <TextField
            label={messages.note}
            maxLength={200}
            error={faults.note}
            value={values.note}
            onChange={(note) => change({ note })}
          />
        </div>
        {isRefused ? <p className={dialog.consequence}>{messages.consequence}</p> : null}
        <DialogFoot
          stay={<CancelButton busy={busy} onClick={onClose} data-autofocus />}
          act={
            <Button type="submit" variant="primary" busy={busy}>
              {isRefused ? messages.liftRefused : words.lift}
            </Button>
          }
        />
      </form>
    </Dialog>
  );
}

/** Returns the request body. Blank fields are omitted, and so is the date of a consent for any other reason. */
function infoOf({ reason, consented_on, note }: LiftValues): LiftInfo {
  return {
    lifted: 1,
    ...(isReason(reason) && { reason }),
    ...(reason === 'asked_again' && consented_on !== '' && { consented_on }),
    ...(note.trim() !== '' && { note: note.trim() }),
  };
}

const isReason = (text: string): text is keyof typeof messages.reasons => Object.hasOwn(messages.reasons, text);

const REASONS = [
  { value: '', label: messages.choose },
  ...Object.entries(messages.reasons).map(([value, label]) => ({ value, label })),
];

interface ConsentFieldsProps {
  readonly values: LiftValues;
  readonly faults: Faults;
  readonly onChange: (part: Partial<LiftValues>) => void;
}

/** Shows the fields for the reason why an opt-out may be lifted. */
function ConsentFields({ values, faults, onChange }: ConsentFieldsProps) {
  const [today] = useState(() => dayOf(Date.now()));
  return (
    <>
      <SelectField
        label={messages.reason}
        choices={REASONS}
        error={faults.reason}
        value={values.reason}
        onChange={(reason) => onChange({ reason })}
      />
      {values.reason === 'asked_again' ? (
        <TextField
          type="date"
          label={messages.consentedOn}
          max={today}
          error={faults.consented_on}
          value={values.consented_on}
          onChange={(consented_on) => onChange({ consented_on })}
        />
      ) : null}
    </>
  );
}
