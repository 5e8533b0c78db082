import { useState } from 'react';
import { NewPasswordForm } from '#web/features/password-reset/new-password-form.tsx';
import { RequestForm } from '#web/features/password-reset/request-form.tsx';
import { PASSWORD_RESET_MESSAGES } from '#web/features/password-reset/words.ts';
import { LINK_KEY, PATHS } from '#web/lib/address/paths.ts';
import { Link } from '#web/lib/router/link.tsx';
import { useNavigate, useParams } from '#web/lib/router/use-router.ts';
import { toast } from '#web/lib/screen/toast.ts';
import { clearSession, useSession } from '#web/lib/session/session-store.ts';
import { CardPage } from '../../shell/card-page.tsx';

export function Component() {
  const { [LINK_KEY]: key } = useParams();
  const [isDead, setDead] = useState(false);
  const navigate = useNavigate();

  // Both navigations replace the address: a used key must not stay in the address bar or the history.
  function finish(): void {
    toast('success', PASSWORD_RESET_MESSAGES.done);
    // The server has ended all sessions of the member, including one in this tab.
    if (useSession.getState().token !== null) clearSession();
    void navigate(PATHS.login, { replace: true });
  }
  function askAgain(): void {
    setDead(true);
    void navigate(PATHS.passwordReset, { replace: true });
  }

  return (
    <CardPage
      title={PASSWORD_RESET_MESSAGES.title}
      notice={isDead && key === undefined ? PASSWORD_RESET_MESSAGES.dead : null}
      foot={<Link to={PATHS.login}>{PASSWORD_RESET_MESSAGES.toLogin}</Link>}
    >
      {key === undefined ? <RequestForm /> : <NewPasswordForm secret={key} onDone={finish} onDead={askAgain} />}
    </CardPage>
  );
}
