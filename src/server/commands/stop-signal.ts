/** A Ctrl-C may arrive twice, from the terminal and passed on by npm: within this time the two are one. */
const SAME_MS = 1000;

/**
 * Resolves at the first SIGINT or SIGTERM, also when it comes while things are still being started. A second one ends
 * the process at once: what was open is found by the sweep of the next worker.
 */
export function stopSignal(): Promise<void> {
  return new Promise((stop) => {
    let askedAt: number | null = null;
    const onSignal = () => {
      if (askedAt !== null && Date.now() - askedAt > SAME_MS) process.exit(1);
      askedAt ??= Date.now();
      stop();
    };
    process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
  });
}
