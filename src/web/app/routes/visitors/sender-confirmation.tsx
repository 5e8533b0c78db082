import { useState } from 'react';
import { ButtonLink } from '#web/components/inline/button-link.tsx';
import { ConfirmSender, type Result } from '#web/features/sender-addresses/confirm-sender.tsx';
import { SENDER_CONFIRMATION_MESSAGES as messages } from '#web/features/sender-addresses/words.ts';
import { LINK_KEY, PATHS } from '#web/lib/address/paths.ts';
import { isUnreachable } from '#web/lib/api/call.ts';
import { Navigate } from '#web/lib/router/link.tsx';
import { useNavigate, useParams } from '#web/lib/router/use-router.ts';
import { useSession } from '#web/lib/session/session-store.ts';
import { CardPage } from '../../shell/card-page.tsx';

/** Returns the drawing of an outcome; before it the page shows the product's mark. */
const drawingOf = (result: Result | null) =>
  result === null || (!result.ok && isUnreachable(result)) ? undefined : result.ok ? 'done' : 'failed';

/** An outcome is the heading of its page. */
const titleOf = (result: Result | null): string =>
  result?.ok === true ? messages.confirmed(result.data.email) : messages.title;

export function Component() {
  const { [LINK_KEY]: key } = useParams();
  const [result, setResult] = useState<Result | null>(null);
  const navigate = useNavigate();
  if (key === undefined && result?.ok !== true) return <Navigate to={PATHS.attackList} replace />;
  const drawing = drawingOf(result);
  return (
    <CardPage title={titleOf(result)} drawing={drawing}>
      <ConfirmSender
        secret={key}
        result={result}
        onResult={(next) => {
          setResult(next);
          // The used secret must not stay in the address bar or the history.
          if (next?.ok === true) void navigate(PATHS.senderConfirmation, { replace: true });
        }}
      />
      {drawing === undefined ? null : <Next isDone={drawing === 'done'} />}
    </CardPage>
  );
}

/** Leads on, or to where another mail is asked for. */
function Next({ isDone }: { readonly isDone: boolean }) {
  const isLoggedIn = useSession(({ token }) => token !== null);
  const toSenders = isLoggedIn && !isDone;
  return (
    <ButtonLink variant="primary" to={toSenders ? PATHS.settingsGroups : PATHS.attackList}>
      {toSenders ? messages.toSenders : isLoggedIn ? messages.goOn : messages.logIn}
    </ButtonLink>
  );
}
