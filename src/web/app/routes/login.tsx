import { LoginForm } from '#web/features/auth/login-form.tsx';
import { LOGIN_MESSAGES } from '#web/features/auth/words.ts';
import { atOrigin, PATHS, pathAfterLogin } from '#web/lib/address/paths.ts';
import { Link } from '#web/lib/router/link.tsx';
import { useLocation, useNavigate } from '#web/lib/router/use-router.ts';
import { useSession } from '#web/lib/session/session-store.ts';
import { CardPage } from '../shell/card-page.tsx';

/** Loads the first screen while the visitor types. */
function loadAhead(): void {
  // If this fails, the navigation after the login retries it and reports a failure.
  Promise.all([import('../workspace.tsx'), import('./attack-list.tsx')]).catch(() => undefined);
}

export function Component() {
  const navigate = useNavigate();
  const location = useLocation();
  const message = useSession((state) => state.message);
  return (
    <CardPage
      title={LOGIN_MESSAGES.title}
      notice={message}
      promise={LOGIN_MESSAGES.promise}
      foot={<Link to={PATHS.passwordReset}>{LOGIN_MESSAGES.forgotten}</Link>}
    >
      <LoginForm
        onTouched={loadAhead}
        onLoggedIn={() => void navigate(pathAfterLogin(location), { replace: true })}
        // The other host keeps the requested path too.
        onOtherHost={(origin) => window.location.assign(atOrigin(origin, location))}
      />
    </CardPage>
  );
}
