import { defineConfig } from 'vitest/config';

// Not part of `npm test`: these tests need the system's Postfix, SpamAssassin and Python, and root for Postfix.
export default defineConfig({
  test: {
    include: ['test/relay/*.test.ts'],
    globalSetup: ['test/global-setup.ts'],
    setupFiles: ['test/setup.ts'],
    testTimeout: 120_000,
    hookTimeout: 60_000,
  },
});
