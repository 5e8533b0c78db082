import IconDots from '@tabler/icons-react/dist/esm/icons/IconDots.mjs';
import { type RefObject, useEffect, useRef } from 'react';
import { Menu } from '#web/components/menu.tsx';
import { followPresses } from '#web/lib/presses.ts';
import { useLocation } from '#web/lib/router/use-router.ts';
import { isCurrent, NAV_ITEMS } from '../navigation.ts';
import { APP_MESSAGES } from '../words.ts';
import styles from './bottom-bar.module.css';
import { NavLinks } from './nav-links.tsx';

/**
 * Keeps a hidden bar hidden until a press has clicked. The press takes the focus from the text field: without this the
 * bar would return above what is pressed, and receive the release.
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

/** The navigation of phones, at the bottom of the window. app.css hides it while a text field has the focus. */
export function BottomBar() {
  const { pathname } = useLocation();
  const bar = useRef<HTMLElement>(null);
  useBarHiddenWhilePressed(bar);
  const { label, more } = APP_MESSAGES.shell.nav;
  const others = NAV_ITEMS.filter(({ isInBar }) => isInBar === undefined);
  return (
    <nav ref={bar} className={styles.bar} aria-label={label} data-bottom-bar>
      <NavLinks items={NAV_ITEMS.filter(({ isInBar }) => isInBar)} />
      {others.length === 0 ? null : (
        <Menu
          className={styles.more}
          panelClass={styles.sheet}
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
