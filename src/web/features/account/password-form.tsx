import { useMutation } from '@tanstack/react-query';
import { type SubmitEvent, useState } from 'react';
import { MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from '#domain/limits.ts';
import { Button } from '#web/components/button.tsx';
import { PasswordField } from '#web/components/field/password-field.tsx';
import { call } from '#web/lib/api/call.ts';
import { faultsOf as serverFaults } from '#web/lib/api/faults-of.ts';
import { ApiError, type MutationMeta, unwrap } from '#web/lib/api/query-client.ts';
import { toast } from '#web/lib/screen/toast.ts';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import styles from './account.module.css';
import type { Account } from './account-query.ts';
import { ACCOUNT_MESSAGES } from './words.ts';

/** The three fields, under their names in the call. */
interface Passwords {
  readonly current_password: string;
  readonly new_password: string;
  readonly new_password_confirmation: string;
}

/** Whether a field shows an error, so that no toast repeats it. */
const isAtField = (error: Error): boolean => Object.keys(EMPTY).some((name) => fieldFault(error, name) !== undefined);

/** Changes the password, which ends all other sessions of the account. */
function useChangePassword(accountId: number) {
  return useMutation({
    mutationFn: async (body: Passwords) => {
      const params = { account_id: String(accountId) };
      return unwrap(await call('changePassword', { params, body }));
    },
    meta: { showsItself: isAtField } satisfies MutationMeta,
    onSuccess: () => toast('success', `${ACCOUNT_MESSAGES.passwordUpdated}\n${ACCOUNT_MESSAGES.othersLoggedOut}`),
  });
}

type Faults = Partial<Record<keyof Passwords, string>>;

const EMPTY: Passwords = { current_password: '', new_password: '', new_password_confirmation: '' };

/** Returns the errors that need no request. */
function faultsOf(passwords: Passwords): Faults {
  const { current_password, new_password, new_password_confirmation } = passwords;
  const tooLong = Object.entries(passwords).filter(([, password]) => password.length > MAX_PASSWORD_LENGTH);
  if (tooLong.length > 0) {
    const fault = COMMON_MESSAGES.password.tooLong(MAX_PASSWORD_LENGTH);
    return Object.fromEntries(tooLong.map(([name]) => [name, fault]));
  }
  if (new_password === current_password) return { new_password: ACCOUNT_MESSAGES.samePassword };
  if (new_password !== new_password_confirmation) return { new_password_confirmation: COMMON_MESSAGES.password.differ };
  return {};
}

/** Returns the server's message about a field, if it has one. */
const fieldFault = (error: Error | null, name: string): string | undefined =>
  error instanceof ApiError ? serverFaults(error.failure)[name] : undefined;

function focusField(form: HTMLFormElement, name: string | undefined): void {
  const field = name === undefined ? null : form.elements.namedItem(name);
  if (field instanceof HTMLElement) field.focus();
}

const focusFaultyField = (form: HTMLFormElement, reason: Error): void =>
  focusField(
    form,
    Object.keys(EMPTY).find((name) => fieldFault(reason, name) !== undefined),
  );

interface Props {
  readonly account: Account;
  readonly onChanged: () => void;
}

/** Changes the password. The typed passwords are stored nowhere, so they disappear with the form. */
export function PasswordForm({ account, onChanged }: Props) {
  const [passwords, setPasswords] = useState(EMPTY);
  const [faults, setFaults] = useState<Faults>({});
  const { mutate, isPending, error, reset } = useChangePassword(account.id);
  const filled = Object.values(passwords).every((password) => password !== '');

  function submit(event: SubmitEvent<HTMLFormElement>): void {
    event.preventDefault();
    if (isPending) return;
    const form = event.currentTarget;
    const found = faultsOf(passwords);
    setFaults(found);
    const [fault] = Object.entries(found);
    if (fault === undefined) {
      mutate(passwords, { onSuccess: onChanged, onError: (reason) => focusFaultyField(form, reason) });
      return;
    }
    focusField(form, fault[0]);
  }

  const field = (name: keyof Passwords) => ({
    name,
    value: passwords[name],
    error: faults[name] ?? fieldFault(error, name),
    readOnly: isPending,
    onChange: (password: string) => {
      setPasswords({ ...passwords, [name]: password });
      setFaults({});
      if (error !== null) reset();
    },
  });

  return (
    <form className={`stack ${styles.form}`} onSubmit={submit} noValidate>
      {/* Tells password managers which account this is. */}
      <input type="text" autoComplete="username" value={account.email} readOnly hidden />
      <PasswordField
        {...field('current_password')}
        label={ACCOUNT_MESSAGES.currentPassword}
        autoComplete="current-password"
        autoFocus
      />
      <PasswordField
        {...field('new_password')}
        label={COMMON_MESSAGES.password.new}
        help={COMMON_MESSAGES.password.newHelp(MIN_PASSWORD_LENGTH, MAX_PASSWORD_LENGTH)}
        autoComplete="new-password"
      />
      <PasswordField
        {...field('new_password_confirmation')}
        label={COMMON_MESSAGES.password.newAgain}
        autoComplete="new-password"
      />
      <p className="note">{ACCOUNT_MESSAGES.passwordHelp}</p>
      <div className="acts">
        <Button type="submit" variant="primary" busy={isPending} disabled={!filled}>
          {COMMON_MESSAGES.actions.save}
        </Button>
      </div>
    </form>
  );
}
