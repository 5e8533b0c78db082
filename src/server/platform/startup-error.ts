/**
 * Something outside the program keeps it from starting. The message is Japanese and says what to do; no stack is shown.
 */
export class StartupError extends Error {
  override readonly name = 'StartupError';
}
