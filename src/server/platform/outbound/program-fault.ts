/** JavaScript raises errors of these classes itself; those of servers and connections are of others. */
const OURS = [TypeError, RangeError, ReferenceError, SyntaxError, EvalError, URIError];

/**
 * Returns whether an error is a bug of this program, not a fault of a server or of the way to it. Who turns faults of a
 * server into an answer throws these on, so that they reach the log.
 */
export const isProgramFault = (error: unknown): boolean =>
  !(error instanceof Error) || OURS.some((kind) => error instanceof kind);
