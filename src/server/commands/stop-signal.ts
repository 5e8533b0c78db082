/** Two signals within this time count as one: npm passes on the Ctrl-C that the terminal sends too. */
const DUPLICATE_SIGNAL_MS = 1000;

/**
 * Resolves at the first SIGINT or SIGTERM, even during the start, or when the launcher (bin/) says so or ends.
 * A second one ends the process at once; the sweep of the next worker finds what was open.
 */
export function stopSignal(): Promise<void> {
  return new Promise((stop) => {
    let askedAt: number | null = null;
    const onSignal = () => {
      if (askedAt !== null && Date.now() - askedAt > DUPLICATE_SIGNAL_MS) process.exit(1);
      askedAt ??= Date.now();
      stop();
    };
    process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
    // Its channel: Windows has no signals, and a launcher that is killed passes none on.
    process.on('message', (message) => message === 'stop' && onSignal()).on('disconnect', stop);
    // A start that fails ends by itself.
    process.channel?.unref();
  });
}
