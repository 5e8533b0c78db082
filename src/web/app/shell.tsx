import { lazy, useEffect, useRef, useState } from 'react';
import { Link, NavLink, Outlet, useLocation, useNavigate } from 'react-router';
import { PartBoundary } from '#web/components/part-boundary.tsx';
import { loadPart } from '#web/lib/load-part.ts';
import { copyrightHolder } from '#web/lib/page-settings.ts';
import { useSession } from '#web/lib/session-store.ts';
import { PRODUCT_NAME } from '#web/lib/words.ts';
import { logOut } from './log-out.ts';
import { OfflineBar } from './offline-bar.tsx';
import { PATHS } from './paths.ts';
import styles from './shell.module.css';
import { APP_MESSAGES } from './words.ts';

const LogOutQuestion = lazy(() => loadPart(() => import('./log-out-question.tsx')));

/** Moves the focus to a new screen, unless the screen has set it itself. */
function useFocusOnNewScreen() {
  const main = useRef<HTMLElement>(null);
  const { pathname } = useLocation();
  const shown = useRef(pathname);
  useEffect(() => {
    if (shown.current === pathname) return;
    shown.current = pathname;
    if (!main.current?.contains(document.activeElement)) main.current?.focus({ preventScroll: true });
  }, [pathname]);
  return main;
}

export function Shell() {
  const user = useSession((state) => state.current_user);
  const main = useFocusOnNewScreen();
  return (
    <div className={styles.shell}>
      <a href="#main" className={styles.skip}>
        {APP_MESSAGES.shell.skip}
      </a>
      <header className={styles.header}>
        <Link to={PATHS.attackList} className={styles.product}>
          {PRODUCT_NAME}
        </Link>
        {user === null ? null : (
          <span className={styles.user} title={user.email}>
            {user.name === '' ? user.email : user.name}
          </span>
        )}
        <NavLink to={PATHS.sends} className={styles.account ?? ''}>
          {APP_MESSAGES.shell.sends}
        </NavLink>
        <NavLink to={PATHS.account} className={styles.account ?? ''}>
          {APP_MESSAGES.shell.account}
        </NavLink>
        <SessionLink />
      </header>
      <OfflineBar />
      <main ref={main} id="main" tabIndex={-1} className={styles.main}>
        <Outlet />
      </main>
      <footer className={styles.footer}>{APP_MESSAGES.shell.copyright(copyrightHolder())}</footer>
    </div>
  );
}

function SessionLink() {
  const loggedIn = useSession((state) => state.token !== null);
  if (loggedIn) return <LogOutButton />;
  return (
    <Link to={PATHS.login} className={styles.session}>
      {APP_MESSAGES.shell.logIn}
    </Link>
  );
}

/** Mounted for one session, so that its question does not outlive it. */
function LogOutButton() {
  const [asks, setAsks] = useState(false);
  const navigate = useNavigate();

  function leave(): void {
    logOut();
    void navigate(PATHS.login);
  }

  return (
    <>
      <button
        type="button"
        className={styles.session}
        onClick={() => (Object.keys(useSession.getState().drafts).length > 0 ? setAsks(true) : leave())}
      >
        {APP_MESSAGES.shell.logOut}
      </button>
      {asks ? (
        <PartBoundary className={styles.question}>
          <LogOutQuestion onStay={() => setAsks(false)} onLogOut={leave} />
        </PartBoundary>
      ) : null}
    </>
  );
}
