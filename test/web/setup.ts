import { cleanup, configure, getConfig, prettyDOM } from '@testing-library/react';
import { afterEach, beforeEach, expect, vi } from 'vitest';
import type { StoreApi } from 'zustand';
import { useOverlay } from '#web/app/overlay-state.ts';
import { queryClient } from '#web/lib/api/query-client.ts';
import { useRefusals } from '#web/lib/api/refusals.ts';
import { noteServerTime } from '#web/lib/api/server-clock.ts';
import { useAppearance } from '#web/lib/screen/appearance.ts';
import { ignoreComposedKeys } from '#web/lib/screen/keys.ts';
import { useToasts } from '#web/lib/screen/toast.ts';
import { toastRoot } from '#web/lib/screen/toast-root.ts';
import { clearSession } from '#web/lib/session/session-store.ts';
import { addModalDialogs } from './modal-dialogs.ts';

// The files of a worker share the client's modules and one window (decisions/tests). What a test leaves there is
// removed here.

// A file's own mock of a module would get the real one, if another file has loaded it.
vi.mock('#web/features/mail-templates/editor/rich/rich-field.tsx', () => import('./plain-fields.tsx'));

/** Returns the error of a query without the page's HTML. The library would print it for each try of a wait. */
function elementError(message: string | null, container: Element): Error {
  const { _disableExpensiveErrorDiagnostics: isTry } = getConfig() as { _disableExpensiveErrorDiagnostics?: boolean };
  const error = new Error(`${message}${isTry ? '' : `\n\n${prettyDOM(container)}`}`);
  return Object.assign(error, { name: 'TestingLibraryElementError' });
}

// Calls the same function as main.tsx.
ignoreComposedKeys();

// A slow test on a busy machine is no fault.
configure({ asyncUtilTimeout: 15_000, getElementError: elementError });
vi.setConfig({ testTimeout: 60_000 });

// The client needs these, and jsdom lacks them. What tests replace by vi.stubGlobal ends with the test.
Object.assign(globalThis, {
  fetch: () => Promise.reject(new Error('this test fakes no server')),
  matchMedia: (query: string) => ({
    matches: false,
    media: query,
    addEventListener: () => undefined,
    removeEventListener: () => undefined,
  }),
  ResizeObserver: class {
    observe(): void {}
    unobserve(): void {}
    disconnect(): void {}
  },
});
Element.prototype.scrollIntoView = () => undefined;
// Its styles hide a popover.
HTMLElement.prototype.showPopover = function () {
  this.style.display = 'block';
};
addModalDialogs();

const reset = <State>(store: StoreApi<State>): void => store.setState(store.getInitialState(), true);

const noise: unknown[][] = [];

beforeEach(() => {
  noise.length = 0;
  vi.spyOn(console, 'error').mockImplementation((...words) => void noise.push(words));
  vi.spyOn(console, 'warn').mockImplementation((...words) => void noise.push(words));
});

afterEach(() => {
  cleanup();
  queryClient.clear();
  clearSession();
  reset(useToasts);
  toastRoot.knownAt = 0;
  reset(useRefusals);
  reset(useOverlay);
  reset(useAppearance);
  noteServerTime(null, 0);
  sessionStorage.clear();
  localStorage.clear();
  document.title = '';
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  expect(noise, 'console.error or console.warn was called').toEqual([]);
});
