import { type PointerEvent, useEffect, useEffectEvent, useState } from 'react';

/** So many px the pointer moves before a press becomes a drag. */
const THRESHOLD_PX = 5;

interface Press<Item> {
  readonly item: Item;
  readonly text: string;
  readonly width: number;
  readonly from: { readonly x: number; readonly y: number };
}

interface Drag<Item> {
  readonly item: Item;
  readonly text: string;
  readonly width: number;
  readonly x: number;
  readonly y: number;
  /** The day under the pointer; null: none. */
  readonly day: string | null;
}

const dayUnder = (x: number, y: number): HTMLElement | null =>
  document.elementFromPoint(x, y)?.closest<HTMLElement>('[data-day]') ?? null;

/** The click that ends a drag opens nothing. */
function ignoreClick(): void {
  const stop = (event: Event) => {
    event.preventDefault();
    event.stopPropagation();
  };
  window.addEventListener('click', stop, { capture: true, once: true });
  setTimeout(() => window.removeEventListener('click', stop, { capture: true }));
}

/**
 * Drags an item to another day with a mouse, a pen or a finger. Escape ends it.
 * By pointer events, as the browser's own drag knows no touch.
 */
export function useItemDrag<Item>(onDrop: (item: Item, day: string) => void) {
  const [press, setPress] = useState<Press<Item> | null>(null);
  const [drag, setDrag] = useState<Drag<Item> | null>(null);
  function end(): void {
    setPress(null);
    setDrag(null);
  }
  const follow = useEffectEvent(({ clientX: x, clientY: y }: globalThis.PointerEvent) => {
    if (press === null) return;
    const { item, text, width, from } = press;
    if (drag === null && Math.hypot(x - from.x, y - from.y) < THRESHOLD_PX) return;
    const cell = dayUnder(x, y);
    // At the edge of the grid the next days come into view.
    cell?.scrollIntoView({ block: 'nearest' });
    setDrag({ item, text, width, x, y, day: cell?.dataset.day ?? null });
  });
  const drop = useEffectEvent(({ clientX, clientY }: globalThis.PointerEvent) => {
    if (drag !== null) {
      ignoreClick();
      const day = dayUnder(clientX, clientY)?.dataset.day;
      if (day !== undefined) onDrop(drag.item, day);
    }
    end();
  });
  const cancel = useEffectEvent((event: Event) => {
    if (event instanceof KeyboardEvent && event.key !== 'Escape') return;
    if (drag !== null) ignoreClick();
    end();
  });
  const isPressed = press !== null;
  useEffect(() => {
    if (!isPressed) return;
    const listeners = new AbortController();
    const { signal } = listeners;
    window.addEventListener('pointermove', (event) => follow(event), { signal });
    window.addEventListener('pointerup', (event) => drop(event), { signal });
    window.addEventListener('pointercancel', (event) => cancel(event), { signal });
    window.addEventListener('keydown', (event) => cancel(event), { signal });
    return () => listeners.abort();
  }, [isPressed]);
  return {
    drag,
    onPress(event: PointerEvent<HTMLElement>, item: Item): void {
      if (event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey) return;
      const { currentTarget: element, clientX: x, clientY: y } = event;
      const text = [...element.children].map(({ textContent }) => textContent).join(' ');
      setPress({ item, text, width: element.offsetWidth, from: { x, y } });
    },
  };
}
