import { afterAll, afterEach, beforeEach, expect, vi } from 'vitest';
import { endFile } from './file-end.ts';

// A hash at full cost takes 75 ms of CPU, and no test of about 250 depends on that cost.
vi.mock(import('#server/features/auth/hash-cost.ts'), () => ({ HASH_COST: { memory: 8, passes: 1, parallelism: 1 } }));

// Makes a test fail if the program writes a warning or an error to the console.
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
