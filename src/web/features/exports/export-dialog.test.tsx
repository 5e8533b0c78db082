import { act, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Job } from '#contract/account/jobs.ts';
import { fileSize } from '#domain/text/file-size.ts';
import { type FakeAnswer, type FakeRequest, fakeApi, ok, refused } from '#test/web/fake-api.ts';
import { renderPart, toastText } from '#test/web/render.tsx';
import { logInAs } from '#test/web/samples.ts';
import ExportDialog from './export-dialog.tsx';
import type { Export } from './export-list.ts';
import type { ExportSource } from './start-export.ts';

const SOURCE: ExportSource = {
  what: 'prospects',
  list: { sender_group_id: 1, address: '東京', status: 'sent', sort: 'ceo', order: 'desc' },
  total: 300,
  isNarrowed: true,
  ids: [7, 9],
  shownColumns: ['active', 'company_name'],
  ownColumns: ['tags', 'rank'],
};

const NOW = new Date('2026-11-20T03:00:00Z');
const queued = (values: Partial<Export> = {}): Export => ({
  id: 4,
  what: 'prospects',
  format: 'csv_cp932',
  state: 'running',
  created_at: '2026/11/20 12:00:00',
  file: null,
  ...values,
});
const FILE = {
  name: '見込み客_20261120_1200.csv',
  bytes: 25_000,
  rows: 1000,
  replaced: 2,
  expires_at: '2026/11/27 12:00:00',
};
const job = (values: Partial<Job> = {}): Job => ({
  id: 4,
  kind: 'export',
  state: 'running',
  done: 620,
  total: 1000,
  message: null,
  created_at: '2026/11/20 12:00:00',
  finished_at: null,
  ...values,
});

/** Makes an event stream whose events the test sends. */
function stream() {
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  const body = new ReadableStream<Uint8Array>({
    start: (opened) => {
      controller = opened;
    },
  });
  const send = (value: Job) =>
    act(async () => controller?.enqueue(new TextEncoder().encode(`event: job\ndata: ${JSON.stringify(value)}\n\n`)));
  return { answer: () => new Response(body), send };
}

let exports: Export[] = [];
const serve = (more: Parameters<typeof fakeApi>[0] = {}): FakeRequest[] =>
  fakeApi({
    'GET /export/list': () => ok(exports),
    'GET /job/4': () => ok(job()),
    'GET /job/4/events': (): FakeAnswer => 'network',
    ...more,
  });
const show = (source: ExportSource = SOURCE) => renderPart(<ExportDialog source={source} onClose={() => undefined} />);
const start = async () => userEvent.click(await screen.findByRole('button', { name: '書き出す' }));
const choose = async (label: string, option: string) => userEvent.selectOptions(screen.getByLabelText(label), option);
const sent = (requests: FakeRequest[]) => requests.filter(({ path }) => path === '/export');

beforeEach(() => {
  exports = [];
  logInAs();
  vi.useFakeTimers({ toFake: ['Date'], now: NOW });
});

describe('an export', () => {
  const accepted = { 'POST /export': () => ok({ status: 'added', id: 4 }) };

  it.each([
    [
      '選択した2社',
      '表示中の列',
      {
        ids: [7, 9],
        columns: ['active', 'company_name'],
        own_columns: 'tags,rank',
        sort: 'ceo',
        order: 'desc',
      },
    ],
    ['この条件の300社', 'すべての列', { address: '東京', status: 'sent', sort: 'ceo', order: 'desc' }],
    ['すべての見込み客', 'すべての列', { sort: 'ceo', order: 'desc' }],
    ['すべての見込み客', 'すべての列（相手の人ごとに1行）', { what: 'people', sort: 'ceo', order: 'desc' }],
  ])('of %s, %s', async (scope, columns, more) => {
    const requests = serve(accepted);
    show();
    await choose('範囲', scope);
    await choose('列', columns);
    await choose('形式', 'CSV（Shift_JIS）');
    await start();
    await waitFor(() => expect(sent(requests)).toHaveLength(1));
    const base = { what: 'prospects', format: 'csv_cp932', sender_group_id: 1 };
    expect(sent(requests)[0]?.body).toEqual({ add_info: { ...base, ...more } });
  });

  it('is not started twice by a repeated press after a lost answer', async () => {
    let down = true;
    const requests = serve({ 'POST /export': () => (down ? 'network' : ok({ status: 'added', id: 4 })) });
    show({ what: 'runs' });
    await start();
    await toastText('alert');
    down = false;
    await start();
    await waitFor(() => expect(sent(requests)).toHaveLength(2));
    const [first, second] = sent(requests).map(({ headers }) => headers.get('Idempotency-Key'));
    expect(second).toBe(first);
    await start();
    await waitFor(() => expect(sent(requests)).toHaveLength(3));
    expect(sent(requests)[2]?.headers.get('Idempotency-Key')).not.toBe(first);
  });

  it('is refused at the field if Excel has too few rows', async () => {
    serve();
    show({ ...SOURCE, total: 100_001, ids: undefined });
    await choose('形式', 'Excel');
    expect(screen.getByLabelText('形式').getAttribute('aria-invalid')).toBe('true');
    expect(screen.getByText('Excelは100,000行までです。CSVを選んでください')).toBeDefined();
    expect(screen.getByRole('button', { name: '書き出す' }).getAttribute('aria-disabled')).toBe('true');
  });
});

