import { useEffectEvent, useLayoutEffect } from 'react';

/** The keys that work on every screen. The grid has its own (components/data-table/one-tab-stop.ts). */
const KEYS = {
  /** Opens the palette. */
  palette: { key: 'k', isCtrl: true },
  /** Saves the form of the screen. */
  save: { key: 's', isCtrl: true },
  /** Edits the company on screen. */
  edit: { key: 'e', isCtrl: true },
  /** Presses the primary button of a dialog. */
  confirm: { key: 'Enter', isCtrl: true },
  /** Lists the keys. */
  help: { key: '?', isCtrl: false },
} as const;

export type KeyName = keyof typeof KEYS;
type Pressed = Pick<KeyboardEvent, 'key' | 'keyCode' | 'ctrlKey' | 'metaKey' | 'altKey' | 'isComposing'>;

const IS_MAC = /^(?:Mac|iP)/.test(navigator.platform);

/** Ctrl, or ⌘ on a Mac. */
export const CTRL = IS_MAC ? '⌘' : 'Ctrl';

/** Returns a key as the screens write it, and in the form of aria-keyshortcuts. */
export function keyText(name: KeyName): { readonly shown: string; readonly aria: string } {
  const { key, isCtrl } = KEYS[name];
  const letter = key.length === 1 ? key.toUpperCase() : key;
  return isCtrl
    ? { shown: IS_MAC ? CTRL + letter : `${CTRL}+${letter}`, aria: `Control+${letter} Meta+${letter}` }
    : { shown: letter, aria: letter };
}

/** The key code of keys that an input method takes. Safari ends a composition by an Enter that tells only this. */
const TAKEN_BY_IME = 229;

/** Whether an input method composes: all keys are its own then. */
const isComposed = ({ isComposing, keyCode }: Pick<KeyboardEvent, 'isComposing' | 'keyCode'>): boolean =>
  isComposing || keyCode === TAKEN_BY_IME;

/**
 * Keeps the keys of an input method from every listener of the page, in every field.
 * The Enter or Escape that ends a conversion then saves, opens and closes nothing. Editors handle theirs themselves.
 */
export function ignoreComposedKeys(): void {
  const listen = (event: KeyboardEvent) => {
    const isInEditor = event.target instanceof HTMLElement && event.target.isContentEditable;
    if (isComposed(event) && !isInEditor) event.stopImmediatePropagation();
  };
  // Capturing at the window comes before all other listeners.
  window.addEventListener('keydown', listen, { capture: true });
}

/** Whether a key of the table was pressed. */
export function isKey(name: KeyName, event: Pressed): boolean {
  const { key, isCtrl } = KEYS[name];
  const hasCtrl = event.ctrlKey || event.metaKey;
  return !isComposed(event) && !event.altKey && hasCtrl === isCtrl && event.key.toLowerCase() === key.toLowerCase();
}

const TEXT_FIELDS = [
  'input:not([type="checkbox"], [type="radio"])',
  'textarea',
  'select',
  '[contenteditable]:not([contenteditable="false"])',
  '[data-code-editor]',
].join();

/** Whether a key belongs to the text field that it was pressed in. */
export const isTypedText = ({ target }: Event): boolean =>
  target instanceof Element && target.closest(TEXT_FIELDS) !== null;

/**
 * Calls `act` when a key is pressed anywhere on the page, and keeps it from the browser.
 * It listens before its component is painted, so that no key comes too early.
 * A key without Ctrl does nothing in a text field. A key that an element has handled does nothing more.
 *
 * @param act returns whether it did anything; else the key stays the browser's
 */
export function useKey(name: KeyName, act: () => boolean): void {
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (event.defaultPrevented || !isKey(name, event) || (!KEYS[name].isCtrl && isTypedText(event))) return;
    if (act()) event.preventDefault();
  });
  useLayoutEffect(() => {
    const listen = (event: KeyboardEvent) => onKey(event);
    document.addEventListener('keydown', listen);
    return () => document.removeEventListener('keydown', listen);
  }, []);
}

/** Whether a dialog covers the screen. It stays alone: nothing entered in it is lost to another screen. */
export const isDialogOpen = (): boolean => document.querySelector('[aria-modal="true"]') !== null;
