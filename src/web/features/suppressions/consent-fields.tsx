import { useState } from 'react';
import { dayOf } from '#domain/time/tokyo-time.ts';
import { SelectField } from '#web/components/select-field.tsx';
import { TextField } from '#web/components/text-field.tsx';
import type { Faults } from '#web/lib/faults-of.ts';
import { SUPPRESSION_LIFT_MESSAGES as messages } from './words.ts';

const REASONS = [
  { value: '', label: messages.choose },
  ...Object.entries(messages.reasons).map(([value, label]) => ({ value, label })),
];

export type LiftValues = Readonly<Record<'reason' | 'consented_on' | 'note', string>>;

interface Props {
  readonly values: LiftValues;
  readonly faults: Faults;
  readonly onChange: (part: Partial<LiftValues>) => void;
}

/** Why what its owner has refused may be lifted. */
export function ConsentFields({ values, faults, onChange }: Props) {
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
