import { toast } from '#web/lib/toast.ts';
import styles from './account.module.css';
import type { Account } from './account-query.ts';
import { PendingEmail } from './pending-email.tsx';
import { ProfileField } from './profile-field.tsx';
import { lacksSender, useSendConfirmation } from './send-confirmation.ts';
import { ACCOUNT_MESSAGES } from './words.ts';

export function ProfileSection({ account }: { readonly account: Account }) {
  const confirmation = useSendConfirmation(account.id);
  const { email_before_confirmation: pending } = account;
  const toastSaved = (label: string) => toast('success', ACCOUNT_MESSAGES.saved(label));
  return (
    <section className={styles.section} aria-labelledby="profile-title">
      <h2 id="profile-title">{ACCOUNT_MESSAGES.profile}</h2>
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
        value={account.company}
        version={account.version}
        autoComplete="organization"
        onSaved={() => toastSaved(ACCOUNT_MESSAGES.company)}
      />
    </section>
  );
}
