import { Button } from '#web/components/button.tsx';
import { ButtonLink } from '#web/components/inline/button-link.tsx';
import { logIn } from '#web/features/auth/log-in.ts';
import { SetupForm } from '#web/features/setup/setup-form.tsx';
import { SETUP_MESSAGES } from '#web/features/setup/words.ts';
import { LINK_KEY, PATHS } from '#web/lib/address/paths.ts';
import { useLinkState } from '#web/lib/address/use-link-state.ts';
import { isUnreachable } from '#web/lib/api/call.ts';
import { Link } from '#web/lib/router/link.tsx';
import { useNavigate, useParams } from '#web/lib/router/use-router.ts';
import { toast } from '#web/lib/screen/toast.ts';
import { CardPage } from '../../shell/card-page.tsx';

export function Component() {
  const { [LINK_KEY]: key = '' } = useParams();
  const { state, setState, check } = useLinkState('checkSetup', key);
  const navigate = useNavigate();

  async function enter(email: string, password: string): Promise<void> {
    toast('success', SETUP_MESSAGES.created);
    const failure = await logIn(email, password);
    if (failure !== null) toast('warning', failure.message);
    // The used key must not stay in the address bar or the history.
    await navigate(failure === null ? PATHS.attackList : PATHS.login, { replace: true });
  }

  if (state?.ok === true) {
    return (
      <CardPage title={SETUP_MESSAGES.title} promise={SETUP_MESSAGES.promise}>
        <SetupForm secret={key} onCreated={enter} onDead={setState} />
      </CardPage>
    );
  }
  const isCut = state !== null && isUnreachable(state);
  return (
    <CardPage
      title={SETUP_MESSAGES.title}
      notice={state === null ? SETUP_MESSAGES.checking : state.message}
      foot={isCut ? <Link to={PATHS.login}>{SETUP_MESSAGES.toLogin}</Link> : undefined}
    >
      {isCut ? (
        <Button variant="primary" onClick={() => void check()}>
          {SETUP_MESSAGES.again}
        </Button>
      ) : state === null ? null : (
        <ButtonLink variant="primary" to={PATHS.login}>
          {SETUP_MESSAGES.toLogin}
        </ButtonLink>
      )}
    </CardPage>
  );
}
