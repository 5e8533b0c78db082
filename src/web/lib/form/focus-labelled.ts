/** Focuses the control of a label, and scrolls it to the middle of the window. */
export function focusLabelled(part: ParentNode | null, label: string): void {
  const labels = [...(part?.querySelectorAll('label') ?? [])];
  const control = labels.find(({ textContent }) => textContent === label)?.control;
  if (!(control instanceof HTMLElement)) return;
  control.focus({ preventScroll: true });
  control.scrollIntoView({ block: 'center' });
}
