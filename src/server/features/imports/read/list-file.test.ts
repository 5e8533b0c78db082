import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Problem } from '#server/platform/problem.ts';
import { workbookOf } from '#test/workbook.ts';
import { type ListChoice, withListFile } from './list-file.ts';
import { readWorkbook } from './workbook/read-workbook.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kaitaku-list-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function fileOf(bytes: Buffer | string): Promise<string> {
  const path = join(folder, 'list');
  await writeFile(path, bytes);
  return path;
}

async function read(bytes: Buffer | string, choice: ListChoice = {}) {
  const list = await withListFile(1, await fileOf(bytes), choice, async ({ path, encoding, workbook }) => ({
    text: await readFile(path),
    encoding,
    workbook,
  }));
  return list instanceof Problem ? { code: list.code, message: list.message } : list;
}

const compound = (text: string) =>
  Buffer.concat([Buffer.from([0xd0, 0xcf, 0x11, 0xe0]), Buffer.alloc(1_500_000), Buffer.from(text, 'utf16le')]);

const HTML =
  '<html xmlns:x="urn:schemas-microsoft-com:office:excel"><head></head><body><table><tr><th>会社名</th></tr></table></body></html>';
const XML =
  '<?xml version="1.0"?>\n<?mso-application progid="Excel.Sheet"?>\n<Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet">';

describe('a list', () => {
  it('of text is read as it is, in its encoding or the chosen one', async () => {
    expect(await read('会社名\n甲\n')).toMatchObject({ encoding: 'utf-8', workbook: null });
    expect(await read('会社名\n甲\n', { encoding: 'cp932' })).toMatchObject({ encoding: 'cp932' });
  });

  it('may hold what looks like HTML', async () => {
    expect(await read('会社名,備考\n甲,<table>\n')).toMatchObject({ encoding: 'utf-8' });
    expect(await read('<会社一覧>\n会社名\n甲\n')).toMatchObject({ encoding: 'utf-8' });
  });

  it('of a workbook is CSV in a temporary file, which is removed', async () => {
    const path = await fileOf(workbookOf({ sheets: [{ rows: [['会社名'], ['甲']] }] }));
    let csvPath = '';
    await withListFile(1, path, {}, async (list) => {
      csvPath = list.path;
      expect(await readFile(csvPath, 'utf8')).toBe('会社名\n甲\n');
      expect(list).toMatchObject({ encoding: 'utf-8', workbook: { sheets: ['Sheet1'], sheet: 0 } });
    });
    await expect(readdir(join(csvPath, '..'))).rejects.toThrow('ENOENT');
  });

  it.each([
    ['bad-inputs 224: .xls', compound('Workbook'), 'not_a_table', '.xls'],
    ['bad-inputs 224: an encrypted xlsx', compound('EncryptedPackage'), 'encrypted', 'パスワード'],
    ['another compound file', compound('WordDocument'), 'not_a_table', '表として'],
    ['a PDF', '%PDF-1.7', 'not_a_table', '表として'],
    ['bad-inputs 85: the head of a zip', 'PK\u0003\u0004rest', 'broken_workbook', '壊れて'],
    ['a workbook of more than 50 MB', Buffer.alloc(52_428_801, 'PK\u0003\u0004'), 'file_too_large', '50MB'],
    ['a table of HTML', HTML, 'not_a_table', 'HTML'],
    [
      'a table of HTML alone, with a mark',
      '\uFEFF\n<TABLE border=1><tr><td>会社名</td></tr></TABLE>',
      'not_a_table',
      'HTML',
    ],
    ['a table of HTML in UTF-16', Buffer.from(`\uFEFF${HTML}`, 'utf16le'), 'not_a_table', 'HTML'],
    ['XHTML', `<?xml version="1.0"?>\n<!-- 出力 -->\n<!DOCTYPE html>\n${HTML}`, 'not_a_table', 'HTML'],
    ['XML of Excel 2003', XML, 'not_a_table', 'Excel 2003'],
    ['a web archive', 'MIME-Version: 1.0\r\nContent-Type: multipart/related; boundary=x\r\n', 'not_a_table', 'MHTML'],
    ['an empty file', '', 'empty_file', '空です'],
  ])('is refused where it is %s', async (_, bytes, code, words) => {
    expect(await read(bytes)).toMatchObject({ code, message: expect.stringContaining(words) });
  });
});

describe('bad-inputs 224: the thread that reads a workbook', () => {
  const strings = Array.from({ length: 500_000 }, (_, at) => `<si><t>株式会社甲乙丙丁${at}</t></si>`).join('');
  const workbook = workbookOf({ sheets: [{ rows: [['甲']] }], strings });
  const optionsOf = async () => ({
    path: await fileOf(workbook),
    csvPath: join(folder, 'list.csv'),
    sheet: null,
    headRows: null,
  });
  const LIMITS = { heapMb: 512, ms: 120_000, cpuMs: 120_000 };
  const open = async (limits: Partial<typeof LIMITS>, signal?: AbortSignal) =>
    readWorkbook(await optionsOf(), 1, signal, { ...LIMITS, ...limits });

  it('has limited memory', async () => {
    expect(await open({ heapMb: 16 })).toMatchObject({ code: 'file_too_large' });
  });

  it.each(['ms', 'cpuMs'])('has limited time (%s)', async (limit) => {
    expect(await open({ [limit]: 1 })).toMatchObject({
      code: 'file_too_large',
      message: expect.stringContaining('時間内に'),
    });
  });

  it('ends where the work is given up', async () => {
    const signal = AbortSignal.abort(new Error('the lease is lost'));
    await expect(open({}, signal)).rejects.toThrow('the lease is lost');
  });

  it('is not waited for by a request that has ended, and the others keep their turns', async () => {
    const options = await optionsOf();
    const first = readWorkbook(options, 1);
    const gone = new AbortController();
    const second = readWorkbook(options, 1, gone.signal);
    const third = readWorkbook(options, 1);
    gone.abort(new Error('the client is gone'));
    await expect(Promise.race([first, second, third])).rejects.toThrow('the client is gone');
    expect(await Promise.race([third, first.then(() => 'the first is read')])).toBe('the first is read');
    expect(await third).toMatchObject({ sheet: 0 });
  });

  it('reads for accounts in turn, whatever each has waiting', async () => {
    const small = await optionsOf();
    await writeFile(small.path, workbookOf({ sheets: [{ rows: [['甲']] }] }));
    const read: number[] = [];
    const reads = [1, 1, 1, 2].map(async (accountId) => {
      await readWorkbook(small, accountId);
      read.push(accountId);
    });
    await Promise.all(reads);
    expect(read).toStrictEqual([1, 2, 1, 1]);
  });
});
