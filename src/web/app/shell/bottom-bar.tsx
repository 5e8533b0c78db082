import { IconDots } from '@tabler/icons-react';
import { useEffect } from 'react';
import { Menu } from '#web/components/menu.tsx';
import { followPresses } from '#web/lib/presses.ts';
import { useLocation } from '#web/lib/router/use-router.ts';
import { isCurrent, NAV_ITEMS } from '../navigation.ts';
import { APP_MESSAGES } from '../words.ts';
import styles from './bottom-bar.module.css';
import { NavLinks } from './nav-links.tsx';

/**
 * Keeps the bar away from a press that ends the writing in a field, until it has clicked. The bar would come back
 * between the press and its release, above what is pressed.
 */
function useBarKeptAway(): void {
  useEffect(() => {
    const { documentElement: root } = document;
    const press = () => {
      root.toggleAttribute('data-writing', getComputedStyle(root).getPropertyValue('--k-bottom-bar') === '0px');
    };
    const listeners = new AbortController();
    followPresses(press, () => root.removeAttribute('data-writing'), listeners.signal);
    return () => listeners.abort();
  }, []);
}

/** The navigation of phones, at the bottom of the window. app.css hides it while a text field has the focus. */
export function BottomBar() {
  const { pathname } = useLocation();
  useBarKeptAway();
  const { label, more } = APP_MESSAGES.shell.nav;
  const others = NAV_ITEMS.filter(({ isInBar }) => isInBar === undefined);
  return (
    <nav className={styles.bar} aria-label={label} data-bottom-bar>
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
