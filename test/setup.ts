import { afterEach, beforeEach, expect, vi } from 'vitest';

// A test that makes the program complain on the console has found something: it fails.
beforeEach(() => {
  vi.spyOn(console, 'error');
  vi.spyOn(console, 'warn');
});

afterEach(() => {
  // biome-ignore lint/suspicious/noConsole: watched, not used
  expect(console.error).not.toHaveBeenCalled();
  // biome-ignore lint/suspicious/noConsole: watched, not used
  expect(console.warn).not.toHaveBeenCalled();
  vi.restoreAllMocks();
});
