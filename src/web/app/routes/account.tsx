import { useQuery } from '@tanstack/react-query';
import { lazy } from 'react';
import { PageFrame } from '#web/components/page-frame.tsx';
import { LoadFailed } from '#web/components/state/load-failed.tsx';
import { PartBoundary } from '#web/components/state/part-boundary.tsx';
import { accountQuery } from '#web/features/account/account-query.ts';
import { DisplaySection } from '#web/features/account/display-section.tsx';
import { ProfileSection } from '#web/features/account/profile-section.tsx';
import { SecuritySection } from '#web/features/account/security-section.tsx';
import { ACCOUNT_MESSAGES } from '#web/features/account/words.ts';
import { ShowFirstSteps } from '#web/features/first-steps/show-first-steps.tsx';
import { loadPart } from '#web/lib/screen/load-part.ts';
import { type CurrentUser, useSession } from '#web/lib/session/session-store.ts';

const SessionsSection = lazy(() => loadPart(() => import('#web/features/account/sessions/sessions-section.tsx')));

export function Component() {
  const user = useSession((state) => state.current_user);
  return (
    <PageFrame title={ACCOUNT_MESSAGES.title} guide="account" isNarrow>
      {user === null ? null : <Sections user={user} />}
    </PageFrame>
  );
}

function Sections({ user }: { readonly user: CurrentUser }) {
  const { data: account, error, refetch } = useQuery(accountQuery(user));
  if (account === undefined)
    return <LoadFailed what={ACCOUNT_MESSAGES.title} error={error} onRetry={() => void refetch()} />;
  return (
    <>
      <ProfileSection account={account} />
      <SecuritySection account={account} />
      <DisplaySection>
        <ShowFirstSteps />
      </DisplaySection>
      {/* Last: its length is known late. */}
      <PartBoundary>
        <SessionsSection />
      </PartBoundary>
    </>
  );
}
