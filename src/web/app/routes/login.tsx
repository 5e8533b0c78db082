import { useNavigate, useSearchParams } from 'react-router';
import { LoginForm } from '#web/features/login/login-form.tsx';
import { LOGIN_MESSAGES } from '#web/features/login/words.ts';
import { useSession } from '#web/lib/session-store.ts';
import { PRODUCT_NAME } from '#web/lib/words.ts';
import { pathAfterLogin } from '../paths.ts';
import styles from './login.module.css';

/** Loads the first screen while the visitor types. */
function loadAhead(): void {
  // If this fails, the navigation after the login retries and reports it.
  Promise.all([import('../workspace.tsx'), import('./attack-list.tsx')]).catch(() => undefined);
}

export function Component() {
  const navigate = useNavigate();
  const [search] = useSearchParams();
  const message = useSession((state) => state.message);
  return (
    <div className={styles.page}>
      <title>{`${LOGIN_MESSAGES.title} | ${PRODUCT_NAME}`}</title>
      <section className={styles.card} aria-labelledby="login-title">
        <h1 id="login-title" className={styles.title}>
          <img src="/icon.svg" alt="" width={32} height={32} />
          {LOGIN_MESSAGES.title}
        </h1>
        {message === null ? null : <p className={styles.notice}>{message}</p>}
        <LoginForm onTouched={loadAhead} onLoggedIn={() => void navigate(pathAfterLogin(search), { replace: true })} />
      </section>
    </div>
  );
}
