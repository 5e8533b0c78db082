import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createFileLog, createLog, masked } from './log.ts';

function collect() {
  const lines: string[] = [];
  const log = createLog('info', { write: (line) => void lines.push(line) });
  return {
    log,
    lines,
    last: () => JSON.parse(lines.at(-1) ?? '') as Record<string, unknown> & { err: Record<string, unknown> },
  };
}

describe('addresses in a line', () => {
  test.each([
    ['taro@example.com', 't***@example.com'],
    ['550 5.1.1 <taro.yamada+x@mail.example.co.jp>: no such user', '550 5.1.1 <t***@mail.example.co.jp>: no such user'],
    ['a@x.jp,bb@y.jp;ccc@z.jp', 'a***@x.jp,b***@y.jp;c***@z.jp'],
    ['Key (lower(email))=(taro@example.com) already', 'Key (lower(email))=(t***@example.com) already'],
    ['Info＠Example.co.jp', 'I***＠Example.co.jp'],
    ['例え@例え.jp', '例***@例え.jp'],
    [`o'brien#!{x}@example.com`, 'o***@example.com'],
    ['x@[127.0.0.1]', 'x***@[127.0.0.1]'],
    ['postgres://kaitaku:p%40ss@db.example.com/kaitaku', 'postgres://***@db.example.com/kaitaku'],
    ['smtps://me:secret@smtp.example.com', 'smtps://***@smtp.example.com'],
    ['no address here, @ alone', 'no address here, @ alone'],
  ])('%s', (text, expected) => {
    const { log, last } = collect();
    log.info({ nested: [{ text }] }, text);
    expect(last()).toMatchObject({ nested: [{ text: expected }], msg: expected });
  });

  test('a quoted local part leaves nothing', () => {
    const { log, last } = collect();
    log.info('to "taro yamada"@example.com');
    expect(last().msg).toBe('to ***@example.com');
  });

  test('64 KB of what nearly matches come to an end', () => {
    const nearly = `${'a'.repeat(32_000)}${'@'.repeat(16_000)}${'\\"'.repeat(8000)}`;
    expect(masked(nearly)).toContain('a***@');
  });
});

describe('an error', () => {
  test('keeps what says where and why, and its cause', () => {
    const { log, last } = collect();
    const cause = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:5432'), {
      code: 'ECONNREFUSED',
      syscall: 'connect',
    });
    log.error({ err: new TypeError('no answer', { cause }) }, 'failed');
    expect(last().err).toMatchObject({
      type: 'TypeError',
      message: 'no answer',
      stack: expect.stringContaining('log.test.ts'),
      cause: { code: 'ECONNREFUSED', syscall: 'connect', message: 'connect ECONNREFUSED 127.0.0.1:5432' },
    });
  });

  test('keeps nothing else that hangs on it', () => {
    const { log, lines } = collect();
    const error = Object.assign(new Error('refused'), {
      response: 'body',
      config: { auth: 'secret' },
      query: 'SELECT secret',
    });
    log.error({ err: error }, 'failed');
    expect(lines[0]).not.toMatch(/secret|"body"/);
  });

  test('of PostgreSQL names table and constraint, never values', () => {
    const { log, lines, last } = collect();
    const violation = Object.assign(new pg.DatabaseError('violates "remarks_short"', 1, 'error'), {
      code: '23514',
      table: 'active_prospect',
      constraint: 'remarks_short',
      detail: 'Failing row contains (1, 秘密).',
      where: "unnamed portal parameter $1 = '秘密'",
    });
    log.error({ err: violation }, 'failed');
    expect(last().err).toMatchObject({ table: 'active_prospect', constraint: 'remarks_short', code: '23514' });
    const value = Object.assign(new pg.DatabaseError('invalid input syntax for type date: "秘密"', 1, 'error'), {
      code: '22007',
    });
    log.error({ err: value }, 'failed');
    expect(last().err).toMatchObject({ message: 'invalid input syntax for type date: …' });
    expect(lines.join('')).not.toContain('秘密');
  });

  test.each([['a text'], [null], [{ toString: (): string => 'odd' }]])(
    'that is none, %j, is told as text',
    (thrown) => {
      const { log, last } = collect();
      log.error({ err: thrown }, 'failed');
      expect(last().err).toBeDefined();
    },
  );

  test('that holds itself as its cause ends', () => {
    const { log, last } = collect();
    const error = new Error('round');
    error.cause = error;
    log.error({ err: error }, 'failed');
    expect(last().err.message).toBe('round');
  });
});

test('a line stays one line, whatever is in it', () => {
  const { log, lines } = collect();
  const forged = 'x\r\n{"level":30,"msg":"forged"}\n';
  log.warn({ forged, err: new Error(forged) }, forged);
  expect(lines).toHaveLength(1);
  expect(lines[0]?.trimEnd()).not.toMatch(/[\r\n]/);
  expect(JSON.parse(lines[0] ?? '').msg).toBe(forged);
});

describe('a log in a file', () => {
  const folderOfTest = () => {
    const folder = mkdtempSync(join(tmpdir(), 'kaitaku-log-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    return folder;
  };

  test('has every fault with its stack, and the screen one line in ten minutes, or of what ends the program', () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    // The first start makes the folder of the data.
    const path = join(folderOfTest(), 'data/kaitaku.log');
    const screen: string[] = [];
    const log = createFileLog(path, (line) => screen.push(line));
    log.info('not of interest');
    for (let n = 1; n <= 14; n += 1) log.error({ err: new Error('timeout') }, `could not do ${n}; retrying`);
    log.warn({ to: 'taro@example.com' }, 'mail not sent to taro@example.com');
    const first = `問題を記録しました（could not do 1; retrying）。詳しくは ${path} をご覧ください。\n`;
    expect(screen).toStrictEqual([first]);
    const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
    expect(
      lines.map((line) => (JSON.parse(line) as { err?: { stack: string } }).err?.stack.slice(0, 14)),
    ).toStrictEqual([...Array<string>(14).fill('Error: timeout'), undefined]);
    expect(lines.at(-1)).not.toContain('taro@');
    log.fatal('uncaught error: the process ends');
    vi.advanceTimersByTime(600_001);
    log.error('again');
    expect(screen.slice(1).map((line) => line.split('。')[0])).toStrictEqual([
      '問題を記録しました（uncaught error: the process ends）',
      '問題を記録しました（again）',
    ]);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test('continues over starts, until it is too long', () => {
    const path = join(folderOfTest(), 'kaitaku.log');
    for (const what of ['first', 'second']) createFileLog(path, () => {}).error(what);
    expect(readFileSync(path, 'utf8')).toMatch(/first.*\n.*second/);
    writeFileSync(path, 'x'.repeat(10_000_001));
    createFileLog(path, () => {}).error('third');
    expect(readFileSync(path, 'utf8')).toMatch(/^[^x]*third/);
    expect(statSync(`${path}.1`).size).toBe(10_000_001);
  });

  test.runIf(existsSync('/dev/full'))('on a full disk the program goes on', () => {
    const screen: string[] = [];
    createFileLog('/dev/full', (line) => screen.push(line)).error('lost');
    expect(screen).toHaveLength(1);
  });
});
