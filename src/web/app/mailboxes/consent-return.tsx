import { useEffect, useEffectEvent, useState } from 'react';
import { Button } from '#web/components/button.tsx';
import { CONSENT_MESSAGES as messages } from '#web/features/mailboxes/consent/words.ts';
import type { providerReturnIn } from '#web/lib/address/company-log-in.ts';
import { connectedPath } from '#web/lib/address/params.ts';
import { PATHS } from '#web/lib/address/paths.ts';
import { type ApiFailure, call, isUnreachable } from '#web/lib/api/call.ts';
import { Link } from '#web/lib/router/link.tsx';
import { useNavigate } from '#web/lib/router/use-router.ts';
import { CardPage } from '../shell/card-page.tsx';

interface Props {
  /** null: the provider refused, or the person did. */
  readonly returned: ReturnType<typeof providerReturnIn>;
}

/** Ends a consent that this tab began, and leads to the check of its mailbox. */
export function ConsentReturn({ returned }: Props) {
  const navigate = useNavigate();
  const [failure, setFailure] = useState<ApiFailure | null>(null);
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
    if (failure === null) tryOnce();
  }, [failure]);

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
