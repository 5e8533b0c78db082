import { useEffectEvent, useLayoutEffect } from 'react';

/** The keyboard shortcuts of every screen. Tables have their own (components/data-table/one-tab-stop.ts). */
const KEYS = {
  /** Opens the palette. */
  palette: { key: 'k', isCtrl: true },
  /** Saves the form of the screen. */
  save: { key: 's', isCtrl: true },
  /** Edits the company on screen. */
  edit: { key: 'e', isCtrl: true },
  /** Presses the primary button of a dialog. */
  confirm: { key: 'Enter', isCtrl: true },
  /** Lists the keyboard shortcuts. */
  help: { key: '?', isCtrl: false },
} as const;

export type KeyName = keyof typeof KEYS;
type Pressed = Pick<KeyboardEvent, 'key' | 'keyCode' | 'ctrlKey' | 'metaKey' | 'altKey' | 'isComposing'>;

const IS_MAC = /^(?:Mac|iP)/.test(navigator.platform);

/** The label of the modifier key: Ctrl, or ⌘ on a Mac. */
export const CTRL = IS_MAC ? '⌘' : 'Ctrl';

/** Returns a shortcut as the screens write it, and in the form of aria-keyshortcuts. */
export function keyText(name: KeyName): { readonly shown: string; readonly aria: string } {
  const { key, isCtrl } = KEYS[name];
  const letter = key.length === 1 ? key.toUpperCase() : key;
  return isCtrl
    ? { shown: IS_MAC ? CTRL + letter : `${CTRL}+${letter}`, aria: `Control+${letter} Meta+${letter}` }
    : { shown: letter, aria: letter };
}

/** The keyCode of keys that an IME handles. Safari ends a composition by an Enter that has only this. */
const TAKEN_BY_IME = 229;

/** Whether an IME is composing, which then handles all keys. */
const isComposed = ({ isComposing, keyCode }: Pick<KeyboardEvent, 'isComposing' | 'keyCode'>): boolean =>
  isComposing || keyCode === TAKEN_BY_IME;

/**
 * Hides the keys of an IME from all listeners of the page, in every field.
 * The Enter or Escape that ends a conversion then has no effect. Editors handle these keys themselves.
 */
export function ignoreComposedKeys(): void {
  const listen = (event: KeyboardEvent) => {
    const isInEditor = event.target instanceof HTMLElement && event.target.isContentEditable;
    if (isComposed(event) && !isInEditor) event.stopImmediatePropagation();
  };
  // A capturing listener on the window runs before all others.
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

/** Whether a key was pressed in a text field that uses it. */
export const isTypedText = ({ target }: Event): boolean =>
  target instanceof Element && target.closest(TEXT_FIELDS) !== null;

/**
 * Calls `act` when a key is pressed anywhere on the page, and cancels the browser's action.
 * It listens before its component is painted, so that no key is missed.
 * A key without Ctrl is ignored in a text field, and any key that an element has handled.
 *
 * @param act returns whether it did anything; if not, the browser handles the key
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

/** Whether a dialog covers the screen: keys must then open no other screen, which would lose the dialog's input. */
export const isDialogOpen = (): boolean => document.querySelector('[aria-modal="true"]') !== null;
