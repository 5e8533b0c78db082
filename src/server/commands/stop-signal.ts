/**
 * Resolves at the first SIGINT or SIGTERM (also when it comes while things are still being started). The second one ends the
 * process at once: what is open is found again by the sweep of another worker.
 */
export function stopSignal(): Promise<void> {
  return new Promise((stop) => {
    let asked = false;
    const onSignal = () => {
      if (asked) process.exit(1);
      asked = true;
      stop();
    };
    process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
  });
}
