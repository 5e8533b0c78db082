import { useEffect, useEffectEvent, useState } from 'react';
import { Button } from '#web/components/button.tsx';
import { forgetConsent } from '#web/features/mailboxes/consent/consent-way.ts';
import { CONSENT_MESSAGES as messages } from '#web/features/mailboxes/consent/words.ts';
import { hasParameters, providerReturnIn } from '#web/lib/address/company-log-in.ts';
import { connectedPath } from '#web/lib/address/params.ts';
import { PATHS } from '#web/lib/address/paths.ts';
import { type ApiFailure, call, isUnreachable } from '#web/lib/api/call.ts';
import { Link } from '#web/lib/router/link.tsx';
import { useLocation, useNavigate } from '#web/lib/router/use-router.ts';
import { CardPage } from '../shell/card-page.tsx';

/** Ends a consent that this tab began, and leads to the check of its mailbox. */
export default function ConsentReturn() {
  const location = useLocation();
  const navigate = useNavigate();
  /** null: the provider refused, or the person did. */
  const [returned] = useState(() => providerReturnIn(location));
  const [failure, setFailure] = useState<ApiFailure | null>(null);
  const isClean = !hasParameters(location);
  const isOver = failure !== null || returned === null;

  const tryOnce = useEffectEvent(() => {
    if (returned === null) return;
    const { state, code } = returned;
    void call('authorizedMailbox', { body: { state, code } }).then((answer) => {
      if (!answer.ok) return setFailure(answer);
      void navigate(connectedPath(answer.data.id), { replace: true });
    });
  });
  useEffect(() => {
    // Only now: a page whose files do not load can be reloaded with the consent.
    forgetConsent();
    // Code and state must not stay in the address bar or the history.
    if (!isClean) void navigate(PATHS.oauthCallback, { replace: true });
    else if (failure === null) tryOnce();
  }, [isClean, failure, navigate]);

  return (
    <CardPage
      title={messages.title}
      notice={returned === null ? messages.refused : (failure?.message ?? messages.finishing)}
      foot={isOver ? <Link to={PATHS.settingsMailboxes}>{messages.toList}</Link> : undefined}
    >
      {failure !== null && isUnreachable(failure) ? (
        <Button onClick={() => setFailure(null)}>{messages.again}</Button>
      ) : null}
    </CardPage>
  );
}
