import { QueryClientProvider, useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { PageFrame } from '#web/components/page-frame.tsx';
import { LoadFailed } from '#web/components/state/load-failed.tsx';
import { Notice } from '#web/components/state/notice.tsx';
import { accountQuery } from '#web/features/account/account-query.ts';
import { SECOND_STEP_MESSAGES } from '#web/features/account/second-step/words.ts';
import { SecuritySection } from '#web/features/account/security-section.tsx';
import { call } from '#web/lib/api/call.ts';
import { queryClient } from '#web/lib/api/query-client.ts';
import { forgetRefusals } from '#web/lib/api/refusals.ts';
import { isDialogOpen } from '#web/lib/screen/keys.ts';
import { type CurrentUser, useSession } from '#web/lib/session/session-store.ts';
import { INSTEAD_MESSAGES } from './words.ts';

/** Shown in place of every screen, until the member has the second step that the account asks for. */
const SecondStepFirst = () => {
  const user = useSession((state) => state.current_user);
  return (
    <QueryClientProvider client={queryClient}>
      <PageFrame title={SECOND_STEP_MESSAGES.title} guide="account" isNarrow>
        {user === null ? null : <SetUp user={user} />}
      </PageFrame>
    </QueryClientProvider>
  );
};

export default SecondStepFirst;

/** Shows the screens again, as they were: their address and drafts have stayed, refused answers are asked for anew. */
function goOn(): void {
  queryClient.clear();
  forgetRefusals();
}

/** Goes on if the member has set up the second step in another tab, or an admin asks for it no more. */
async function look(id: number): Promise<void> {
  const account = await call('getAccount', { params: { id: String(id) } });
  if (!account.ok) return;
  const { two_factor, two_factor_required } = account.data.member;
  // A dialog may show recovery codes that are not stored yet.
  if ((two_factor === 1 || two_factor_required === 0) && !isDialogOpen()) goOn();
}

function SetUp({ user }: { readonly user: CurrentUser }) {
  const { data: account, error, refetch } = useQuery({ ...accountQuery(user), staleTime: 0 });
  const { id } = user;
  useEffect(() => {
    const lookAgain = () => {
      if (document.visibilityState === 'visible') void look(id);
    };
    lookAgain();
    document.addEventListener('visibilitychange', lookAgain);
    return () => document.removeEventListener('visibilitychange', lookAgain);
  }, [id]);
  return (
    <>
      <Notice tone="warning" role="alert">
        {INSTEAD_MESSAGES.secondStepHelp}
      </Notice>
      {account === undefined ? (
        <LoadFailed what={SECOND_STEP_MESSAGES.title} error={error} onRetry={() => void refetch()} />
      ) : (
        <SecuritySection account={account} onSecondStep={() => void look(id)} />
      )}
    </>
  );
}
