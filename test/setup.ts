import { afterAll, afterEach, beforeEach, expect, vi } from 'vitest';
import { endFile } from './file-end.ts';

// A test fails if the program writes a warning or an error to the console.
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

afterAll(endFile);