it('that exceeds the storage of the account shows what to delete, and keeps the choice', async () => {
  const full = '保存できるファイルは、アカウント全体で1 GBまでです';
  serve({ 'POST /export': () => refused(409, full, 'account_storage_full') });
  show();
  await choose('形式', 'Excel');
  await start();
  expect((await screen.findByText(full)).getAttribute('role')).toBe('alert');
  expect((screen.getByLabelText('形式') as HTMLSelectElement).value).toBe('xlsx');
});

describe('a recent export', () => {
  const deleting = () => {
    const requests = serve({
      'POST /export/4/delete': () => {
        exports = [];
        return ok({ status: 'deleted' });
      },
      'GET /job/4': () => ok(job({ state: 'failed', finished_at: '2026/11/20 12:00:09', message: '多すぎます' })),
    });
    return () => requests.filter(({ path }) => path === '/export/4/delete');
  };

  it('with a file is deleted after a question', async () => {
    exports = [queued({ state: 'done', file: FILE })];
    const deletions = deleting();
    show();
    await userEvent.click(await screen.findByRole('button', { name: `${FILE.name}を削除` }));
    expect(screen.getByRole('dialog', { name: '書き出しの削除' }).textContent).toContain('元に戻せません');
    expect(deletions()).toHaveLength(0);
    await userEvent.click(screen.getByRole('button', { name: '書き出しを削除する' }));
    expect(await screen.findByText('まだ書き出していません')).toBeDefined();
    expect(deletions()).toHaveLength(1);
  });

  it('without a file is deleted at once', async () => {
    exports = [queued({ state: 'failed' })];
    const deletions = deleting();
    show();
    await userEvent.click(await screen.findByRole('button', { name: '見込み客の書き出しを削除' }));
    expect(await screen.findByText('まだ書き出していません')).toBeDefined();
    expect(deletions()).toHaveLength(1);
  });
});

describe('the recent exports', () => {
  it('show the progress as it is streamed, then the file', async () => {
    exports = [queued()];
    const events = stream();
    const requests = serve({ 'GET /job/4/events': events.answer });
    show();
    expect(await screen.findByText('620 / 1,000行')).toBeDefined();
    await events.send(job({ done: 900 }));
    expect(screen.getByText('900 / 1,000行')).toBeDefined();
    expect(requests.filter(({ path }) => path === '/job/4')).toHaveLength(1);
    exports = [queued({ state: 'done', file: FILE })];
    await events.send(job({ state: 'done', finished_at: '2026/11/20 12:00:09' }));
    expect(await screen.findByText('ダウンロードできます（7日間）')).toBeDefined();
    expect(screen.getByText('1,000行・24.4 KB')).toBeDefined();
    expect(screen.getByText('2字はShift_JISにないため「〓」になります')).toBeDefined();
  });

  it('poll the progress without events', async () => {
    exports = [queued()];
    let done = 1;
    serve({ 'GET /job/4': () => ok(job({ done: done++ })) });
    show();
    expect(await screen.findByText('1 / 1,000行')).toBeDefined();
    expect(await screen.findByText('2 / 1,000行', {}, { timeout: 10_000 })).toBeDefined();
  });

  it('save the file under its name', async () => {
    exports = [queued({ state: 'done', file: FILE })];
    serve({ 'GET /export/4/file': () => new Response('会社名\n') });
    const saved: string[] = [];
    const createObjectURL = vi.fn((_blob: Blob) => 'blob:file');
    vi.stubGlobal('URL', Object.assign(URL, { createObjectURL, revokeObjectURL: () => undefined }));
    const click = vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
      saved.push(this.download);
    });
    onTestFinished(() => click.mockRestore());
    show();
    await userEvent.click(await screen.findByRole('button', { name: `${FILE.name}をダウンロード` }));
    await waitFor(() => expect(saved).toEqual([FILE.name]));
    expect(await createObjectURL.mock.lastCall?.[0].text()).toBe('会社名\n');
  });

  it('say why there is no file', async () => {
    exports = [queued({ state: 'failed' }), queued({ id: 5, state: 'cancelled' })];
    serve({
      'GET /job/4': () => ok(job({ state: 'failed', finished_at: '2026/11/20 12:00:09', message: '多すぎます' })),
    });
    show();
    expect(await screen.findByText('書き出せませんでした：多すぎます')).toBeDefined();
    expect(screen.getByText('書き出しを中止しました')).toBeDefined();
  });

  it('leave out expired files and failures of more than 7 days ago', async () => {
    exports = [
      queued({ id: 1, state: 'done', created_at: '2026/11/12 12:00:00' }),
      queued({ id: 2, state: 'cancelled', created_at: '2026/11/12 12:00:00' }),
    ];
    serve();
    show();
    expect(await screen.findByText('まだ書き出していません')).toBeDefined();
  });

  it('can be cancelled, and report a refusal', async () => {
    exports = [queued()];
    serve({ 'POST /job/4/cancel': () => refused(409, '処理は終わっています') });
    show();
    await userEvent.click(await screen.findByRole('button', { name: '見込み客の書き出しを中止' }));
    expect(await toastText('alert')).toBe('処理は終わっています');
  });
});

it.each([
  [0, '0 B'],
  [980, '980 B'],
  [25_000, '24.4 KB'],
  [5_242_880, '5 MB'],
])('%d bytes are %s', (bytes, text) => expect(fileSize(bytes)).toBe(text));
