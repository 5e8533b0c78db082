import { mkdirSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import pg from 'pg';
import { type DestinationStream, type Logger, pino } from 'pino';

export const LOG_LEVELS = ['error', 'warn', 'info'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/**
 * Creates the log of a process: JSON lines to standard error.
 * Mail addresses are masked in the finished line, and errors keep only fields without user data. A line never breaks:
 * JSON escapes line ends.
 */
export function createLog(level: LogLevel, destination: DestinationStream = pino.destination(2)): Logger {
  return pino(
    {
      level,
      // req, res: Fastify's own serializers would log URLs and addresses.
      serializers: { err: errorFields, req: ({ method }: { method: string }) => ({ method }), res: () => undefined },
      hooks: { streamWrite: masked },
    },
    destination,
  );
}

/** A larger log is renamed at the start, as the previous log. */
const MAX_LOG_BYTES = 10_000_000;
/** The quiet time on the screen after a fault. */
const QUIET_MS = 600_000;
const FATAL = 60;

/**
 * Creates a log for a user at a terminal: JSON lines in a file, and occasionally one line on standard error. If the
 * file cannot be written, all lines go to standard error.
 */
export function createFileLog(
  path: string,
  say: (line: string) => unknown = (line) => process.stderr.write(line),
): Logger {
  const file = openLogFile(path);
  if (file === null) return createLog('warn');
  let quietUntil = 0;
  const write = (line: string): void => {
    file.write(line);
    const { level, msg } = JSON.parse(line) as { level: number; msg: string };
    if (level < FATAL && Date.now() < quietUntil) return;
    quietUntil = Date.now() + QUIET_MS;
    say(`問題を記録しました（${msg}）。詳しくは ${path} をご覧ください。\n`);
  };
  return createLog('warn', { write });
}

function openLogFile(path: string): DestinationStream | null {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o755 });
    if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > MAX_LOG_BYTES) renameSync(path, `${path}.1`);
    // A full disk must not end the program.
    return pino.destination({ dest: path, append: true, mode: 0o600, sync: true }).on('error', () => {});
  } catch {
    return null;
  }
}

/** Masks mail addresses (taro@example.com → t***@example.com), and removes user and password from URLs. */
export function masked(line: string): string {
  return line
    .replace(/\/\/[^\s/"@]{1,300}@/g, '//***@')
    .replace(/\\"[^"\\]{1,100}\\"@/g, '***@')
    .replace(/([^\s"<>()[\]:;,/\\@＠*])[^\s"<>()[\]:;,/\\@＠*]{0,300}([@＠])/g, '$1***$2');
}

/**
 * Error fields that are logged besides message and stack.
 * Excludes PostgreSQL's `detail` and `where`, which quote rows.
 */
const FIELDS = ['code', 'table', 'column', 'constraint', 'routine', 'syscall', 'command', 'responseCode'] as const;

const MAX_CAUSES = 3;

function errorFields(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return { message: String(error) };
  const message = withoutValues(error);
  const fields = error as unknown as Record<string, unknown>;
  return {
    type: error.name,
    message,
    stack: (error.stack ?? '').replace(error.message, () => message),
    ...Object.fromEntries(FIELDS.filter((name) => fields[name] !== undefined).map((name) => [name, fields[name]])),
    ...(error.cause !== undefined && depth < MAX_CAUSES && { cause: errorFields(error.cause, depth + 1) }),
    ...(error instanceof AggregateError && {
      causes: error.errors.slice(0, MAX_CAUSES).map((one) => errorFields(one, MAX_CAUSES)),
    }),
  };
}

/** Returns an error's message on one line, with what the log masks removed. */
export const faultText = (error: unknown): string =>
  masked(error instanceof Error ? withoutValues(error) : String(error)).replaceAll(/\p{C}+/gu, ' ');

/** Removes the value that a data exception (SQLSTATE class 22) quotes: `invalid input syntax for type date: "…"`. */
function withoutValues(error: Error): string {
  const quotes = error instanceof pg.DatabaseError && error.code?.startsWith('22');
  return quotes ? error.message.replace(/: ".*$/s, ': …') : error.message;
}
