/**
 * A fault outside the program that prevents its start.
 * The message is Japanese and names the remedy; no stack is shown.
 */
export class StartupError extends Error {
  override readonly name = 'StartupError';
}
