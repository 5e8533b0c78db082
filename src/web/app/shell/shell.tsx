import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useNarrowScreen } from '#web/lib/narrow-screen.ts';
import { copyrightHolder } from '#web/lib/page-settings.ts';
import { useLocation } from '#web/lib/router/use-router.ts';
import { useSession } from '#web/lib/session-store.ts';
import { APP_MESSAGES } from '../words.ts';
import { BottomBar } from './bottom-bar.tsx';
import { Header } from './header.tsx';
import { OfflineBar } from './offline-bar.tsx';
import { OverlayKeys } from './overlay-keys.tsx';
import styles from './shell.module.css';
import { ShellPlacesContext } from './shell-places.ts';

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

/** The frame around all screens: header with navigation, one strip, the screen, footer. */
export function Shell({ children }: { readonly children: ReactNode }) {
  const main = useFocusOnNewScreen();
  const isNarrow = useNarrowScreen();
  const isLoggedIn = useSession((state) => state.token !== null);
  const [stripPlace, setStripPlace] = useState<HTMLElement | null>(null);
  const [runPlace, setRunPlace] = useState<HTMLElement | null>(null);
  const [runLinePlace, setRunLinePlace] = useState<HTMLElement | null>(null);
  const [bellPlace, setBellPlace] = useState<HTMLElement | null>(null);
  return (
    <div className={styles.shell}>
      <a href="#main" className={styles.skip}>
        {APP_MESSAGES.shell.skip}
      </a>
      <Header isNarrow={isNarrow} runPlace={setRunPlace} bellPlace={setBellPlace} />
      <div className={styles.strips}>
        <div ref={setRunLinePlace} data-run-line />
        <OfflineBar />
        <div ref={setStripPlace} role="status" className={styles.strip} />
      </div>
      {isLoggedIn ? <OverlayKeys /> : null}
      {isLoggedIn && isNarrow ? <BottomBar /> : null}
      <main ref={main} id="main" tabIndex={-1} className={styles.main}>
        <ShellPlacesContext value={{ stripPlace, runPlace, runLinePlace, bellPlace }}>{children}</ShellPlacesContext>
      </main>
      <footer className={styles.footer}>{APP_MESSAGES.shell.copyright(copyrightHolder())}</footer>
    </div>
  );
}
