import type { Ref } from 'react';
import { Link } from '#web/lib/router/link.tsx';
import { useLocation } from '#web/lib/router/use-router.ts';
import { isCurrent, type NavItem } from '../navigation.ts';

interface Props {
  readonly items: readonly NavItem[];
  /** Receives the number of reservations; absent: another part of the navigation shows it. */
  readonly countPlace?: Ref<HTMLSpanElement>;
}

/** Shows links with icon and word, in a menu or a bar. */
export function NavLinks({ items, countPlace }: Props) {
  const { pathname } = useLocation();
  return items.map((item) => (
    <Link key={item.to} to={item.to} aria-current={isCurrent(item, pathname) ? 'page' : undefined}>
      <item.Icon size={20} stroke={1.8} aria-hidden />
      <span>
        {item.label}
        {item.isCounted && countPlace !== undefined ? <span ref={countPlace} /> : null}
      </span>
    </Link>
  ));
}
