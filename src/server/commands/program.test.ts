import type { Command } from 'commander';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { readSettings } from '../platform/settings.ts';
import { UsageError } from './command.ts';
import { program, runProgram } from './program.ts';

const settings = vi.fn(() => readSettings({}));
const pathsOf = (command: Command, path: readonly string[] = []): string[][] => [
  [...path],
  ...command.commands.flatMap((one) => pathsOf(one, [...path, one.name()])),
];

let printed = '';
beforeEach(() => {
  printed = '';
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    printed += String(text);
    return true;
  });
});
afterEach(() => expect(settings).not.toHaveBeenCalled());

test.each(pathsOf(program(settings)).map((path) => [path.join(' '), path]))(
  '%s --help shows its usage in Japanese, whatever the environment holds',
  async (name, path) => {
    await runProgram([...path, '--help'], settings);
    expect(printed).toMatch(new RegExp(`^使い方: npm run kaitaku -- ${name}`));
    expect(printed).not.toMatch(/usage|option|argument|command|display/i);
  },
);

test.each([[[]], [['help']]])('%j shows all commands', async (args) => {
  await runProgram(args, settings);
  for (const { name, summary } of program(settings).commands.map((one) => ({
    name: one.name(),
    summary: one.summary(),
  })))
    expect(printed).toMatch(new RegExp(`^  ${name} +${summary.replaceAll(/[()]/g, '\\$&')}$`, 'm'));
});

test.each([
  ['fly', '「fly」というコマンドはありません。', ''],
  ['account', 'コマンドを指定してください。', 'account'],
  ['account fly', '「fly」というコマンドはありません。', 'account'],
  ['account list --all', '「--all」というオプションはありません。', 'account list'],
  ['account list all', '余分な引数があります: all', 'account list'],
  ['account set-password', '--email <メールアドレス> を指定してください。', 'account set-password'],
  ['account set-password --email', '--email <メールアドレス> の値がありません。', 'account set-password'],
  ['account set-password --email=', '--email は空にできません。', 'account set-password'],
  ['prospect import --account a@example.com', '<ファイル> を指定してください。', 'prospect import'],
  ['template set-sendgrid x y --account z', '<番号> は整数にしてください（今の値: x）。', 'template set-sendgrid'],
  ['web 3000', '余分な引数があります: 3000', 'web'],
  ['all now', '余分な引数があります: now', 'all'],
  ['template set-sendgrid 1', '--account <メールアドレス> を指定してください。', 'template set-sendgrid'],
  ['account create --email a@example.com', '--name <氏名> を指定してください。', 'account create'],
  ['account create --emial a@example.com', '「--emial」というオプションはありません。', 'account create'],
  [
    'sender set-pace 1 --account a@example.com',
    '--per-minute か --connections を指定してください。',
    'sender set-pace',
  ],
])('kaitaku %s: %s', async (line, message, path) => {
  const error = await runProgram(line.split(' '), settings).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(UsageError);
  expect((error as Error).message.split('\n')[0]).toBe(message);
  expect((error as Error).message).toContain(`\n\n使い方: npm run kaitaku -- ${path}`);
  expect(printed).toBe('');
});
