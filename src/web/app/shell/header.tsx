import IconSearch from '@tabler/icons-react/dist/esm/icons/IconSearch.mjs';
import type { Ref } from 'react';
import { ButtonLink } from '#web/components/inline/button-link.tsx';
import { PATHS } from '#web/lib/address/paths.ts';
import { Link } from '#web/lib/router/link.tsx';
import { keyText } from '#web/lib/screen/keys.ts';
import { useSession } from '#web/lib/session/session-store.ts';
import { PRODUCT_NAME } from '#web/lib/words.ts';
import { openOverlay } from '../overlay-state.ts';
import { APP_MESSAGES } from '../words.ts';
import styles from './header.module.css';
import { MainNav } from './main-nav.tsx';
import { UserArea } from './user-area.tsx';

const { shown, aria } = keyText('palette');

interface Props {
  readonly isNarrow: boolean;
  /** Whether the member may use the screens: logged in, and with the second step that the account asks for. */
  readonly isWorking: boolean;
  /** Receive the parts that load with the screens behind the login. */
  readonly runPlace: Ref<HTMLSpanElement>;
  readonly bellPlace: Ref<HTMLSpanElement>;
  readonly countPlace: Ref<HTMLSpanElement>;
}

/** Shows the header: product, navigation, and the logged-in user. */
export function Header({ isNarrow, isWorking, runPlace, bellPlace, countPlace }: Props) {
  const isLoggedIn = useSession((state) => state.token !== null);
  return (
    <header className={`line screen-only ${styles.header}`}>
      <Link to={PATHS.attackList} className={`line ${styles.product}`}>
        <img src="/icon.svg" alt="" width={22} height={22} />
        {PRODUCT_NAME}
      </Link>
      {isWorking && !isNarrow ? <MainNav countPlace={countPlace} /> : <span className={styles.room} />}
      {isLoggedIn ? (
        <>
          {/* Within the navigation's space, so that a new chip moves nothing. */}
          <span ref={runPlace} className={styles.runs} />
          {isWorking ? <SearchButton /> : null}
          <span ref={bellPlace} className={styles.bell} />
          <UserArea isNarrow={isNarrow} isWorking={isWorking} />
        </>
      ) : (
        <ButtonLink variant="quiet" to={PATHS.login} className={styles.session}>
          {APP_MESSAGES.shell.logIn}
        </ButtonLink>
      )}
    </header>
  );
}

/** Opens the palette. */
function SearchButton() {
  return (
    <button
      type="button"
      className={`line ${styles.search}`}
      aria-haspopup="dialog"
      aria-keyshortcuts={aria}
      title={APP_MESSAGES.shell.search}
      onClick={() => openOverlay('palette')}
    >
      <IconSearch size={16} aria-hidden />
      <span className="visually-hidden">{APP_MESSAGES.shell.search}</span>
      <kbd aria-hidden>{shown}</kbd>
    </button>
  );
}
