import { lazy, Suspense } from 'react';
import { LoginForm } from '#web/features/auth/login-form.tsx';
import { useSecondView } from '#web/features/auth/use-second-view.ts';
import { useTabSession } from '#web/features/auth/use-tab-session.ts';
import { LOGIN_MESSAGES } from '#web/features/auth/words.ts';
import { atOrigin, PATHS, pathAfterLogin } from '#web/lib/address/paths.ts';
import { Link } from '#web/lib/router/link.tsx';
import { useLocation, useNavigate } from '#web/lib/router/use-router.ts';
import { useSession } from '#web/lib/session/session-store.ts';
import { CardPage } from '../../shell/card-page.tsx';

/** Loaded late: most installations have no company's log-in. */
const CompanyButton = lazy(() =>
  import('#web/features/company-log-in/company-button.tsx').then(
    (part) => ({ default: part.CompanyButton }),
    // Without that part the form with the password stays.
    () => ({ default: () => null }),
  ),
);

/** Loads the first screen while the visitor types. */
function loadAhead(): void {
  // If this fails, the navigation after the login retries it and reports a failure.
  Promise.all([import('../../workspace.tsx'), import('../attack-list.tsx')]).catch(() => undefined);
}

export function Component() {
  const navigate = useNavigate();
  const location = useLocation();
  const message = useSession((state) => state.message);
  const goBack = () => void navigate(pathAfterLogin(location), { replace: true });
  const second = useSecondView();
  const noteTyping = useTabSession(location, goBack);
  return (
    <CardPage
      title={LOGIN_MESSAGES.title}
      notice={message}
      promise={LOGIN_MESSAGES.promise}
      foot={second.isShown ? undefined : <Link to={PATHS.passwordReset}>{LOGIN_MESSAGES.forgotten}</Link>}
    >
      <LoginForm
        second={second}
        onTouched={() => {
          noteTyping();
          loadAhead();
        }}
        onLoggedIn={goBack}
        // The other host keeps the requested path too.
        onOtherHost={(origin) => window.location.assign(atOrigin(origin, location))}
      />
      <Suspense>
        <CompanyButton login={location} onLeave={(url) => window.location.assign(url)} />
      </Suspense>
    </CardPage>
  );
}
