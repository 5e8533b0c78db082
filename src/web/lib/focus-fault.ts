/**
 * Focuses the first faulty field, and scrolls it to the middle of the window.
 * Messages and sticky elements cover the edges.
 */
export function focusFault(part: HTMLElement | null): void {
  const field = part?.querySelector<HTMLElement>('[aria-invalid]');
  field?.focus({ preventScroll: true });
  field?.scrollIntoView({ block: 'center' });
}
