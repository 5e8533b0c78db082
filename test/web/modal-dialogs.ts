/**
 * Adds modal dialogs to jsdom: the top layer, the focus and the keys, as in a browser without `closedby`. Elements
 * outside of the top dialog or in a closed one get no focus, and events outside reach no listener.
 */

interface Modal {
  readonly dialog: HTMLDialogElement;
  readonly opener: Element | null;
}

let modals: readonly Modal[] = [];

/** Returns the top dialog. One that was removed from the document is no longer in the top layer. */
function top(): HTMLDialogElement | undefined {
  modals = modals.filter(({ dialog }) => dialog.isConnected);
  return modals.at(-1)?.dialog;
}

function isInert(target: EventTarget | null): boolean {
  const dialog = top();
  const isPage = target === document.body || target === document.documentElement;
  return dialog !== undefined && target instanceof Element && !isPage && !dialog.contains(target);
}

const FOCUSABLE = ':is(a[href], button, input, select, textarea, [tabindex]):not(:disabled)';
const focusOf = Object.getOwnPropertyDescriptor(HTMLElement.prototype, 'focus')?.value as HTMLElement['focus'];

function leaveFocus(): void {
  if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
}

function showModal(this: HTMLDialogElement): void {
  if (this.open || !this.isConnected)
    throw new DOMException('the dialog is open or not in the page', 'InvalidStateError');
  this.open = true;
  modals = [...modals, { dialog: this, opener: document.activeElement }];
  const first = this.querySelector<HTMLElement>(FOCUSABLE);
  if (first === null) leaveFocus();
  else first.focus();
}

function close(this: HTMLDialogElement): void {
  if (!this.open) return;
  this.open = false;
  const opener = modals.find(({ dialog }) => dialog === this)?.opener;
  modals = modals.filter(({ dialog }) => dialog !== this);
  if (this.contains(document.activeElement)) leaveFocus();
  if (opener instanceof HTMLElement) opener.focus();
  queueMicrotask(() => this.dispatchEvent(new Event('close')));
}

const PRESSES = ['pointerdown', 'mousedown', 'mouseup', 'click', 'keydown', 'keyup'];

/** Whether `cancel` was prevented: a second Escape without a press in between then closes the dialog. */
let wasCancelled = false;

function closeByEscape(event: KeyboardEvent): void {
  const dialog = top();
  if (event.key !== 'Escape' || event.isComposing || event.defaultPrevented || dialog === undefined) return;
  const isAsked = wasCancelled || dialog.dispatchEvent(new Event('cancel', { cancelable: true }));
  wasCancelled = !isAsked;
  if (isAsked) dialog.close();
}

export function addModalDialogs(): void {
  Object.assign(HTMLDialogElement.prototype, { showModal, close });
  HTMLElement.prototype.focus = function (options) {
    if (!isInert(this) && this.closest('dialog:not([open])') === null) focusOf.call(this, options);
  };
  for (const name of PRESSES) {
    const listen = (event: Event) => {
      if (!isInert(event.target)) return;
      event.stopImmediatePropagation();
      event.preventDefault();
    };
    window.addEventListener(name, listen, { capture: true });
  }
  window.addEventListener('pointerdown', () => (wasCancelled = false), { capture: true });
  // The browser's default actions come after all listeners.
  window.addEventListener('keydown', (event) => queueMicrotask(() => closeByEscape(event)), { capture: true });
}
