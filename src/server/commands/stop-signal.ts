/** Two signals within this time count as one: npm forwards the Ctrl-C that the terminal sends too. */
const DUPLICATE_SIGNAL_MS = 1000;

/**
 * Resolves at the first SIGINT or SIGTERM, even during the start, or when the launcher (bin/) stops or asks for it.
 * A second signal ends the process at once; another worker's sweep takes over its open work.
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
    // The launcher's channel: Windows has no signals, and a killed launcher forwards none.
    process.on('message', (message) => message === 'stop' && onSignal()).on('disconnect', stop);
    // The channel must not keep a failed start alive.
    process.channel?.unref();
  });
}
