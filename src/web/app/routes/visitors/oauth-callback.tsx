import { lazy, Suspense, useEffect, useEffectEvent, useState } from 'react';
import { Button } from '#web/components/button.tsx';
import { ButtonLink } from '#web/components/inline/button-link.tsx';
import { enter } from '#web/features/auth/log-in.ts';
import { LOGIN_MESSAGES } from '#web/features/auth/words.ts';
import { keepKey, takeWay, type Way } from '#web/features/company-log-in/way.ts';
import { COMPANY_LOG_IN_MESSAGES as messages } from '#web/features/company-log-in/words.ts';
import { isConsentBack } from '#web/features/mailboxes/consent/consent-way.ts';
import { hasParameters, providerReturnIn } from '#web/lib/address/company-log-in.ts';
import { loginAt, PATHS, pathAfterLogin } from '#web/lib/address/paths.ts';
import { type ApiFailure, call, isUnreachable } from '#web/lib/api/call.ts';
import { Link } from '#web/lib/router/link.tsx';
import { useLocation, useNavigate } from '#web/lib/router/use-router.ts';
import { loadPart } from '#web/lib/screen/load-part.ts';
import { toast } from '#web/lib/screen/toast.ts';
import { useSession } from '#web/lib/session/session-store.ts';
import { CardPage } from '../../shell/card-page.tsx';

const ConsentReturn = lazy(() => loadPart(() => import('../../mailboxes/consent-return.tsx')));

/** Opens the session. @returns null on success */
async function finish(
  { browser, key }: Way,
  returned: NonNullable<ReturnType<typeof providerReturnIn>>,
): Promise<ApiFailure | null> {
  const answer = await call('finishOidc', { body: { ...returned, browser } }, { token: null });
  const failure = answer.ok ? await enter(answer.data) : answer;
  if (failure === null) keepKey(key);
  return failure;
}

/** Where providers return to: what this tab has kept says whether from a consent for a mailbox, or from a log-in. */
export function Component() {
  const location = useLocation();
  const [isConsent] = useState(() => isConsentBack(location));
  if (!isConsent) return <LogInReturn />;
  return (
    <Suspense fallback={null}>
      <ConsentReturn />
    </Suspense>
  );
}

/** Ends a log-in that this tab began, as it comes back from a provider. It asks no other tab for a session. */
function LogInReturn() {
  const location = useLocation();
  const navigate = useNavigate();
  const [returned] = useState(() => providerReturnIn(location));
  const isClean = !hasParameters(location);
  const [way] = useState(takeWay);
  // The way back from the provider's pages, after the log-in.
  const [isOver] = useState(() => way === null && useSession.getState().token !== null);
  const [failure, setFailure] = useState<ApiFailure | null>(null);
  const isLost = !isOver && (way === null || returned === null);

  const tryOnce = useEffectEvent(() => {
    if (way === null || returned === null) return;
    void finish(way, returned).then((failed) => {
      setFailure(failed);
      if (failed !== null) return;
      toast('info', LOGIN_MESSAGES.loggedIn);
      void navigate(pathAfterLogin(way), { replace: true });
    });
  });
  useEffect(() => {
    // Code and state must not stay in the address bar or the history.
    if (!isClean) void navigate(PATHS.oauthCallback, { replace: true });
    else if (isOver) void navigate(PATHS.attackList, { replace: true });
    else if (failure === null) tryOnce();
  }, [isClean, isOver, failure, navigate]);

  const canRetry = failure !== null && (isUnreachable(failure) || failure.code === 'busy');
  const login = loginAt(way ?? { search: '' });
  return (
    <CardPage
      title={messages.title}
      notice={isLost ? messages.failed : (failure?.message ?? messages.checking)}
      foot={canRetry ? <Link to={login}>{messages.toLogin}</Link> : undefined}
    >
      {canRetry ? (
        <Button variant="primary" onClick={() => setFailure(null)}>
          {messages.again}
        </Button>
      ) : isLost || failure !== null ? (
        <ButtonLink variant="primary" to={login}>
          {messages.toLogin}
        </ButtonLink>
      ) : null}
    </CardPage>
  );
}
