import { type ParseArgsConfig, parseArgs } from 'node:util';

/** The command line is wrong; the message says how it should be. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** util.parseArgs with strict options, its faults told in Japanese with the command's usage behind them. */
export function readArguments<const Options extends NonNullable<ParseArgsConfig['options']>>(
  args: string[],
  options: Options,
  usage: string,
) {
  try {
    return parseArgs({ args, options, allowPositionals: true, strict: true });
  } catch (error) {
    throw new UsageError(`コマンドの書き方に誤りがあります（${(error as Error).message}）。\n\n${usage}`);
  }
}
