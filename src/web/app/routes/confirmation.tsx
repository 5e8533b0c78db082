import { useCallback, useEffect, useRef, useState } from 'react';
import { Link, Navigate, useNavigate, useParams } from 'react-router';
import { Button } from '#web/components/button.tsx';
import { confirmAddress, type Outcome } from '#web/features/confirmation/confirm-address.ts';
import { OutcomeMessage } from '#web/features/confirmation/outcome-message.tsx';
import { CONFIRMATION_MESSAGES } from '#web/features/confirmation/words.ts';
import { releaseAll, useSession } from '#web/lib/session-store.ts';
import { toast } from '#web/lib/toast.ts';
import { PRODUCT_NAME } from '#web/lib/words.ts';
import { logOut } from '../log-out.ts';
import { CONFIRMATION_TOKEN, PATHS } from '../paths.ts';
import { APP_MESSAGES } from '../words.ts';
import styles from './message-page.module.css';

/** The session ends in any case; after a change it is dead at the server already. */
function endSession(outcome: Outcome): void {
  if (outcome.kind === 'updated') {
    releaseAll('logged-out');
    return;
  }
  // The constant answer to a wrong token says what the page says; anything else is news.
  const { code, message } = outcome.failure;
  if (code !== 'invalid_confirmation') toast('warning', message);
  logOut();
}

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
      // The session had expired: the login screen is shown already, and leads back here with the token.
      if (useSession.getState().token === null) return;
      setOutcome(result);
      // Nobody knows yet whether the token is spent: it stays, and so does the session that it needs.
      if (result.kind === 'unreachable') return;
      // A spent token has no business in the address bar and the history any more.
      await navigate(PATHS.confirmation, { replace: true });
      endSession(result);
    },
    [navigate],
  );

  useEffect(() => {
    // The token is good for one call, and effects may run twice.
    if (token === undefined || started.current) return;
    started.current = true;
    void confirm(token, false);
  }, [token, confirm]);

  if (token === undefined && outcome === null) return <Navigate to={PATHS.attackList} replace />;
  return (
    <div className={styles.page}>
      <title>{`${CONFIRMATION_MESSAGES.title} | ${PRODUCT_NAME}`}</title>
      <h1>{CONFIRMATION_MESSAGES.title}</h1>
      <OutcomeMessage outcome={outcome} />
      {token !== undefined && outcome?.kind === 'unreachable' ? (
        <Button variant="primary" onClick={() => void confirm(token, true)}>
          {CONFIRMATION_MESSAGES.again}
        </Button>
      ) : null}
      <Link to={PATHS.login}>{APP_MESSAGES.shell.logIn}</Link>
    </div>
  );
}
