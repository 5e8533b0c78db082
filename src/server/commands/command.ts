import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { Command, type CommanderError, type Help, InvalidArgumentError, type Option } from 'commander';

/** A wrong command line. The message names the fault in Japanese, and shows the usage. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/**
 * Returns a command of Commander that speaks Japanese and never ends the process.
 * Wrong use throws UsageError; `--help` and `--version` print and throw Commander's own error with `exitCode` 0.
 * @param summary one line for the list of commands
 * @param details shown by `--help` in place of the summary
 */
export function command(name: string, summary: string, details = summary): Command {
  const made = new Command(name)
    .summary(summary)
    .description(details)
    .helpOption('--help', '使い方を表示する')
    .helpCommand(false)
    .configureHelp(JAPANESE_HELP)
    .configureOutput({ writeErr: () => {}, outputError: () => {} });
  return made.exitOverride((error) => {
    if (error.exitCode === 0) throw error;
    // Commander asks for a missing mandatory option before it names a misspelt one.
    const misspelt =
      error.code === 'commander.missingMandatoryOptionValue' && made.args.find((arg) => arg.startsWith('-'));
    const message = misspelt ? unknownOption(misspelt) : faultMessage(error);
    throw new UsageError(`${message}\n\n${made.helpInformation().trimEnd()}`);
  });
}

/** The option that names the account of a command. */
export const ACCOUNT = '--account <メールアドレス>';

/** How commands ask for a password. */
export const PASSWORD_INPUT = 'パスワードは端末で尋ねます。標準入力がパイプのときは、その1行目をパスワードにします。';

/** Logs an operator's action that no account's audit can hold, to standard error like the processes. */
export async function logAct(fields: object, message: string): Promise<void> {
  // Imported here: other commands start faster without it.
  const { createLog } = await import('../platform/log.ts');
  createLog('info', process.stderr).info(fields, message);
}

/** Prints why a command did nothing, and sets the exit code to 1. */
export function refuse(message: string): void {
  process.stderr.write(`${message}\n`);
  process.exitCode = 1;
}

/**
 * Asks for a line on a terminal; otherwise reads the first line of standard input.
 * @param isSecret whether the terminal hides the input
 */
export async function askLine(question: string, { isSecret = false } = {}): Promise<string> {
  const { stdin, stderr } = process;
  if (!stdin.isTTY) {
    for await (const line of createInterface({ input: stdin })) return line;
    return '';
  }
  stderr.write(question);
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input: stdin, output: isSecret ? silent : stderr, terminal: true });
  try {
    return await terminal.question('');
  } finally {
    terminal.close();
    if (isSecret) stderr.write('\n');
  }
}

/** Parses an option or argument that must not be empty. Commander puts its name before the fault's message. */
export function filled(value: string): string {
  if (value === '') throw new InvalidArgumentError('は空にできません。');
  return value;
}

/** Parses an id, for `<番号>`. */
export function id(value: string): number {
  if (!/^\d{1,15}$/.test(value)) throw new InvalidArgumentError(`は整数にしてください（今の値: ${value}）。`);
  return Number(value);
}

const TITLES: Readonly<Record<string, string>> = {
  'Usage:': '使い方:',
  'Arguments:': '引数:',
  'Options:': 'オプション:',
  'Commands:': 'コマンド:',
};

const JAPANESE_HELP: Partial<Help> = {
  styleTitle: (title) => TITLES[title] ?? title,
  commandUsage: (shown) => `${pathOf(shown)} ${wordsOf(shown).join(' ')}`.trimEnd(),
  subcommandTerm: (shown) => shown.name(),
  // The terminal wraps; Japanese has no spaces to wrap at.
  boxWrap: (text) => text,
  // A Japanese character is two columns wide.
  displayWidth: (text) => [...text].reduce((width, letter) => width + (/[ -~]/.test(letter) ? 1 : 2), 0),
};

const pathOf = (shown: Command): string => (shown.parent ? `${pathOf(shown.parent)} ${shown.name()}` : shown.name());

function wordsOf({ commands, registeredArguments, options }: Command): string[] {
  if (commands.length > 0) return ['<コマンド>'];
  const optionWord = ({ flags, mandatory }: Option) => (mandatory ? flags : `[${flags}]`);
  const words = registeredArguments.map((argument) =>
    argument.required ? `<${argument.name()}>` : `[${argument.name()}]`,
  );
  return [...words, ...options.map(optionWord)];
}

interface FaultPattern {
  /** Matches Commander's English message. */
  readonly pattern: RegExp;
  readonly message: (...found: string[]) => string;
}

const unknownOption = (name = ''): string => `「${name}」というオプションはありません。`;

const FAULTS: Readonly<Record<string, FaultPattern>> = {
  'commander.unknownCommand': { pattern: /'(.*?)'/s, message: (name) => `「${name}」というコマンドはありません。` },
  'commander.unknownOption': { pattern: /'(.*?)'/s, message: unknownOption },
  'commander.missingArgument': { pattern: /'(.*)'/s, message: (name) => `<${name}> を指定してください。` },
  'commander.missingMandatoryOptionValue': { pattern: /'(.*)'/s, message: (flags) => `${flags} を指定してください。` },
  'commander.optionMissingArgument': { pattern: /'(.*)'/s, message: (flags) => `${flags} の値がありません。` },
  'commander.excessArguments': {
    pattern: /but got \d+: (.*)\.$/s,
    message: (words) => `余分な引数があります: ${words}`,
  },
  'commander.invalidArgument': {
    pattern: /^error: (?:option '(\S+).*' argument '.*' is invalid|.* for argument '(.*)')\. (は.*)$/s,
    message: (option, argument, rule) => `${option || `<${argument}>`} ${rule}`,
  },
  'commander.help': { pattern: /^/, message: () => 'コマンドを指定してください。' },
};

/** Translates Commander's English message into Japanese. */
function faultMessage({ code, message }: CommanderError): string {
  const fault = FAULTS[code];
  const found = fault?.pattern.exec(message);
  if (!fault || !found) return `コマンドの書き方に誤りがあります（${message}）。`;
  return fault.message(...found.slice(1).map((text) => text ?? ''));
}
