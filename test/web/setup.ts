import { cleanup, configure } from '@testing-library/react';
import { afterEach, beforeEach, expect, vi } from 'vitest';
import { queryClient } from '#web/lib/query-client.ts';
import { noteServerTime } from '#web/lib/server-clock.ts';
import { clearSession } from '#web/lib/session-store.ts';
import { useToasts } from '#web/lib/toast.ts';

// A busy machine is slow, not wrong.
configure({ asyncUtilTimeout: 15_000 });
vi.setConfig({ testTimeout: 60_000 });

// The kit needs these, and jsdom lacks them.
vi.stubGlobal('matchMedia', (query: string) => ({
  matches: false,
  media: query,
  addEventListener: () => undefined,
  removeEventListener: () => undefined,
}));
vi.stubGlobal(
  'ResizeObserver',
  class {
    observe(): void {}
    unobserve(): void {}
    disconnect(): void {}
  },
);
Element.prototype.scrollIntoView = () => undefined;

const noise: unknown[][] = [];

beforeEach(() => {
  noise.length = 0;
  vi.spyOn(console, 'error').mockImplementation((...words) => void noise.push(words));
  vi.spyOn(console, 'warn').mockImplementation((...words) => void noise.push(words));
  vi.stubGlobal('fetch', () => Promise.reject(new Error('this test fakes no server')));
});

afterEach(() => {
  cleanup();
  queryClient.clear();
  clearSession();
  useToasts.setState({ toasts: [] });
  noteServerTime(null, 0);
  sessionStorage.clear();
  localStorage.clear();
  vi.useRealTimers();
  vi.restoreAllMocks();
  expect(noise, 'console.error or console.warn was called').toEqual([]);
});
