import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { PageFrame } from '#web/components/page-frame.tsx';
import { EmptyState } from '#web/components/state/empty-state.tsx';
import { NotLoaded } from '#web/components/state/not-loaded.tsx';
import { companyLogIn } from '#web/features/company-log-in/registration-query.ts';
import { NetworksRule } from '#web/features/login-rules/networks-rule.tsx';
import { TwoFactorRule } from '#web/features/login-rules/two-factor-rule.tsx';
import { LOGIN_RULE_MESSAGES as messages } from '#web/features/login-rules/words.ts';
import { memberList } from '#web/features/members/members-query.ts';
import { accountRule } from '#web/lib/data/account-rule.ts';
import { loadPart } from '#web/lib/screen/load-part.ts';
import { useMay } from '#web/lib/session/use-may.ts';
import { SettingsLayout } from '../../settings/settings-layout.tsx';

/** Below the first sight. */
const RegistrationPanel = lazy(async () => {
  const part = await loadPart(() => import('#web/features/company-log-in/registration-panel.tsx'));
  return { default: part.RegistrationPanel };
});

/** Shows how the account's members log in. */
export function Component() {
  return (
    <PageFrame title={messages.title} help={messages.help} guide="team">
      <SettingsLayout>
        {useMay('updateAccountRule') ? (
          <LoginRules />
        ) : (
          <EmptyState kind="not-allowed" title={messages.notAllowed} help={messages.notAllowedHelp} />
        )}
      </SettingsLayout>
    </PageFrame>
  );
}

function LoginRules() {
  const rule = useQuery(accountRule);
  const members = useQuery(memberList);
  const company = useQuery(companyLogIn);
  const asked = [rule, members, company];
  if (rule.data === undefined || company.data === undefined || members.isLoading) {
    return (
      <NotLoaded
        what={messages.title}
        error={asked.find(({ error }) => error)?.error ?? null}
        onRetry={() => void Promise.all(asked.map(({ refetch }) => refetch()))}
      />
    );
  }
  const missing = members.data?.filter(({ active, two_factor }) => active === 1 && two_factor === 0).length;
  return (
    <div className="stack-wide">
      <TwoFactorRule rule={rule.data} missing={missing} />
      <NetworksRule rule={rule.data} />
      <Suspense>
        <RegistrationPanel current={company.data} rule={rule.data} />
      </Suspense>
    </div>
  );
}
