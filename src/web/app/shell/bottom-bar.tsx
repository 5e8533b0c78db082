import { IconDots } from '@tabler/icons-react';
import { Menu } from '#web/components/menu.tsx';
import { useLocation } from '#web/lib/router/use-router.ts';
import { isCurrent, NAV_ITEMS } from '../navigation.ts';
import { APP_MESSAGES } from '../words.ts';
import styles from './bottom-bar.module.css';
import { NavLinks } from './nav-links.tsx';

/** The navigation of phones, at the bottom of the window. app.css hides it while a text field has the focus. */
export function BottomBar() {
  const { pathname } = useLocation();
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
