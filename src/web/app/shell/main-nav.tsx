import IconChevronDown from '@tabler/icons-react/dist/esm/icons/IconChevronDown.mjs';
import { type Ref, useLayoutEffect, useRef, useState } from 'react';
import { Menu } from '#web/components/dialog/menu.tsx';
import { Link } from '#web/lib/router/link.tsx';
import { useLocation } from '#web/lib/router/use-router.ts';
import { fittingItems } from '../fitting-items.ts';
import { isCurrent, NAV_ITEMS } from '../navigation.ts';
import { APP_MESSAGES } from '../words.ts';
import styles from './main-nav.module.css';
import { NavLinks } from './nav-links.tsx';

/** The width of the menu's button in px. */
const MENU_WIDTH = 72;

/** Shows the navigation in the header. Items that do not fit go into a menu. */
export function MainNav({ countPlace }: { readonly countPlace: Ref<HTMLSpanElement> }) {
  const { pathname } = useLocation();
  const nav = useRef<HTMLElement>(null);
  const shown = useFitting(nav);
  const folded = NAV_ITEMS.slice(shown);
  return (
    <nav ref={nav} className={styles.nav} aria-label={APP_MESSAGES.shell.nav.label}>
      <ul className={styles.items}>
        {NAV_ITEMS.map((item, place) => (
          <li key={item.to} data-folded={place >= shown || undefined}>
            <Link
              to={item.to}
              className={styles.item}
              aria-current={isCurrent(item, pathname) ? 'page' : undefined}
              data-label={item.label}
            >
              <span>
                {item.label}
                {item.isCounted ? <span ref={countPlace} /> : null}
              </span>
            </Link>
          </li>
        ))}
      </ul>
      {folded.length === 0 ? null : (
        <Menu
          isCurrent={folded.some((item) => isCurrent(item, pathname))}
          panelClass={styles.folded}
          label={
            <>
              {APP_MESSAGES.shell.nav.more}
              <IconChevronDown size={14} aria-hidden />
            </>
          }
        >
          <NavLinks items={folded} />
        </Menu>
      )}
    </nav>
  );
}

/** Returns how many items fit. It measures before each paint; hidden items keep their width. */
function useFitting(nav: React.RefObject<HTMLElement | null>): number {
  const [fitting, setFitting] = useState(NAV_ITEMS.length);
  useLayoutEffect(() => {
    const element = nav.current;
    if (element === null) return;
    const measure = () => {
      const widths = [...element.querySelectorAll('li')].map(({ offsetWidth }) => offsetWidth);
      setFitting(fittingItems(widths, element.clientWidth, MENU_WIDTH));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [nav]);
  return fitting;
}
