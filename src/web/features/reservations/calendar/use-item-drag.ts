import { type PointerEvent, useEffect, useEffectEvent, useState } from 'react';

/** The pointer distance in px that turns a press into a drag. */
const THRESHOLD_PX = 5;

interface Press<Item> {
  readonly item: Item;
  readonly width: number;
  readonly from: { readonly x: number; readonly y: number };
  /** Escape has ended the drag, but the pointer is still down. */
  readonly isOver?: true;
}

interface Drag<Item> {
  readonly item: Item;
  readonly width: number;
  readonly x: number;
  readonly y: number;
  /** The day under the pointer; null: there is none. */
  readonly day: string | null;
}

const dayUnder = (x: number, y: number): HTMLElement | null =>
  document.elementFromPoint(x, y)?.closest<HTMLElement>('[data-day]') ?? null;

/** Ignores the click that follows the pointer's release, so that it opens nothing. */
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
 * Uses pointer events, because the browser's own drag and drop does not support touch.
 */
export function useItemDrag<Item>(onDrop: (item: Item, day: string) => void) {
  const [press, setPress] = useState<Press<Item> | null>(null);
  const [drag, setDrag] = useState<Drag<Item> | null>(null);
  const follow = useEffectEvent(({ clientX: x, clientY: y }: globalThis.PointerEvent) => {
    if (press === null || press.isOver) return;
    const { item, width, from } = press;
    if (drag === null && Math.hypot(x - from.x, y - from.y) < THRESHOLD_PX) return;
    const cell = dayUnder(x, y);
    // Scroll the next days into view at the edge of the grid.
    cell?.scrollIntoView({ block: 'nearest' });
    setDrag({ item, width, x, y, day: cell?.dataset.day ?? null });
  });
  const end = useEffectEvent(() => {
    setPress(null);
    setDrag(null);
  });
  const drop = useEffectEvent(({ clientX, clientY }: globalThis.PointerEvent) => {
    if (drag !== null || press?.isOver) ignoreClick();
    if (drag !== null) {
      const day = dayUnder(clientX, clientY)?.dataset.day;
      if (day !== undefined) onDrop(drag.item, day);
    }
    end();
  });
  const giveUp = useEffectEvent(({ key }: KeyboardEvent) => {
    if (key !== 'Escape' || press === null) return;
    setDrag(null);
    setPress({ ...press, isOver: true });
  });
  const isPressed = press !== null;
  useEffect(() => {
    if (!isPressed) return;
    const listeners = new AbortController();
    const { signal } = listeners;
    window.addEventListener('pointermove', (event) => follow(event), { signal });
    window.addEventListener('pointerup', (event) => drop(event), { signal });
    window.addEventListener('pointercancel', () => end(), { signal });
    window.addEventListener('keydown', (event) => giveUp(event), { signal });
    return () => listeners.abort();
  }, [isPressed]);
  return {
    drag,
    onPress(event: PointerEvent<HTMLElement>, item: Item): void {
      if (event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey) return;
      const { currentTarget: element, clientX: x, clientY: y } = event;
      setPress({ item, width: element.offsetWidth, from: { x, y } });
    },
  };
}
