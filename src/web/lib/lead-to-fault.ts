/** Leads whoever is told of a fault to its field: to the middle of the window, for messages and what stays in sight lie at its edges. */
export function leadToFault(part: HTMLElement | null): void {
  const field = part?.querySelector<HTMLElement>('[aria-invalid]');
  field?.focus({ preventScroll: true });
  field?.scrollIntoView({ block: 'center' });
}
