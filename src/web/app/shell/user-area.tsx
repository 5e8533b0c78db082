import IconChevronDown from '@tabler/icons-react/dist/esm/icons/IconChevronDown.mjs';
import { lazy, useState } from 'react';
import { ROLE_NAMES } from '#domain/account/role-names.ts';
import { Button } from '#web/components/button.tsx';
import { Menu } from '#web/components/dialog/menu.tsx';
import { PartBoundary } from '#web/components/state/part-boundary.tsx';
import { PATHS } from '#web/lib/address/paths.ts';
import { Link } from '#web/lib/router/link.tsx';
import { useLocation, useNavigate } from '#web/lib/router/use-router.ts';
import { loadPart } from '#web/lib/screen/load-part.ts';
import { type CurrentUser, useSession } from '#web/lib/session/session-store.ts';
import { isCurrent } from '../navigation.ts';
import overlays from '../overlays.module.css';
import { APP_MESSAGES } from '../words.ts';
import styles from './header.module.css';
import { logOut } from './log-out.ts';

const LogOutQuestion = lazy(() => loadPart(() => import('./log-out-question.tsx')));

const nameOf = (user: CurrentUser | null): string => user?.name || user?.email || '';

/**
 * Shows the logged-in user, with the links to the account and to log out. On phones they are in a menu.
 * Mounted once a session, so that its dialog does not outlive the session.
 */
export function UserArea({ isNarrow, isWorking }: { readonly isNarrow: boolean; readonly isWorking: boolean }) {
  const user = useSession((state) => state.current_user);
  const [asks, setAsks] = useState(false);
  const navigate = useNavigate();
  const { pathname } = useLocation();
  const { account, logOut: logOutText, menuOf } = APP_MESSAGES.shell;
  const name = nameOf(user);
  const role = user?.member && ROLE_NAMES[user.member.role];
  const current = isCurrent({ to: PATHS.account }, pathname) ? ('page' as const) : undefined;

  function leave(): void {
    logOut();
    void navigate(PATHS.login);
  }
  const askOrLeave = () => (Object.keys(useSession.getState().drafts).length > 0 ? setAsks(true) : leave());

  return (
    <>
      {isNarrow ? (
        <Menu
          className={styles.person}
          label={
            <>
              <span className={`note cut ${styles.user}`} aria-hidden>
                {name}
              </span>
              <span className="visually-hidden">{menuOf(name)}</span>
              <IconChevronDown size={16} aria-hidden />
            </>
          }
        >
          {role === undefined ? null : <span className={`note ${styles.entry}`}>{role}</span>}
          {isWorking ? (
            <Link to={PATHS.account} aria-current={current}>
              {account}
            </Link>
          ) : null}
          <button type="button" onClick={askOrLeave}>
            {logOutText}
          </button>
        </Menu>
      ) : (
        <>
          <span className={`note cut ${styles.user}`} title={user?.email}>
            {name}
          </span>
          <span className={`note ${styles.role}`}>{role}</span>
          {isWorking ? (
            <Link to={PATHS.account} className={styles.account} aria-current={current}>
              {account}
            </Link>
          ) : null}
          <Button variant="quiet" className={styles.session} onClick={askOrLeave}>
            {logOutText}
          </Button>
        </>
      )}
      {asks ? (
        <PartBoundary className={`floats ${overlays.failed}`}>
          <LogOutQuestion onStay={() => setAsks(false)} onLogOut={leave} />
        </PartBoundary>
      ) : null}
    </>
  );
}
