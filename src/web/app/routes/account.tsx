import { useQuery } from '@tanstack/react-query';
import { LoadFailed } from '#web/components/load-failed.tsx';
import { accountQuery } from '#web/features/account/account-query.ts';
import { ProfileSection } from '#web/features/account/profile-section.tsx';
import { SecuritySection } from '#web/features/account/security-section.tsx';
import { ACCOUNT_MESSAGES } from '#web/features/account/words.ts';
import { type CurrentUser, useSession } from '#web/lib/session-store.ts';
import { PRODUCT_NAME } from '#web/lib/words.ts';
import styles from './account.module.css';

export function Component() {
  const user = useSession((state) => state.current_user);
  return (
    <div className={styles.page}>
      <title>{`${ACCOUNT_MESSAGES.title} | ${PRODUCT_NAME}`}</title>
      <h1 className={styles.title}>{ACCOUNT_MESSAGES.title}</h1>
      {user === null ? null : <Sections user={user} />}
    </div>
  );
}

function Sections({ user }: { readonly user: CurrentUser }) {
  const { data: account, refetch } = useQuery(accountQuery(user));
  if (account === undefined) return <LoadFailed onRetry={() => void refetch()} />;
  return (
    <>
      <ProfileSection account={account} />
      <SecuritySection account={account} />
    </>
  );
}
