import { useMutation } from '@tanstack/react-query';
import { Button } from '#web/components/button.tsx';
import { Panel } from '#web/components/panel.tsx';
import { call } from '#web/lib/api/call.ts';
import { hasCode, type MutationMeta, unwrap } from '#web/lib/api/query-client.ts';
import { toast } from '#web/lib/screen/toast.ts';
import { useMay } from '#web/lib/session/use-may.ts';
import styles from './account.module.css';
import type { Account } from './account-query.ts';
import { ProfileField } from './profile-field.tsx';
import { ACCOUNT_MESSAGES } from './words.ts';

export function ProfileSection({ account }: { readonly account: Account }) {
  const confirmation = useSendConfirmation(account.id);
  const { email_before_confirmation: pending } = account;
  const toastSaved = (label: string) => toast('success', ACCOUNT_MESSAGES.saved(label));
  return (
    <Panel title={ACCOUNT_MESSAGES.profile}>
      <ProfileField
        accountId={account.id}
        item="email_before_confirmation"
        label={ACCOUNT_MESSAGES.email}
        value={account.email}
        help={ACCOUNT_MESSAGES.emailHelp}
        type="email"
        autoComplete="email"
        onSaved={(address) => confirmation.mutate(address)}
      >
        {pending === null ? null : (
          <PendingEmail
            address={pending}
            busy={confirmation.isPending}
            lacksSender={lacksSender(confirmation.error)}
            onSendAgain={() => confirmation.mutate(pending)}
          />
        )}
      </ProfileField>
      <ProfileField
        accountId={account.id}
        item="name"
        label={ACCOUNT_MESSAGES.name}
        value={account.name}
        autoComplete="name"
        onSaved={() => toastSaved(ACCOUNT_MESSAGES.name)}
      />
      <ProfileField
        accountId={account.id}
        item="company"
        label={ACCOUNT_MESSAGES.company}
        may={useMay('updateAccount', { field: 'update_info.company' })}
        value={account.company}
        version={account.version}
        autoComplete="organization"
        onSaved={() => toastSaved(ACCOUNT_MESSAGES.company)}
      />
    </Panel>
  );
}

/** Whether the server's settings lack a sender for its own mails. The screen then names the missing setting. */
const lacksSender = (error: Error | null): boolean => hasCode(error, 'no_system_sender');

/** Sends the confirmation mail to the pending address: first a ticket for one mail, then the mail. */
function useSendConfirmation(accountId: number) {
  return useMutation({
    mutationFn: async (email_before_confirmation: string) => {
      const params = { id: String(accountId) };
      const { confirmation_token } = unwrap(await call('issueTicket', { params }));
      const body = { email_before_confirmation, confirmation_token };
      return unwrap(await call('sendConfirmation', { params, body }));
    },
    meta: { showsItself: lacksSender } satisfies MutationMeta,
    onSuccess: () => toast('success', ACCOUNT_MESSAGES.mailSent),
  });
}

interface Props {
  readonly address: string;
  /** A mail is being sent. */
  readonly busy: boolean;
  /** The server has no sender for its own mails. */
  readonly lacksSender: boolean;
  readonly onSendAgain: () => void;
}

/** Shows an unconfirmed new address, with buttons to confirm or withdraw it. */
function PendingEmail({ address, busy, lacksSender, onSendAgain }: Props) {
  return (
    <div className={`tint ${styles.pending}`} role="note">
      <p>
        <strong>{ACCOUNT_MESSAGES.pending(address)}</strong>
      </p>
      {lacksSender ? null : <p>{ACCOUNT_MESSAGES.pendingHelp}</p>}
      <div role="alert">
        {lacksSender ? (
          <details className={styles.setting}>
            <summary>{ACCOUNT_MESSAGES.notSent}</summary>
            <p>{ACCOUNT_MESSAGES.notSentHelp}</p>
          </details>
        ) : null}
      </div>
      <Button busy={busy} onClick={onSendAgain}>
        {ACCOUNT_MESSAGES.sendAgain}
      </Button>
      {lacksSender ? null : (
        <details>
          <summary>{ACCOUNT_MESSAGES.late}</summary>
          <p>{ACCOUNT_MESSAGES.lateHelp}</p>
        </details>
      )}
    </div>
  );
}
