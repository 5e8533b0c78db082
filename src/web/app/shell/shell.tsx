import IconDots from '@tabler/icons-react/dist/esm/icons/IconDots.mjs';
import {
  lazy,
  type ReactNode,
  type Ref,
  type RefObject,
  Suspense,
  useEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import { Menu } from '#web/components/dialog/menu.tsx';
import { useRefusals } from '#web/lib/api/refusals.ts';
import { followPresses } from '#web/lib/form/presses.ts';
import { useLocation } from '#web/lib/router/use-router.ts';
import { isDialogOpen, useKey } from '#web/lib/screen/keys.ts';
import { loadPart } from '#web/lib/screen/load-part.ts';
import { useNarrowScreen } from '#web/lib/screen/narrow-screen.ts';
import { copyrightHolder } from '#web/lib/screen/page-settings.ts';
import { useSession } from '#web/lib/session/session-store.ts';
import { isCurrent, NAV_ITEMS } from '../navigation.ts';
import { closeOverlay, openOverlay, useOverlay } from '../overlay-state.ts';
import { APP_MESSAGES } from '../words.ts';
import bottomBar from './bottom-bar.module.css';
import { Header } from './header.tsx';
import { NavLinks } from './nav-links.tsx';
import styles from './shell.module.css';
import { ShellPlacesContext } from './shell-places.ts';

const Instead = lazy(() => loadPart(() => import('../instead/instead.tsx')));

/** Moves the focus to a new screen, unless the screen has set the focus itself. */
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

/** Shows the frame around all screens: header with navigation, one strip, the screen, footer. */
export function Shell({ children }: { readonly children: ReactNode }) {
  const main = useFocusOnNewScreen();
  const isNarrow = useNarrowScreen();
  const isLoggedIn = useSession((state) => state.token !== null);
  const instead = useRefusals((state) => state.instead);
  const isWorking = isLoggedIn && instead !== 'two_factor_setup';
  const [stripPlace, setStripPlace] = useState<HTMLElement | null>(null);
  const [firstStepsPlace, setFirstStepsPlace] = useState<HTMLElement | null>(null);
  const [runPlace, setRunPlace] = useState<HTMLElement | null>(null);
  const [runLinePlace, setRunLinePlace] = useState<HTMLElement | null>(null);
  const [bellPlace, setBellPlace] = useState<HTMLElement | null>(null);
  const [countPlace, setCountPlace] = useState<HTMLElement | null>(null);
  return (
    <div className={styles.shell}>
      <a href="#main" className={`screen-only ${styles.skip}`}>
        {APP_MESSAGES.shell.skip}
      </a>
      <Header
        isNarrow={isNarrow}
        isWorking={isWorking}
        runPlace={setRunPlace}
        bellPlace={setBellPlace}
        countPlace={setCountPlace}
      />
      <div className={`screen-only ${styles.strips}`}>
        <div ref={setRunLinePlace} data-run-line />
        <OfflineBar />
        <div ref={setStripPlace} role="status" className={styles.strip} />
      </div>
      <div ref={setFirstStepsPlace} className={styles.firstSteps} />
      {isWorking ? <OverlayKeys /> : null}
      {isWorking && isNarrow ? <BottomBar countPlace={setCountPlace} /> : null}
      <div className={styles.scroller} data-scroller>
        <main ref={main} id="main" tabIndex={-1} className={styles.main}>
          <ShellPlacesContext value={{ stripPlace, firstStepsPlace, runPlace, runLinePlace, bellPlace, countPlace }}>
            {isLoggedIn && instead !== '' ? (
              <Suspense>
                <Instead of={instead} />
              </Suspense>
            ) : (
              children
            )}
          </ShellPlacesContext>
        </main>
        <footer className={`note screen-only ${styles.footer}`}>
          {APP_MESSAGES.shell.copyright(copyrightHolder())}
        </footer>
      </div>
    </div>
  );
}

function subscribe(onChange: () => void): () => void {
  addEventListener('online', onChange);
  addEventListener('offline', onChange);
  return () => {
    removeEventListener('online', onChange);
    removeEventListener('offline', onChange);
  };
}

/** Shows a message while there is no network. The region stays, so that a screen reader announces it. */
function OfflineBar() {
  const isOnline = useSyncExternalStore(subscribe, () => navigator.onLine);
  return (
    <div role="status" className={styles.offline}>
      {isOnline ? null : <p>{APP_MESSAGES.shell.offline}</p>}
    </div>
  );
}

/**
 * Listens for the keys that open the dialogs of the frame.
 * The frame listens, because it is shown before the code of the screen and its dialogs has loaded.
 */
function OverlayKeys() {
  const { overlay } = useOverlay();
  useKey('palette', () => {
    if (overlay === 'palette') closeOverlay();
    else if (!isDialogOpen()) openOverlay('palette');
    return true;
  });
  useKey('help', () => {
    if (isDialogOpen()) return false;
    openOverlay('keys');
    return true;
  });
  // Closes an open dialog at the end of the session.
  useEffect(() => closeOverlay, []);
  return null;
}

/**
 * Keeps the hidden bar hidden until a press has become a click. The press takes the focus from the text field. Without
 * this the bar would return above the pressed element, and receive the release.
 */
function useBarHiddenWhilePressed(bar: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const { documentElement: root } = document;
    const press = () => {
      const isHidden = bar.current !== null && getComputedStyle(bar.current).display === 'none';
      root.toggleAttribute('data-hides-bar', isHidden);
    };
    const release = () => root.removeAttribute('data-hides-bar');
    const listeners = new AbortController();
    followPresses(press, release, listeners.signal);
    return () => {
      listeners.abort();
      release();
    };
  }, [bar]);
}

/** Shows the navigation of phones at the bottom of the window. app.css hides it while a text field has the focus. */
function BottomBar({ countPlace }: { readonly countPlace: Ref<HTMLSpanElement> }) {
  const { pathname } = useLocation();
  const bar = useRef<HTMLElement>(null);
  useBarHiddenWhilePressed(bar);
  const { label, more } = APP_MESSAGES.shell.nav;
  const others = NAV_ITEMS.filter(({ isInBar }) => isInBar === undefined);
  return (
    <nav ref={bar} className={`screen-only ${bottomBar.bar}`} aria-label={label} data-bottom-bar>
      <NavLinks items={NAV_ITEMS.filter(({ isInBar }) => isInBar)} countPlace={countPlace} />
      {others.length === 0 ? null : (
        <Menu
          className={bottomBar.more}
          panelClass={bottomBar.sheet}
          isCurrent={others.some((item) => isCurrent(item, pathname))}
          label={
            <>
              <IconDots size={20} stroke={1.8} aria-hidden />
              <span>{more}</span>
            </>
          }
        >
          <NavLinks items={others} />
        </Menu>
      )}
    </nav>
  );
}
