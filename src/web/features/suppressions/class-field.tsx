import { SelectField } from '#web/components/field/select-field.tsx';
import type { GivenClass } from './add-suppressions.ts';
import { SUPPRESSION_ADD_MESSAGES as messages, SUPPRESSION_MESSAGES } from './words.ts';

/** The classes that a user can choose; those from a mail server's reply cannot be entered. */
const GIVEN: readonly GivenClass[] = ['blocked', 'refused'];
const CHOICES = GIVEN.map((value) => ({ value, label: SUPPRESSION_MESSAGES.classes[value] }));

interface Props {
  readonly value: GivenClass;
  readonly onChange: (value: GivenClass) => void;
}

export function ClassField({ value, onChange }: Props) {
  return (
    <SelectField
      label={messages.class}
      help={messages.classHelp}
      choices={CHOICES}
      value={value}
      onChange={(chosen) => onChange(chosen as GivenClass)}
    />
  );
}
