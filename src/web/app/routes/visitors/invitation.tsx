import { useEffect, useState } from 'react';
import { Button } from '#web/components/button.tsx';
import { ButtonLink } from '#web/components/inline/button-link.tsx';
import { keepEmail } from '#web/features/auth/known-email.ts';
import { InvitationForm } from '#web/features/invitation/invitation-form.tsx';
import { INVITATION_MESSAGES as messages } from '#web/features/invitation/words.ts';
import { LINK_KEY, PATHS } from '#web/lib/address/paths.ts';
import { useLinkState } from '#web/lib/address/use-link-state.ts';
import { isUnreachable } from '#web/lib/api/call.ts';
import { Link } from '#web/lib/router/link.tsx';
import { useNavigate, useParams } from '#web/lib/router/use-router.ts';
import { toast } from '#web/lib/screen/toast.ts';
import { CardPage } from '../../shell/card-page.tsx';

/** Shows who invites whom. It ends no session of this browser, and takes none over (lib/address/taking-back.ts). */
export function Component() {
  const { [LINK_KEY]: inAddress } = useParams();
  const [key, setKey] = useState(inAddress);
  const navigate = useNavigate();
  // The key must not stay in the address bar or the history.
  useEffect(() => {
    if (inAddress === undefined) return;
    setKey(inAddress);
    void navigate(PATHS.invitation, { replace: true });
  }, [inAddress, navigate]);
  if (key === undefined) {
    return (
      <CardPage title={messages.untitled} notice={messages.reopen}>
        <ToLogin />
      </CardPage>
    );
  }
  return <Invited secret={key} />;
}

/** The way out of a page that leads no further. */
const ToLogin = () => (
  <ButtonLink variant="primary" to={PATHS.login}>
    {messages.toLogin}
  </ButtonLink>
);

function Invited({ secret }: { readonly secret: string }) {
  const { state, setState, check } = useLinkState('checkInvitation', secret);
  const navigate = useNavigate();
  if (state?.ok === true) {
    const finish = () => {
      toast('success', messages.done);
      keepEmail(state.data.email);
      void navigate(PATHS.login, { replace: true });
    };
    return (
      <CardPage title={messages.title(state.data.company)}>
        <InvitationForm secret={secret} invitation={state.data} onAccepted={finish} onDead={setState} />
      </CardPage>
    );
  }
  const isCut = state !== null && isUnreachable(state);
  return (
    <CardPage
      title={messages.untitled}
      notice={state === null ? messages.checking : state.status === 400 ? messages.dead : state.message}
      foot={isCut ? <Link to={PATHS.login}>{messages.toLogin}</Link> : undefined}
    >
      {isCut ? (
        <Button variant="primary" onClick={() => void check()}>
          {messages.again}
        </Button>
      ) : state === null ? null : (
        <ToLogin />
      )}
    </CardPage>
  );
}
