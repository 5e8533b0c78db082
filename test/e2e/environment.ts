import type { Environment } from 'vitest/runtime';
import { launchBrowser, UNOPTIMIZED, worker } from './launch.ts';

/** A Node environment with one browser for all files of a worker. */
const environment: Environment = {
  name: 'browser',
  viteEnvironment: 'ssr',
  async setup() {
    const browser = await launchBrowser(UNOPTIMIZED);
    worker.browser = browser;
    return { teardown: () => browser.close() };
  },
};

export default environment;
