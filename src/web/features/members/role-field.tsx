import type { Role } from '#domain/account/role.ts';
import { SelectField } from '#web/components/field/select-field.tsx';
import { ROLE_CHOICES } from './members-query.ts';
import { MEMBER_MESSAGES as messages } from './words.ts';

interface Props {
  readonly value: Role;
  readonly error?: string | undefined;
  readonly onChange: (role: Role) => void;
  /** Gets the first focus of its dialog. */
  readonly isFirst?: boolean;
}

/** Asks for a role, and says what it may do. */
export const RoleField = ({ value, error, onChange, isFirst }: Props) => (
  <SelectField
    label={messages.role}
    help={messages.roleHelp[value]}
    choices={ROLE_CHOICES}
    value={value}
    error={error}
    data-autofocus={isFirst || undefined}
    onChange={(role) => onChange(role as Role)}
  />
);
