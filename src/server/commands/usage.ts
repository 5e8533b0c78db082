import { type ParseArgsConfig, parseArgs } from 'node:util';
import type { Settings } from '../platform/settings.ts';

/**
 * A subcommand: what follows its name in, the process's exit code out. The settings are read when it asks for them, so that --help
 * and a misspelt option are answered whatever the environment holds.
 */
export type Command = (args: string[], readSettings: () => Settings) => Promise<number>;

/** The command line is wrong; the message says how it should be. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/**
 * util.parseArgs with strict options and --help.
 * @returns null when the usage was asked for, and printed
 * @throws UsageError in Japanese, the usage behind it
 */
export function readArguments<const Options extends NonNullable<ParseArgsConfig['options']>>(
  args: string[],
  options: Options,
  usage: string,
) {
  try {
    const config = {
      args,
      options: { ...options, help: { type: 'boolean' as const } },
      allowPositionals: true,
    } as const;
    const parsed = parseArgs<typeof config>(config);
    if (!(parsed.values as { help?: boolean }).help) return parsed;
    process.stdout.write(`${usage}\n`);
    return null;
  } catch (error) {
    throw new UsageError(`コマンドの書き方に誤りがあります（${(error as Error).message}）。\n\n${usage}`);
  }
}

/** For a command without options or words of its own. @returns false when the usage was asked for */
export function takesNothing(args: string[], usage: string): boolean {
  const given = readArguments(args, {}, usage);
  if (given && given.positionals.length > 0) throw new UsageError(usage);
  return given !== null;
}
