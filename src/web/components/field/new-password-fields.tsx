import { MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from '#domain/limits.ts';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import { PasswordField } from './password-field.tsx';

/** The two fields, under their names in the calls. */
export interface NewPassword {
  readonly new_password: string;
  readonly new_password_confirmation: string;
}

const messages = COMMON_MESSAGES.password;

/** Returns the errors of a password typed twice that need no request. */
export function newPasswordFaults({ new_password, new_password_confirmation }: NewPassword): Partial<NewPassword> {
  if (new_password === '') return { new_password: messages.missing };
  if (new_password.length > MAX_PASSWORD_LENGTH) return { new_password: messages.tooLong(MAX_PASSWORD_LENGTH) };
  if (new_password !== new_password_confirmation) return { new_password_confirmation: messages.differ };
  return {};
}

interface FieldState {
  readonly name: string;
  readonly value: string;
  readonly error: string | undefined;
  readonly readOnly: boolean;
  readonly onChange: (value: string) => void;
}

interface Props {
  readonly field: (name: keyof NewPassword) => FieldState;
  /** There is no old password to replace. */
  readonly isFirst?: boolean;
}

/** Shows the two fields of a new password. */
export function NewPasswordFields({ field, isFirst = false }: Props) {
  return (
    <>
      <PasswordField
        {...field('new_password')}
        label={isFirst ? messages.first : messages.new}
        help={messages.newHelp(MIN_PASSWORD_LENGTH, MAX_PASSWORD_LENGTH)}
        autoComplete="new-password"
      />
      <PasswordField
        {...field('new_password_confirmation')}
        label={isFirst ? messages.firstAgain : messages.newAgain}
        autoComplete="new-password"
      />
    </>
  );
}
