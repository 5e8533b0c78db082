import { MAX_NAME_LENGTH } from '#domain/limits.ts';
import { SelectField } from '#web/components/field/select-field.tsx';
import { TextField } from '#web/components/field/text-field.tsx';
import type { ApiFailure } from '#web/lib/api/call.ts';
import { FILTER_MESSAGES } from '../filter/words.ts';
import { CONDITION_MESSAGES } from './words.ts';

const { name: label, owner, mine } = CONDITION_MESSAGES;

/** The users of a condition. The value is the protocol's flag. */
const OWNERS = [
  { value: '0', label: mine },
  { value: '1', label: FILTER_MESSAGES.saved.everybody },
];

interface Props {
  readonly name: string;
  readonly fault: string | undefined;
  /** '0' or '1'. */
  readonly isShared: string;
  readonly onName: (name: string) => void;
  readonly onShared: (isShared: string) => void;
}

/** Shows the fields for a saved condition's name and its users. */
export function NameFields({ name, fault, isShared, onName, onShared }: Props) {
  return (
    <>
      <TextField
        label={label}
        error={fault}
        maxLength={MAX_NAME_LENGTH}
        value={name}
        data-autofocus
        onChange={onName}
      />
      <SelectField label={owner} choices={OWNERS} value={isShared} onChange={onShared} />
    </>
  );
}

/** Returns the server's message about the name, or else that of the whole refusal. */
export const nameFault = ({ details = [], message }: ApiFailure): string =>
  details.find(({ path }) => path.endsWith('.name'))?.message ?? message;
