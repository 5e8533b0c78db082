import { useCallback, useEffect, useRef, useState } from 'react';
import { Button } from '#web/components/button.tsx';
import { ButtonLink } from '#web/components/inline/button-link.tsx';
import { confirmAddress, type Outcome } from '#web/features/email-change/confirm-address.ts';
import { OutcomeMessage, textsOf } from '#web/features/email-change/outcome-message.tsx';
import { CONFIRMATION_MESSAGES } from '#web/features/email-change/words.ts';
import { CONFIRMATION_TOKEN, PATHS } from '#web/lib/address/paths.ts';
import { Link, Navigate } from '#web/lib/router/link.tsx';
import { useNavigate, useParams } from '#web/lib/router/use-router.ts';
import { toast } from '#web/lib/screen/toast.ts';
import { endOnPurpose, releaseAll, useSession } from '#web/lib/session/session-store.ts';
import { CardPage } from '../shell/card-page.tsx';
import { logOut } from '../shell/log-out.ts';
import { APP_MESSAGES } from '../words.ts';

/** Ends the session after every outcome. After a change the server has already ended it. */
function endSession(outcome: Outcome): void {
  if (outcome.kind === 'updated') {
    releaseAll('logged-out');
    return;
  }
  const { code, message } = outcome.failure;
  // The page itself reports a wrong token. It ends the session in this tab alone: anybody can make such a link, and a
  // log-out would end the other tabs of this browser.
  if (code === 'invalid_confirmation') releaseAll('left');
  else {
    toast('warning', message);
    logOut();
  }
}

/** Whether the session expired before this screen could end it. */
const isExpired = (outcome: Outcome): boolean => outcome.kind !== 'updated' && outcome.failure.status === 401;

export function Component() {
  const { [CONFIRMATION_TOKEN]: token } = useParams();
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const started = useRef(false);
  const navigate = useNavigate();

  const confirm = useCallback(
    async (confirmation_token: string, isRetry: boolean): Promise<void> => {
      const accountId = useSession.getState().current_user?.id;
      if (accountId === undefined) return;
      setOutcome(null);
      const result = await confirmAddress(accountId, confirmation_token, isRetry);
      // The user logged out meanwhile, or the session had expired: the login leads back here with the token.
      if (useSession.getState().token === null || isExpired(result)) return;
      setOutcome(result);
      // The token may still be unused, so it stays, with the session that it needs.
      if (result.kind === 'unreachable') return;
      // The used token must not stay in the address bar or the history.
      await navigate(PATHS.confirmation, { replace: true });
      endSession(result);
    },
    [navigate],
  );

  useEffect(() => {
    // The token is valid for one call, and effects may run twice.
    if (token === undefined || started.current) return;
    started.current = true;
    void endOnPurpose(() => confirm(token, false));
  }, [token, confirm]);

  if (token === undefined && outcome === null) return <Navigate to={PATHS.attackList} replace />;
  const isOpen = outcome === null || outcome.kind === 'unreachable';
  return (
    <CardPage
      title={textsOf(outcome).title}
      drawing={outcome?.kind === 'updated' ? 'done' : outcome === null ? 'sends' : 'failed'}
      foot={isOpen ? <Link to={PATHS.login}>{APP_MESSAGES.shell.logIn}</Link> : undefined}
    >
      <OutcomeMessage outcome={outcome} />
      {isOpen ? null : (
        <ButtonLink variant="primary" to={PATHS.login}>
          {APP_MESSAGES.shell.logIn}
        </ButtonLink>
      )}
      {token !== undefined && outcome?.kind === 'unreachable' ? (
        <Button variant="primary" onClick={() => void endOnPurpose(() => confirm(token, true))}>
          {CONFIRMATION_MESSAGES.again}
        </Button>
      ) : null}
    </CardPage>
  );
}
