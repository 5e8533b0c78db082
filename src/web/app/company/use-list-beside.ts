import { useEffect, useEffectEvent, useLayoutEffect, useRef, useState } from 'react';
import { isTypedText } from '#web/lib/screen/keys.ts';

/**
 * Returns the links of the companies in the list beside the drawer, in the list's order.
 * Reads them from the page, because each tab has its own list.
 */
const linksOfList = (): HTMLAnchorElement[] => [...document.querySelectorAll<HTMLAnchorElement>('a[data-company]')];

const idOf = (link: HTMLElement): number => Number(link.dataset.company);

/** Returns the link of a company in the list on screen. */
export const linkOf = (id: number): HTMLAnchorElement | undefined => linksOfList().find((link) => idOf(link) === id);

/**
 * Scrolls the table sideways where the drawer covers the company names, and back when the drawer closes.
 * Leaves the table alone if the user has scrolled it meanwhile.
 */
export function useNamesBeside(id: number): void {
  const first = useRef(id);
  useLayoutEffect(() => {
    const name = linkOf(first.current)?.closest('th, td');
    const drawer = document.querySelector('dialog[open]');
    const table = name?.closest('table')?.parentElement;
    if (!name || !drawer || !table) return;
    const before = table.scrollLeft;
    const covered = name.getBoundingClientRect().right - drawer.getBoundingClientRect().left;
    if (covered <= 0) return;
    table.scrollLeft =
      before + Math.min(covered, name.getBoundingClientRect().left - table.getBoundingClientRect().left);
    const moved = table.scrollLeft;
    return () => {
      if (table.scrollLeft === moved) table.scrollLeft = before;
    };
  }, []);
}

const MOVES = new Set(['ArrowUp', 'ArrowDown', 'PageUp', 'PageDown', 'Home', 'End']);

interface Around {
  readonly previous: number | undefined;
  readonly next: number | undefined;
}

/**
 * Returns the companies before and after one in the list on screen, and marks its row.
 *
 * @param onMove is called with another company's id when the table's keys move the focus to its row
 */
export function useListBeside(id: number, onMove: (id: number) => void): Around {
  const [around, setAround] = useState<Around>({ previous: undefined, next: undefined });

  // Runs before the next paint, so that no press uses the previous company's neighbours.
  useLayoutEffect(() => {
    let marked: HTMLElement | null = null;
    const look = () => {
      const links = linksOfList();
      const place = links.findIndex((link) => idOf(link) === id);
      const beside = (step: number) => {
        const link = place < 0 ? undefined : links[place + step];
        return link && idOf(link);
      };
      const [previous, next] = [beside(-1), beside(1)];
      setAround((before) => (before.previous === previous && before.next === next ? before : { previous, next }));
      const row = links[place]?.closest('tr') ?? null;
      if (row === marked) return;
      marked?.removeAttribute('data-current');
      row?.setAttribute('data-current', '');
      row?.scrollIntoView({ block: 'nearest' });
      marked = row;
    };
    look();
    const observer = new MutationObserver(look);
    observer.observe(document.querySelector('main') ?? document.body, { childList: true, subtree: true });
    return () => {
      observer.disconnect();
      marked?.removeAttribute('data-current');
    };
  }, [id]);

  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (!MOVES.has(event.key) || isTypedText(event)) return;
    // The table's own listener has already moved the focus.
    const link = document.activeElement?.closest('tr')?.querySelector<HTMLAnchorElement>('a[data-company]');
    if (link && idOf(link) !== id) onMove(idOf(link));
  });
  useEffect(() => {
    const listen = (event: KeyboardEvent) => onKey(event);
    document.addEventListener('keydown', listen);
    return () => document.removeEventListener('keydown', listen);
  }, []);
  return around;
}
