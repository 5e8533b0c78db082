import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Job } from '#contract/account/jobs.ts';
import type { Import, ImportReview } from '#contract/imports/imports.ts';
import { deferred, type FakeAnswer, type FakeRequest, fakeApi, ok, refused } from '#test/web/fake-api.ts';
import { renderApp, toastText } from '#test/web/render.tsx';
import { logInAs } from '#test/web/samples.ts';
import { IMPORT, type Look } from '#web/features/imports/import-query.ts';
import { useUploads } from '#web/features/imports/upload-state.ts';
import { columnLayout } from '#web/features/prospects/column-layout.ts';
import { queryClient } from '#web/lib/api/query-client.ts';
import { sentenceTime } from '#web/lib/screen-time.ts';
import { readKept } from '#web/lib/session/kept.ts';
import { setDraft, useSession } from '#web/lib/session/session-store.ts';
// Loads the screens before the tests, so that no wait within a test includes it.
import './workspace.tsx';
import './routes/attack-list.tsx';
import './routes/imports.tsx';
import './routes/new-import.tsx';

const NOW = new Date('2026-11-20T03:00:00Z');
const CONTENT = '企業名,売上(百万円),FAX\n㈱花,120,03\n';

const found = (values: Partial<Import> = {}): Import => ({
  id: 12,
  name: 'list.csv',
  state: 'uploaded',
  bytes: CONTENT.length,
  uploaded: CONTENT.length,
  head_sha256: null,
  expires_at: '2026/11/21 12:00:00',
  job_id: null,
  message: null,
  remarks_group_name: null,
  review: null,
  counts: null,
  imported_at: null,
  undo_until: null,
  undone: null,
  ...values,
});

const LOOK: Look = {
  encoding: 'cp932',
  separator: 'comma',
  sheets: [],
  sheet: null,
  header_row: 1,
  heading: ['企業名', '売上(百万円)', 'FAX'],
  rows: [{ row: 2, cells: ['㈱花', '120', '03'] }],
  columns: [
    { index: 0, heading: '企業名', samples: ['㈱花'], field: 'company_name', unit: '' },
    { index: 1, heading: '売上(百万円)', samples: ['120'], field: 'amount_of_sales', unit: '百万円' },
    { index: 2, heading: 'FAX', samples: ['03'], field: null, unit: '' },
  ],
  sure: 0,
  mapping: 'auto',
  missing: [],
};

const REVIEW: ImportReview = {
  rows: 10_003,
  added: 9412,
  updated: 88,
  unchanged: 500,
  refused: 3,
  repeated: 0,
  closed: 0,
  blanked: 0,
  not_taken: 0,
  cut_phone: 0,
  phones: 'mend',
  suppressed: 12,
  archived: 0,
  encoding: 'cp932',
  ignored_columns: ['FAX'],
  groups: [
    { kind: 'refused', column: '代表メール', reason: '@がありません。', count: 2 },
    { kind: 'refused', column: '会社名', reason: '会社名が空です。', count: 1 },
  ],
};

const job = (values: Partial<Job> = {}): Job => ({
  id: 4,
  kind: 'import_run',
  state: 'running',
  done: 6200,
  total: 10_000,
  message: null,
  created_at: '2026/11/20 12:00:00',
  finished_at: null,
  ...values,
});

const COUNTS = { added: 9412, updated: 88, unchanged: 500, refused: 3, repeated: 0, closed: 0 };
const IMPORTED = found({ state: 'imported', counts: COUNTS, undo_until: '2026/11/21 11:00:00' });

const listed = (rows: unknown[], total = rows.length): Response =>
  Response.json(rows, { headers: { 'X-Total-Count': String(total) } });

let stored = found();
const serve = (more: Parameters<typeof fakeApi>[0] = {}): FakeRequest[] =>
  fakeApi({
    'GET /import/list': () => listed([]),
    'GET /import/12': () => ok(stored),
    'GET /import/12/look': () => ok(LOOK),
    'GET /import/12/change/list': () => listed([]),
    'GET /import/12/line/list': () => listed([]),
    'GET /job/4': () => ok(job()),
    'GET /job/4/events': (): FakeAnswer => 'network',
    ...more,
  });

const of = (requests: FakeRequest[], path: string) => requests.filter((request) => request.path === path);
const button = (name: string | RegExp) => screen.findByRole('button', { name });
const press = async (name: string | RegExp) => userEvent.click(await button(name));
const file = (content: string | Uint8Array<ArrayBuffer> = CONTENT, name = 'list.csv') => new File([content], name);
const choose = async (chosen: File, label = 'ファイルを選ぶ') =>
  fireEvent.change(await screen.findByLabelText(label), { target: { files: [chosen] } });
const select = (label: string, value: string) => userEvent.selectOptions(screen.getByLabelText(label), value);

beforeEach(() => {
  stored = found();
  useUploads.setState({}, true);
  logInAs();
  vi.useFakeTimers({ toFake: ['Date'], now: NOW });
});

describe('the file of an import', () => {
  const sized = (name: string, size: number) => Object.defineProperty(file('x', name), 'size', { value: size });

  it.each([
    ['an empty file', file(''), 'ファイルが空です'],
    ['a CSV of 513 MB', sized('list.csv', 513 * 1024 * 1024), /^大きすぎます（513MB）/],
    ['a workbook of 51 MB', sized('list.xlsx', 51 * 1024 * 1024), /Excelのファイルは50MBまでです/],
  ])('%s is refused at the field before anything is sent', async (_, chosen, text) => {
    const requests = serve();
    await renderApp('/imports/new');
    await choose(chosen);
    expect(await screen.findByText(text)).toBeDefined();
    expect(screen.getByLabelText('ファイルを選ぶ').getAttribute('aria-invalid')).toBe('true');
    expect(of(requests, '/import')).toHaveLength(0);
  });

  it('is sent in parts, and read as detected', async () => {
    const bytes = new Uint8Array(700 * 1024);
    stored = found({ state: 'uploading', uploaded: 0, bytes: bytes.length });
    const requests = serve({
      'POST /import': () => ok({ status: 'added', id: 12, discarded: [] }),
      'PUT /import/12/content': ({ query, body }) => {
        const uploaded = Number(query.get('start')) + (body as ArrayBuffer).byteLength;
        stored = found({ ...stored, uploaded, state: uploaded === bytes.length ? 'uploaded' : 'uploading' });
        return ok({ uploaded });
      },
    });
    const { router } = await renderApp('/imports/new');
    await choose(file(bytes));
    await screen.findByText(/^アップロードしました/);
    expect(router.state.location.search).toBe('?import=12');
    expect(of(requests, '/import')[0]?.body).toEqual({
      add_info: { name: 'list.csv', bytes: bytes.length, head_sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
    });
    const parts = of(requests, '/import/12/content');
    expect(parts.map(({ query }) => query.get('start'))).toEqual(['0', String(256 * 1024)]);
    expect(parts[0]?.headers.get('Content-Type')).toBe('application/octet-stream');
    expect(await screen.findByText('自動で判定しました：Shift_JIS')).toBeDefined();
    expect(await screen.findByRole('cell', { name: '㈱花' })).toBeDefined();
    await select('文字コード', 'UTF-8');
    await waitFor(() => expect(of(requests, '/import/12/look').at(-1)?.query.get('encoding')).toBe('utf-8'));
  });

  it('is reloaded if an answer from before the end of the upload arrives after it', async () => {
    const bytes = new Uint8Array(10);
    const early = deferred();
    let asked = 0;
    stored = found({ bytes: bytes.length, uploaded: bytes.length });
    serve({
      'POST /import': () => ok({ status: 'added', id: 12, discarded: [] }),
      'PUT /import/12/content': () => ok({ uploaded: bytes.length }),
      'GET /import/12': () => (++asked === 1 ? early.answer : ok(stored)),
    });
    await renderApp('/imports/new');
    await choose(file(bytes));
    await waitFor(() => expect([asked, useUploads.getState()[12]?.state]).toEqual([1, 'done']));
    early.resolve(ok(found({ state: 'uploading', uploaded: 0, bytes: bytes.length })));
    expect(await screen.findByText(/^アップロードしました/)).toBeDefined();
  });

  it('that exceeds the storage of the account stays chosen, also while the user frees storage on other screens', async () => {
    const full = '保存できるファイルは、アカウント全体で1 GBまでです。';
    let isFull = true;
    const requests = serve({
      'POST /import': () =>
        isFull ? refused(409, full, 'account_storage_full') : ok({ status: 'added', id: 12, discarded: ['古い.csv'] }),
      'PUT /import/12/content': () => ok({ uploaded: file().size }),
    });
    const { router } = await renderApp('/imports/new');
    await choose(file());
    expect((await screen.findByText(/^保存できるファイルは/)).closest('[role=alert]')).not.toBeNull();
    await act(() => router.navigate('/imports'));
    await screen.findByText('取り込みの履歴はまだありません');
    isFull = false;
    await act(() => router.navigate('/imports/new'));
    expect(await screen.findByText(/^保存できるファイルは/)).toBeDefined();
    await screen.findByText('選んだファイル：list.csv');
    await press('もう一度アップロード');
    await screen.findByText(/^アップロードしました/);
    expect(of(requests, '/import').map(({ body }) => (body as { add_info: object }).add_info)).toMatchObject([
      { name: 'list.csv' },
      { name: 'list.csv' },
    ]);
    expect(await toastText('status')).toContain('「古い.csv」のアップロードは、15分以上届かなかったため破棄しました');
    await act(() => router.navigate('/imports/new'));
    expect(screen.queryByText(/^保存できるファイルは/)).toBeNull();
  });

  it('delays its part while the server receives one of another file', async () => {
    let parts = 0;
    serve({
      'POST /import': () => ok({ status: 'added', id: 12, discarded: [] }),
      'PUT /import/12/content': () => {
        parts += 1;
        return parts === 1 ? refused(409, '受け取っています', 'part_running') : ok({ uploaded: file().size });
      },
    });
    await renderApp('/imports/new');
    await choose(file());
    await waitFor(() => expect(useUploads.getState()[12]?.state).toBe('done'), { timeout: 10_000 });
    expect(parts).toBe(2);
  });

  it('bad-inputs 233: an interrupted upload is resumed at the offset that the server names', async () => {
    const begun = new Uint8Array(600 * 1024);
    stored = found({ state: 'uploading', uploaded: 0, bytes: begun.length });
    let parts = 0;
    const requests = serve({
      'POST /import': () => ok({ status: 'added', id: 12, discarded: [] }),
      'GET /import/12/look': () => refused(409, 'まだです', 'not_uploaded'),
      'PUT /import/12/content': ({ query, body }): FakeAnswer => {
        parts += 1;
        if (parts === 1) return 'network';
        // The server had received the part whose answer was lost.
        if (parts === 2) return { status: 409, body: { message: '続きから', code: 'wrong_start', details: WRONG } };
        const uploaded = Number(query.get('start')) + (body as ArrayBuffer).byteLength;
        if (uploaded === begun.length) stored = found({ bytes: begun.length, uploaded });
        return ok({ uploaded });
      },
    });
    const WRONG = [{ path: 'start', message: String(256 * 1024) }];
    await renderApp('/imports/new');
    await choose(file(begun));
    await screen.findByText('通信が切れました。続きから再開できます');
    await press('続きから再開');
    await screen.findByText(/^アップロードしました/);
    const starts = of(requests, '/import/12/content').map(({ query }) => Number(query.get('start')));
    expect(starts.slice(0, 3)).toEqual([0, 0, 256 * 1024]);
  });

  it('bad-inputs 233: after a reload another file is refused, and the same one is resumed', async () => {
    const hash = 'df'.padEnd(64, '0');
    stored = found({ state: 'uploading', uploaded: 10, head_sha256: hash });
    const digest = vi.spyOn(crypto.subtle, 'digest').mockResolvedValue(new Uint8Array(32).buffer);
    const requests = serve({
      'PUT /import/12/content': () => {
        stored = found();
        return ok({ uploaded: CONTENT.length });
      },
    });
    await renderApp('/imports/new?import=12');
    await screen.findByText('「list.csv」の途中まで届いています');
    const named = (content: string) => Object.defineProperty(file(content), 'size', { value: CONTENT.length });
    for (const other of [file(`${CONTENT}月`), named(CONTENT.replace('花', '月'))]) {
      await choose(other, 'ファイルを選んで再開');
      await screen.findByText(/^始めたときと別のファイルです/);
    }
    expect(of(requests, '/import/12/content')).toHaveLength(0);
    digest.mockResolvedValue(Uint8Array.from(hash.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16)).buffer);
    await choose(named(CONTENT), 'ファイルを選んで再開');
    await screen.findByText(/^アップロードしました/);
    expect(of(requests, '/import/12/content')[0]?.query.get('start')).toBe('10');
  });

  it.each([
    ['not_a_table', 'このファイルは表として読めません。CSVかExcelのファイルを選んでください'],
    ['encrypted', 'パスワードのかかったファイルは読めません'],
  ])('that the server cannot read (%s) says why, and leads no further', async (code, message) => {
    serve({ 'GET /import/12/look': () => refused(400, message, code) });
    await renderApp('/imports/new?import=12');
    expect(await screen.findByText(message)).toBeDefined();
    expect((await button('次へ')).getAttribute('aria-disabled')).toBe('true');
  });

  it('with two sheets is read from the chosen one', async () => {
    const sheets = ['表紙', '一覧', '控え'].map((name, index) => ({ index, name }));
    stored = found({ name: 'list.xlsx' });
    const requests = serve({
      'GET /import/12/look': ({ query }) => ok({ ...LOOK, sheets, sheet: Number(query.get('sheet') ?? 1) }),
      'POST /import/12/check': () => ok({ status: 'added', id: 4 }),
    });
    await renderApp('/imports/new?import=12');
    await screen.findByText('自動で判定しました：一覧');
    expect(screen.queryByLabelText('文字コード')).toBeNull();
    await select('シート', '控え');
    await waitFor(() => expect(of(requests, '/import/12/look').at(-1)?.query.get('sheet')).toBe('2'));
    await press('次へ');
    await screen.findByRole('heading', { name: /^列の対応/ });
    await press('次へ');
    await waitFor(() => expect(of(requests, '/import/12/check')).toHaveLength(1));
    expect(of(requests, '/import/12/check')[0]?.body).toMatchObject({ add_info: { sheet: 2 } });
  });

  it('offers the unfinished upload, and the sample', async () => {
    const row = { ...found({ state: 'checked' }), member_name: null, created_at: '2026/11/20 11:00:00' };
    serve({ 'GET /import/list': () => listed([row]) });
    await renderApp('/imports/new');
    const link = await screen.findByRole('link', { name: '続きから再開' });
    expect(link.getAttribute('href')).toBe('/imports/new?import=12');
    expect(screen.getByRole('link', { name: '見本のCSVをダウンロード' }).getAttribute('download')).toMatch(/\.csv$/);
  });

  it.each([
    [found({ uploaded: null }), 'ファイルの期限（24時間）が過ぎました'],
    [null, 'この取り込みは見つかりません'],
  ])('that is gone says so, and leaves no draft', async (gone, text) => {
    setDraft('import-12', '{}');
    serve({ 'GET /import/12': () => (gone === null ? refused(404, '見つかりません') : ok(gone)) });
    await renderApp('/imports/new?import=12&step=check');
    expect(await screen.findByText(text)).toBeDefined();
    expect(useSession.getState().drafts).toEqual({});
  });

  it.each([
    [found({ state: 'uploading', uploaded: null }), 'ファイルの期限（24時間）が過ぎました'],
    [null, 'この取り込みは見つかりません'],
  ])('that is gone during its upload says so, and cannot be resumed', async (gone, text) => {
    stored = found({ state: 'uploading', uploaded: 0 });
    let isGone = false;
    const part = deferred();
    serve({
      'POST /import': () => ok({ status: 'added', id: 12, discarded: [] }),
      'GET /import/12': () => (!isGone ? ok(stored) : gone === null ? refused(404, '見つかりません') : ok(gone)),
      'PUT /import/12/content': () => part.answer,
    });
    await renderApp('/imports/new');
    await choose(file());
    await screen.findByRole('progressbar');
    isGone = true;
    await act(async () => part.resolve(Response.json({ message: '見つかりません' }, { status: 404 })));
    expect(await screen.findByText(text)).toBeDefined();
    expect(screen.queryByRole('button', { name: '続きから再開' })).toBeNull();
  });

  it('that was cut because it cannot be read says so, and is resumed once it can be read', async () => {
    const bytes = new Uint8Array(400 * 1024);
    stored = found({ state: 'uploading', uploaded: 0, bytes: bytes.length });
    let parts = 0;
    serve({
      'POST /import': () => ok({ status: 'added', id: 12, discarded: [] }),
      'GET /import/12/look': ({ query }) =>
        query.has('encoding') ? ok(LOOK) : refused(400, '読めません', 'not_a_table'),
      'PUT /import/12/content': ({ query, body }): FakeAnswer | Promise<FakeAnswer> => {
        parts += 1;
        if (parts === 2) return deferred().answer;
        return ok({ uploaded: Number(query.get('start')) + (body as ArrayBuffer).byteLength });
      },
    });
    await renderApp('/imports/new');
    await choose(file(bytes));
    await screen.findByText('読めません');
    await select('文字コード', 'UTF-8');
    expect(
      await screen.findByText('ファイルを読めなかったため、アップロードを止めました。続きから再開できます'),
    ).toBeDefined();
    stored = found({ bytes: bytes.length });
    await press('続きから再開');
    expect(await screen.findByText(/^アップロードしました/)).toBeDefined();
  });
});

describe('the steps', () => {
  const SURE: Look = { ...LOOK, sure: 1 };
  const steps = () =>
    within(screen.getByRole('navigation', { name: '取り込みの手順' }))
      .getAllByRole('listitem')
      .map((item) => `${item.ariaCurrent === 'step' ? '*' : ''}${item.lastElementChild?.textContent}`);

  it('of a file that is surely read are three: its columns follow the file at once', async () => {
    stored = found({ state: 'uploading', uploaded: 0 });
    const requests = serve({
      'POST /import': () => ok({ status: 'added', id: 12, discarded: [] }),
      'PUT /import/12/content': () => {
        stored = found();
        return ok({ uploaded: file().size });
      },
      'GET /import/12/look': () => ok(SURE),
      'POST /import/12/check': () => {
        stored = found({ state: 'checked', review: REVIEW });
        return ok({ status: 'added', id: 4 });
      },
    });
    await renderApp('/imports/new');
    await screen.findByLabelText('ファイルを選ぶ');
    expect(steps()).toEqual(['*ファイル', '列の対応付け', '確認と取り込み']);
    await choose(file());
    await screen.findByLabelText('FAXの項目');
    expect(steps()).toEqual(['ファイル', '*列の対応付け', '確認と取り込み']);
    expect(screen.queryByText('先頭の5行')).toBeNull();
    await press('次へ');
    await button(/社を取り込む$/);
    expect(steps()).toEqual(['ファイル', '列の対応付け', '*確認と取り込み']);
    expect(of(requests, '/import/12/check')).toHaveLength(1);
    expect(screen.getByRole('link', { name: 'ファイル' }).getAttribute('href')).toBe('/imports/new');
  });

  it('of another file are four: a person looks at how it is read', async () => {
    serve();
    await renderApp('/imports/new?import=12');
    await screen.findByText('先頭の5行');
    expect(steps()).toEqual(['ファイル', '*読み取りの設定', '列の対応付け', '確認と取り込み']);
    await press('次へ');
    await screen.findByLabelText('FAXの項目');
    expect(steps()).toEqual(['ファイル', '読み取りの設定', '*列の対応付け', '確認と取り込み']);
  });

  it('show no settings before it is known whether a person needs them', async () => {
    const look = deferred();
    serve({ 'GET /import/12/look': () => look.answer });
    await renderApp('/imports/new?import=12');
    await screen.findByText(/^アップロードしました/);
    expect([screen.queryByLabelText('文字コード'), screen.queryByRole('button', { name: '次へ' })]).toEqual([
      null,
      null,
    ]);
    await act(async () => look.resolve(Response.json(SURE)));
    await screen.findByLabelText('FAXの項目');
    expect(document.activeElement?.textContent).toContain('列の対応付け');
  });

  it('lead back to the settings, and keep the chosen fields, unless other settings make other columns', async () => {
    serve({ 'GET /import/12/look': () => ok(SURE) });
    await renderApp('/imports/new?import=12');
    await screen.findByLabelText('FAXの項目');
    const faxIs = () => screen.getByLabelText<HTMLSelectElement>('FAXの項目').value;
    await select('FAXの項目', '代表者');
    for (const [setting, value, kept] of [
      [null, '', 'ceo'],
      ['文字コード', 'UTF-8', 'ceo'],
      ['見出しの行', '1行目', 'ceo'],
      ['区切り', 'タブ', ''],
    ] as const) {
      await press('読み取りの設定');
      await screen.findByText('先頭の5行');
      expect(steps()).toEqual(['ファイル', '*読み取りの設定', '列の対応付け', '確認と取り込み']);
      if (setting !== null) await select(setting, value);
      await waitFor(async () => expect((await button('次へ')).getAttribute('aria-disabled')).not.toBe('true'));
      await press('次へ');
      await screen.findByLabelText('FAXの項目');
      expect(faxIs()).toBe(kept);
    }
  });

  it('that are read as a person chose stay four, also after a reload', async () => {
    setDraft('import-12', JSON.stringify({ reading: { encoding: 'utf-8' } }));
    serve({ 'GET /import/12/look': () => ok(SURE) });
    await renderApp('/imports/new?import=12');
    await screen.findByText('先頭の5行');
    expect(steps()[1]).toBe('*読み取りの設定');
  });

  it('ask for no first rows of a file that is imported', async () => {
    stored = IMPORTED;
    const requests = serve();
    await renderApp('/imports/new?import=12');
    await screen.findByText('9,500社を取り込みました');
    expect(steps()).toEqual(['ファイル', '列の対応付け', '*確認と取り込み']);
    expect(of(requests, '/import/12/look')).toHaveLength(0);
    expect(screen.queryByRole('link', { name: 'ファイル' })).toBeNull();
  });
});

describe('the columns', () => {
  const open = () => renderApp('/imports/new?import=12&step=columns');
  const checks = (requests: FakeRequest[]) => of(requests, '/import/12/check').map(({ body }) => body);

  it('are checked as proposed or chosen; a repeated press after a lost answer checks once', async () => {
    let down = true;
    const requests = serve({
      'POST /import/12/check': (): FakeAnswer => {
        if (down) return 'network';
        stored = found({ state: 'checking', job_id: 4 });
        return ok({ status: 'added', id: 4 });
      },
    });
    await open();
    await screen.findByText('自動で対応付けました');
    await select('FAXの項目', '代表者');
    await select('売上(百万円)の単位', '千円');
    await press('次へ');
    await screen.findByText(/^サーバーに接続できませんでした/);
    down = false;
    await press('次へ');
    await screen.findByRole('heading', { name: /^確認/ });
    const [first, second] = of(requests, '/import/12/check').map(({ headers }) => headers.get('Idempotency-Key'));
    expect(second).toBe(first);
    const columns = [
      { index: 0, field: 'company_name', unit: '' },
      { index: 1, field: 'amount_of_sales', unit: '千円' },
      { index: 2, field: 'ceo', unit: '' },
    ];
    expect(checks(requests)[1]).toEqual({
      add_info: { table: { separator: 'comma', header_row: 1, columns }, remember: 1 },
    });
  });

  it('name the sender group that gets the remarks: the current one, or another that is chosen', async () => {
    const columns = LOOK.columns.map((column) => (column.index === 2 ? { ...column, field: 'remarks' } : column));
    const requests = serve({
      'GET /import/12/look': () => ok({ ...LOOK, columns }),
      'GET /sender_group/list': () => ok([1, 2].map((id) => ({ id, group_name: `営業${id}課` }))),
      'POST /import/12/check': () => {
        stored = found({ state: 'checked', review: REVIEW, remarks_group_name: '営業2課' });
        return ok({ status: 'added', id: 4 });
      },
    });
    await open();
    const field = await screen.findByLabelText<HTMLSelectElement>('FAXの項目');
    const group = () => screen.getByLabelText<HTMLSelectElement>('備考を残す送信者グループ');
    await waitFor(() => expect(group().selectedOptions[0]?.textContent).toBe('営業1課'));
    expect(field.closest('tr')?.contains(group())).toBe(true);
    await select('備考を残す送信者グループ', '営業2課');
    await press('次へ');
    expect(await button('9,500社を取り込む（備考：営業2課）')).toBeDefined();
    expect(checks(requests)[0]).toMatchObject({ add_info: { sender_group_id: 2 } });
  });

  it('without remarks show no field for a sender group', async () => {
    const requests = serve({
      'GET /sender_group/list': () => ok([{ id: 1, group_name: '営業1課' }]),
      'POST /import/12/check': () => ok({ status: 'added', id: 4 }),
    });
    await open();
    await screen.findByLabelText('FAXの項目');
    expect(screen.queryByLabelText('備考を残す送信者グループ')).toBeNull();
    await press('次へ');
    await waitFor(() => expect(checks(requests)).toHaveLength(1));
    expect(checks(requests)[0]).not.toHaveProperty('add_info.sender_group_id');
  });

  it('bad-inputs 227: two columns with one field are refused at the fields, except for the address', async () => {
    const requests = serve();
    await open();
    await screen.findByLabelText('FAXの項目');
    await select('FAXの項目', '会社名');
    await press('次へ');
    const faulty = screen.getAllByRole('combobox').filter((field) => field.hasAttribute('aria-invalid'));
    expect(faulty.map((field) => field.id)).toEqual(
      ['企業名の項目', 'FAXの項目'].map((label) => screen.getByLabelText(label).id),
    );
    expect(document.activeElement).toBe(faulty[0]);
    expect(checks(requests)).toEqual([]);
    await select('FAXの項目', '住所');
    await select('売上(百万円)の項目', '住所');
    expect(screen.queryByText('同じ項目に2つの列が対応しています')).toBeNull();
  });

  it('bad-inputs 228: without 会社名 cannot be checked', async () => {
    const requests = serve();
    await open();
    await screen.findByLabelText('企業名の項目');
    await select('企業名の項目', '取り込まない');
    await press('次へ');
    expect(screen.getAllByText('「会社名」の列がありません。対応する列を選んでください')).toHaveLength(2);
    expect(document.activeElement).toBe(screen.getByLabelText('企業名の項目'));
    expect(checks(requests)).toEqual([]);
  });

  it('keep the choices on other screens and after a reload', async () => {
    serve({ 'GET /import/12/look': () => ok({ ...LOOK, mapping: 'saved' }) });
    const { unmount } = await open();
    await screen.findByText('前回の対応付けを使っています');
    await select('FAXの項目', '代表者');
    unmount();
    queryClient.clear();
    await open();
    await waitFor(() => expect(screen.getByLabelText<HTMLSelectElement>('FAXの項目').value).toBe('ceo'));
    await press('前回の対応付けを使う');
    expect(screen.getByLabelText<HTMLSelectElement>('FAXの項目').value).toBe('');
  });

  it.each([
    [refused(400, '表として読めません', 'not_a_table'), '表として読めません', 0],
    [refused(409, 'まだです', 'not_uploaded'), '読み込めませんでした', 1],
  ])('of a file that cannot be read say why; only what may succeed is tried again', async (answer, text, retries) => {
    serve({ 'GET /import/12/look': () => answer });
    await open();
    expect(await screen.findByText(text)).toBeDefined();
    expect(screen.queryAllByRole('button', { name: '再読み込み' })).toHaveLength(retries);
  });

  it('show why the last check failed', async () => {
    stored = found({ message: '引用符（"）が閉じられていません。' });
    serve();
    await renderApp('/imports/new?import=12');
    expect(await screen.findByText(/引用符（"）が閉じられていません/)).toBeDefined();
    expect(screen.getByRole('heading', { name: /^列の対応/ })).toBeDefined();
  });
});

const LINE = { kind: 'refused', row: 14, first_row: null, prospect_id: null, company_name: null };

describe('the columns of people and own fields', () => {
  const OWN = { label: 'ランク', type: 'choice', key: 'rank' } as const;
  const CARDS: Look = {
    ...LOOK,
    heading: ['企業名', '氏名', 'ランク', 'FAX'],
    columns: [
      { index: 0, heading: '企業名', samples: ['㈱花'], field: 'company_name', unit: '', group: 'company' },
      { index: 1, heading: 'ランク', samples: ['A'], field: 'own', unit: '', group: 'own', new_field: OWN },
      { index: 2, heading: '氏名', samples: ['佐藤 一郎'], field: 'person_name', unit: '', group: 'person' },
      { index: 3, heading: 'FAX', samples: ['03'], field: null, unit: '', new_field: { label: 'FAX', type: 'text' } },
    ],
  };
  const openCards = async () => {
    const requests = serve({
      'GET /import/12/look': () => ok(CARDS),
      'GET /custom_field/list': () =>
        ok([{ id: 9, key: 'event', label: '展示会名', type: 'text', archived: 0, options: [] }]),
      'POST /import/12/check': () => ok({ status: 'added', id: 4 }),
    });
    await renderApp('/imports/new?import=12&step=columns');
    await screen.findAllByRole('option', { name: '展示会名' });
    return requests;
  };
  const checked = (requests: FakeRequest[]) => {
    const [{ body }] = of(requests, '/import/12/check') as [FakeRequest];
    return (body as { add_info: { tag?: string; table: { columns: object[] } } }).add_info;
  };

  it('stand in groups, a new field with its name, type and name in templates', async () => {
    const requests = await openCards();
    expect(screen.getAllByRole('rowheader').map(({ textContent }) => textContent)).toEqual([
      '会社',
      '企業名',
      '人',
      '氏名',
      '自社の項目',
      'ランク',
      'FAX',
    ]);
    const made = within(screen.getByRole('group', { name: 'ランクの新しい項目' }));
    expect(made.getByLabelText('種類')).toHaveProperty('value', 'choice');
    fireEvent.change(made.getByLabelText('名前'), { target: { value: '' } });
    expect(made.getByText('名前が入力されていません')).toBeDefined();
    await press('次へ');
    expect(of(requests, '/import/12/check')).toEqual([]);
    fireEvent.change(made.getByLabelText('名前'), { target: { value: '格付け' } });
    fireEvent.change(made.getByLabelText('差し込み名'), { target: { value: 'Grade' } });
    expect(made.getByText(/^半角の英小文字で始め/)).toBeDefined();
    fireEvent.change(made.getByLabelText('差し込み名'), { target: { value: 'grade' } });
    await press('次へ');
    await waitFor(() => expect(of(requests, '/import/12/check')).toHaveLength(1));
    expect(checked(requests).table.columns).toEqual([
      { index: 0, field: 'company_name', unit: '' },
      { index: 1, field: 'own', unit: '', new_field: { label: '格付け', type: 'choice', key: 'grade' } },
      { index: 2, field: 'person_name', unit: '' },
    ]);
    expect(checked(requests)).not.toHaveProperty('tag');
  });

  it('go into an own field that there is, or a new one; the companies get a tag', async () => {
    const requests = await openCards();
    await select('ランクの項目', '展示会名');
    await select('FAXの項目', '新しい項目として取り込む');
    await userEvent.click(screen.getByLabelText('この取り込みの会社にタグを付ける'));
    expect(screen.getByLabelText('タグ名')).toHaveProperty('value', 'list');
    await press('次へ');
    await waitFor(() => expect(of(requests, '/import/12/check')).toHaveLength(1));
    expect(checked(requests).table.columns).toEqual([
      { index: 0, field: 'company_name', unit: '' },
      { index: 1, field: 'own', unit: '', custom_field_id: 9 },
      { index: 2, field: 'person_name', unit: '' },
      { index: 3, field: 'own', unit: '', new_field: { label: 'FAX', type: 'text' } },
    ]);
    expect(checked(requests).tag).toBe('list');
  });

  it('keep a field that the list of own fields does not know, under the heading of the file', async () => {
    const [name, rank, ...others] = CARDS.columns as [Look['columns'][number], Look['columns'][number]];
    const columns = [name, { ...rank, new_field: undefined, custom_field_id: 30 }, ...others];
    const list = deferred();
    serve({ 'GET /import/12/look': () => ok({ ...CARDS, columns }), 'GET /custom_field/list': () => list.answer });
    await renderApp('/imports/new?import=12&step=columns');
    const shown = (await screen.findByLabelText<HTMLSelectElement>('ランクの項目')).selectedOptions[0];
    expect([shown?.value, shown?.text, shown?.parentElement?.getAttribute('label')]).toEqual([
      'own:30',
      'ランク',
      '自社の項目',
    ]);
    const label = '格付け';
    list.resolve(ok([{ id: 30, key: 'rank', label, type: 'text', archived: 0, options: [] }]));
    await waitFor(() =>
      expect(screen.getByLabelText<HTMLSelectElement>('ランクの項目').selectedOptions[0]?.text).toBe(label),
    );
    expect(screen.queryByRole('option', { name: 'ランク' })).toBeNull();
  });

  it('need no tag that was typed for another reading of the file', async () => {
    const requests = serve({ 'POST /import/12/check': () => ok({ status: 'added', id: 4 }) });
    for (const tag of ['', '秋']) {
      requests.length = 0;
      setDraft('import-12', JSON.stringify({ tag }));
      const { unmount } = await renderApp('/imports/new?import=12&step=columns');
      await press('次へ');
      await waitFor(() => expect(of(requests, '/import/12/check')).toHaveLength(1));
      expect(checked(requests)).not.toHaveProperty('tag');
      unmount();
    }
  });

  it('of two columns cannot be the same own field', async () => {
    await openCards();
    await select('ランクの項目', '展示会名');
    await select('FAXの項目', '展示会名');
    expect(screen.getAllByText('同じ項目に2つの列が対応しています')).not.toHaveLength(0);
  });
});

describe('the check', () => {
  beforeEach(() => {
    stored = found({ state: 'checked', review: REVIEW });
  });

  it('shows what would change, with the old and new values', async () => {
    const changes = [
      {
        row: 2,
        prospect_id: 5,
        company_name: '株式会社花',
        changes: [
          { field: 'company_email', old: 'a@example.jp', new: 'b@example.jp' },
          { field: 'amount_of_sales', old: null, new: 120_000_000 },
        ],
      },
    ];
    serve({ 'GET /import/12/change/list': () => listed(changes, 88) });
    await renderApp('/imports/new?import=12');
    const [email, sales] = (await screen.findAllByRole('rowheader')).map((header) => header.closest('tr')?.textContent);
    expect(email).toBe('2行目株式会社花代表メールa@example.jpb@example.jp 宛先が変わります');
    expect(sales).toBe('2行目株式会社花売上高（なし）120,000,000');
    expect(screen.getByText('12社（停止のまま）')).toBeDefined();
    expect(screen.getByText('1–50 / 88件')).toBeDefined();
    expect(screen.getByText('取り込まない列：FAX')).toBeDefined();
  });

  it('counts companies and persons apart, and names changed fields of our own', async () => {
    const people = { added: 3, updated: 1, unchanged: 0 };
    stored = found({ state: 'checked', review: { ...REVIEW, added: 2, updated: 1, people, new_fields: ['展示会名'] } });
    const changes = [
      { field: 'custom.rank', label: 'ランク', old: 'B', new: 'A' },
      { field: 'tags', label: 'タグ', old: null, new: '重点' },
    ];
    serve({ 'GET /import/12/change/list': () => listed([{ row: 2, prospect_id: 5, company_name: '㈱花', changes }]) });
    await renderApp('/imports/new?import=12');
    expect(await screen.findByText('3人')).toBeDefined();
    expect(screen.getByText('新しく作る項目：展示会名')).toBeDefined();
    expect(screen.getByRole('button', { name: '3社・4人を取り込む' })).toBeDefined();
    expect(await screen.findByText('ランク')).toBeDefined();
    expect(screen.getByText('タグ')).toBeDefined();
  });

  it('lists the persons whom the import adds, and those whom it changes', async () => {
    const people = { added: 30_000, updated: 1, unchanged: 0 };
    stored = found({ state: 'checked', review: { ...REVIEW, updated: 0, people } });
    const person = { id: null, name: '佐藤 一郎', department: '購買部', title: '部長', email: 'sato@hana.example' };
    const ofPerson = { row: 2, prospect_id: 5, company_name: '㈱花', person };
    const requests = serve({
      'GET /import/12/change/list': ({ query }) =>
        query.get('kind') === 'people_added'
          ? listed([{ ...ofPerson, changes: [] }], 20_000)
          : listed([{ ...ofPerson, changes: [{ field: 'met_on', old: null, new: '2026-11-20' }] }]),
      'GET /import/12/line/list': () =>
        listed([
          { ...LINE, company_name: '㈱花', person, column: '担当者メール', value: 'x', reason: '@がありません。' },
        ]),
    });
    await renderApp('/imports/new?import=12');
    // No company would change.
    expect(await screen.findByRole('tab', { name: '人 30,001', selected: true })).toBeDefined();
    expect(screen.queryByRole('tab', { name: /^変更される会社/ })).toBeNull();
    const added = await screen.findByRole('rowheader', { name: '佐藤 一郎' });
    expect(added.closest('tr')?.textContent).toBe('㈱花佐藤 一郎購買部部長sato@hana.example');
    expect(screen.getByText('先頭の20,000人を表示しています。残りの人も取り込みます。')).toBeDefined();
    await userEvent.selectOptions(screen.getByLabelText('種類'), '変更 1');
    expect(await screen.findByText('名刺交換日')).toBeDefined();
    expect((await screen.findByRole('rowheader', { name: '佐藤 一郎' })).closest('tr')?.textContent).toBe(
      '㈱花佐藤 一郎名刺交換日（なし）2026/11/20',
    );
    expect(of(requests, '/import/12/change/list').at(-1)?.query.get('kind')).toBe('people_changed');
    await userEvent.click(screen.getByRole('tab', { name: '取り込めない行 3' }));
    const faulty = await screen.findByRole('rowheader', { name: '14行目' });
    expect(faulty.closest('tr')?.textContent).toBe('14行目㈱花佐藤 一郎担当者メールx@がありません');
  });

  it('of a file that brings persons alone can be imported', async () => {
    const people = { added: 3, updated: 0, unchanged: 0 };
    stored = found({ state: 'checked', review: { ...REVIEW, added: 0, updated: 0, people } });
    serve();
    await renderApp('/imports/new?import=12');
    expect(await button('3人を取り込む')).toBeDefined();
  });

  it('bad-inputs 232: groups the faulty rows by reason, with row and value, and saves them as a file', async () => {
    const requests = serve({
      'GET /import/12/line/list': () =>
        listed([{ ...LINE, column: '代表メール', value: 'info＠花', reason: '@がありません。' }]),
      'GET /import/12/faults': () => refused(409, 'ファイルの期限が過ぎています'),
    });
    await renderApp('/imports/new?import=12');
    await userEvent.click(await screen.findByRole('tab', { name: '取り込めない行 3' }));
    const cell = await screen.findByRole('rowheader', { name: '14行目' });
    expect(cell.closest('tr')?.textContent).toBe('14行目代表メールinfo＠花@がありません');
    await press('代表メール：@がありません（2行）');
    await waitFor(() =>
      expect(Object.fromEntries(of(requests, '/import/12/line/list').at(-1)?.query ?? [])).toMatchObject({
        kind: 'refused',
        reason: '@がありません。',
        column: '代表メール',
      }),
    );
    await press('取り込めない行をCSVでダウンロード');
    expect(await toastText('alert')).toBe('ファイルの期限が過ぎています');
  });

  it('shows the first page of another reason', async () => {
    const [group] = REVIEW.groups;
    const groups = ['代表メール', '会社名'].map((column) => ({ ...group, column }));
    stored = found({ state: 'checked', review: { ...REVIEW, groups: groups as ImportReview['groups'] } });
    const requests = serve({ 'GET /import/12/line/list': () => listed([], 170) });
    await renderApp('/imports/new?import=12');
    await userEvent.click(await screen.findByRole('tab', { name: '取り込めない行 3' }));
    await press('代表メール：@がありません（2行）');
    const last = () => Object.fromEntries(of(requests, '/import/12/line/list').at(-1)?.query ?? []);
    await waitFor(() => expect(last()).toMatchObject({ column: '代表メール', offset: '0' }));
    await press('次のページ');
    await waitFor(() => expect(last()).toMatchObject({ column: '代表メール', offset: '50' }));
    await press('会社名：@がありません（2行）');
    await waitFor(() => expect(last()).toMatchObject({ column: '会社名', offset: '0' }));
  });

  it('keeps the page when a file is dropped on it', async () => {
    serve();
    await renderApp('/imports/new?import=12');
    await screen.findByRole('heading', { name: /^確認/ });
    // False: the browser does not open the file.
    expect([fireEvent.dragOver(document.body), fireEvent.drop(document.body)]).toEqual([false, false]);
  });

  it('names the group of the remarks above the button on phones', async () => {
    const wide = matchMedia;
    vi.stubGlobal('matchMedia', (query: string) => ({ ...wide(query), matches: query.includes('640px') }));
    onTestFinished(() => void vi.stubGlobal('matchMedia', wide));
    stored = found({ state: 'checked', review: REVIEW, remarks_group_name: '営業2課' });
    serve();
    await renderApp('/imports/new?import=12&step=check');
    expect(await button('9,500社を取り込む')).toBeDefined();
    expect(screen.getByText('備考：営業2課')).toBeDefined();
  });

  it('leaves no draft of its columns once the import has started', async () => {
    serve({
      'POST /import/12/run': () => {
        stored = found({ state: 'importing', job_id: 4 });
        return ok({ status: 'added', id: 4 });
      },
    });
    await renderApp('/imports/new?import=12&step=columns');
    await screen.findByLabelText('FAXの項目');
    await select('FAXの項目', '代表者');
    expect(Object.keys(useSession.getState().drafts)).toEqual(['import-12']);
    await userEvent.click(screen.getByRole('link', { name: '確認と取り込み' }));
    await press('9,500社を取り込む');
    await screen.findByText('6,200 / 10,000行');
    expect(useSession.getState().drafts).toEqual({});
  });

  it('imports without the faulty rows, and explains the strict mode at its field', async () => {
    const requests = serve({
      'POST /import/12/run': () => {
        stored = found({ state: 'importing', job_id: 4 });
        return ok({ status: 'added', id: 4 });
      },
    });
    await renderApp('/imports/new?import=12');
    await userEvent.click(await screen.findByLabelText('取り込めない行があれば何も取り込まない'));
    expect(screen.getByText(/^取り込めない行が3行あります/)).toBeDefined();
    await press('9,500社を取り込む');
    expect(of(requests, '/import/12/run')).toHaveLength(0);
    await userEvent.click(screen.getByLabelText('取り込めない行を除いて取り込む'));
    await press('9,500社を取り込む');
    await screen.findByText('6,200 / 10,000行');
    expect(of(requests, '/import/12/run')[0]?.body).toEqual({ add_info: { mode: 'leave_out' } });
  });

  it('without faulty rows is imported exactly as checked, or not at all', async () => {
    stored = found({ state: 'checked', review: { ...REVIEW, refused: 0, groups: [] } });
    const requests = serve({ 'POST /import/12/run': () => refused(409, 'すでに終わっています。', 'import_ended') });
    await renderApp('/imports/new?import=12');
    await press('9,500社を取り込む');
    expect(await screen.findByText('すでに終わっています')).toBeDefined();
    expect(screen.queryByText('取り込めない行の扱い')).toBeNull();
    expect(of(requests, '/import/12/run')[0]?.body).toEqual({ add_info: { mode: 'strict' } });
  });

  it('names telephone numbers without their 0, and one press turns off their correction for the file', async () => {
    stored = found({ state: 'checked', review: { ...REVIEW, cut_phone: 3 } });
    const requests = serve({
      'GET /import/12/line/list': () =>
        stored.review === null
          ? refused(409, 'まだ確認していません。', 'not_checked')
          : listed([{ ...LINE, kind: 'cut_phone', column: '電話番号', value: '312345678', reason: '0を補います。' }]),
      'POST /import/12/check': () => {
        stored = found({ state: 'checking', job_id: 4 });
        return ok({ status: 'added', id: 4 });
      },
    });
    const endCheck = async (phones: ImportReview['phones']) => {
      await screen.findByText('確認しています');
      stored = found({ state: 'checked', review: { ...REVIEW, cut_phone: 3, phones } });
      await act(() => queryClient.invalidateQueries({ queryKey: [IMPORT, 12] }));
    };
    await renderApp('/imports/new?import=12');
    await screen.findByText('Excelで先頭の0が消えたとみられる電話番号が3個あります。0を補って取り込みます');
    await userEvent.click(screen.getByRole('tab', { name: '注意 15' }));
    const row = (await screen.findByRole('rowheader', { name: '14行目' })).closest('tr');
    expect(row?.textContent).toBe('14行目電話番号3123456780を補います');
    const lines = of(requests, '/import/12/line/list').length;
    await press('0を補わない');
    await screen.findByText('確認しています');
    expect(of(requests, '/import/12/line/list')).toHaveLength(lines);
    await endCheck('as_written');
    await screen.findByText('電話番号3個を、先頭の0がないまま取り込みます');
    await press('0を補う');
    await endCheck('mend');
    await screen.findByText(/0を補って取り込みます$/);
    expect(of(requests, '/import/12/check').map(({ body }) => body)).toEqual(
      ['as_written', 'mend'].map((phones) => ({ add_info: { as_before: 1, phones } })),
    );
  });

  it('finds few unreadable values of one column among many of another', async () => {
    const groups: ImportReview['groups'] = [
      { kind: 'blanked', column: '自社担当', reason: 'メンバーの氏名ではありません。', count: 197 },
      { kind: 'blanked', column: '名刺交換日', reason: '日付として読めません。', count: 3 },
    ];
    stored = found({ state: 'checked', review: { ...REVIEW, suppressed: 0, blanked: 200, groups } });
    const line = { ...LINE, kind: 'blanked', column: '名刺交換日', value: '秋', reason: '日付として読めません。' };
    const requests = serve({ 'GET /import/12/line/list': () => listed([line]) });
    await renderApp('/imports/new?import=12');
    await userEvent.click(await screen.findByRole('tab', { name: '注意 200' }));
    await press('名刺交換日（3個）');
    await screen.findByRole('rowheader', { name: '14行目' });
    expect(Object.fromEntries(of(requests, '/import/12/line/list').at(-1)?.query ?? [])).toMatchObject({
      kind: 'blanked',
      column: '名刺交換日',
      reason: '日付として読めません。',
    });
  });

  it('of a file that changes nothing offers no import', async () => {
    stored = found({ state: 'checked', review: { ...REVIEW, added: 0, updated: 0 } });
    serve();
    await renderApp('/imports/new?import=12');
    expect(await screen.findByText('取り込む会社がありません')).toBeDefined();
    expect(screen.queryByRole('button', { name: /社を取り込む$/ })).toBeNull();
  });

  it('can be cancelled, which leads back to the columns', async () => {
    stored = found({ state: 'checking', job_id: 4 });
    serve({
      'GET /job/4': () => ok(job({ kind: 'import_check', total: null })),
      'POST /job/4/cancel': () => {
        stored = found();
        return ok({ status: 'cancelled' });
      },
    });
    await renderApp('/imports/new?import=12&step=check');
    await screen.findByText('6,200行');
    await press('確認を中止');
    expect(await screen.findByRole('heading', { name: /^列の対応/ })).toBeDefined();
    expect(await toastText('status')).toBe('確認を中止しました');
  });
});

describe('the import', () => {
  it('ends with its figures by server-sent events, also after a reload', async () => {
    stored = found({ state: 'importing', job_id: 4 });
    const events = deferred();
    serve({ 'GET /job/4/events': () => events.answer });
    await renderApp('/imports/new?import=12');
    await screen.findByText('6,200 / 10,000行');
    expect(screen.getByText('画面を閉じても続きます。')).toBeDefined();
    stored = IMPORTED;
    const ended = JSON.stringify(job({ state: 'done', finished_at: '2026/11/20 12:00:09' }));
    await act(async () => events.resolve(new Response(`event: job\ndata: ${ended}\n\n`)));
    expect(await screen.findByText('追加9,412・変更88・除外3（取り込めない行3）')).toBeDefined();
    expect(screen.getByRole('link', { name: '見込み客を見る' }).getAttribute('href')).toBe('/');
  });

  it.each([
    ['除外11（取り込めない行5・重複6）', { refused: 5, repeated: 6 }],
    ['除外2（閉鎖など2）', { closed: 2, refused: 0 }],
    ['除外0', { refused: 0 }],
  ])('says with its end all that is out: %s', async (text, counts) => {
    stored = found({ ...IMPORTED, counts: { ...COUNTS, ...counts } });
    serve();
    await renderApp('/imports/new?import=12');
    expect(await screen.findByText(`追加9,412・変更88・${text}`)).toBeDefined();
  });

  it('shows its own columns in the list after one press, and only then keeps them', async () => {
    stored = { ...IMPORTED, own_columns: ['primary', 'rank'] };
    serve();
    await renderApp('/imports/new?import=12');
    const link = await screen.findByRole('link', { name: '取り込んだ項目を列に出して見る' });
    expect(columnLayout().optional).toEqual([]);
    await userEvent.click(link);
    await waitFor(() => expect(columnLayout().optional).toEqual(['own.primary', 'own.rank']));
    expect(JSON.parse(readKept('columns') ?? '{}')).toMatchObject({ optional: ['own.primary', 'own.rank'] });
  });

  it('bad-inputs 236: is undone with the numbers shown, and what was kept is named', async () => {
    stored = IMPORTED;
    serve({
      'POST /import/12/undo': () => {
        const undone = { removed: 9400, archived: 2, restored: 88, mailed: 10, reserved: 0, edited: 0 };
        stored = found({ state: 'undone', counts: COUNTS, undone });
        return ok({ status: 'added', id: 4 });
      },
    });
    await renderApp('/imports/new?import=12');
    await screen.findByText(`${sentenceTime('2026/11/21 11:00')}まで取り消せます`);
    await press('この取り込みを取り消す');
    expect(screen.getByText('追加した9,412社を外し、変更した88社を元の値に戻しますか？')).toBeDefined();
    await press('取り込みを取り消す');
    await screen.findByText('取り込みを取り消しました');
    expect(document.activeElement).toBe(screen.getByRole('heading', { name: /^取り込み/, level: 2 }));
    expect(screen.getByText('残った会社（送信したため）').parentElement?.textContent).toMatch(/10社$/);
    expect(screen.queryByText('残った会社（予約があるため）')).toBeNull();
  });

  it('says of persons too what was imported, and what an undo takes away', async () => {
    const counts = { ...COUNTS, added: 2, updated: 0, people: { added: 3, updated: 1, unchanged: 0 } };
    stored = found({ state: 'imported', counts, undo_until: '2026/11/21 11:00:00' });
    serve({
      'POST /import/12/undo': () => {
        const people = { removed: 3, restored: 1 };
        const undone = { removed: 2, archived: 0, restored: 0, mailed: 0, reserved: 0, edited: 0, people };
        stored = found({ state: 'undone', counts, undone });
        return ok({ status: 'added', id: 4 });
      },
    });
    await renderApp('/imports/new?import=12');
    expect(await screen.findByText('2社・4人を取り込みました')).toBeDefined();
    expect(screen.getByText(/（人：追加3・変更1）氏名や自社の項目は/)).toBeDefined();
    await press('この取り込みを取り消す');
    expect(screen.getByText('追加した2社・3人を外し、変更した1人を元の値に戻しますか？')).toBeDefined();
    await press('取り込みを取り消す');
    expect((await screen.findByText('外した人')).parentElement?.textContent).toMatch(/3人$/);
  });

  it('offers no undo after its time, and a late undo shows why it is refused', async () => {
    stored = found({ ...IMPORTED, undo_until: '2026/11/20 11:59:59' });
    serve();
    const { unmount } = await renderApp('/imports/new?import=12');
    await screen.findByText(/^9,500社を取り込みました/);
    expect(screen.queryByRole('button', { name: 'この取り込みを取り消す' })).toBeNull();
    unmount();
    queryClient.clear();
    stored = IMPORTED;
    serve({ 'POST /import/12/undo': () => refused(409, '取り消せる期限が過ぎています。', 'not_undoable') });
    await renderApp('/imports/new?import=12');
    await press('この取り込みを取り消す');
    await press('取り込みを取り消す');
    expect(await within(screen.getByRole('dialog')).findByText('取り消せる期限が過ぎています')).toBeDefined();
  });
});

it('an empty list of companies links to an import, and offers a sample', async () => {
  serve({
    'GET /sender_group/list': () => ok([{ id: 1, group_name: '営業部' }]),
    'GET /sender/list': () => ok([]),
    'GET /prospect/view': () => ok({ rows: [], total: 0 }),
  });
  await renderApp('/');
  const empty = (await screen.findByText('見込み客がまだ登録されていません')).parentElement as HTMLElement;
  const links = within(empty).getAllByRole('link');
  expect(links.map((link) => [link.textContent, link.getAttribute('href')])).toEqual([
    ['CSVを取り込む', '/imports/new'],
    ['見本のCSVをダウンロード', '/prospects-sample.csv'],
  ]);
});

describe('the history', () => {
  const row = (id: number, values: Partial<Import>) => ({
    ...found({ id, name: `list${id}.csv`, ...values }),
    member_name: '田中 直樹',
    created_at: '2026/11/20 11:00:00',
  });

  it('links to each import, and offers undo and the faulty rows if possible', async () => {
    const rows = [
      row(3, { state: 'checked' }),
      row(2, { ...IMPORTED, id: 2, name: 'list2.csv' }),
      row(1, {
        ...IMPORTED,
        id: 1,
        name: 'list1.csv',
        uploaded: null,
        expires_at: null,
        undo_until: '2026/11/19 11:00:00',
      }),
    ];
    serve({ 'GET /import/list': () => listed(rows) });
    await renderApp('/imports');
    const link = await screen.findByRole('link', { name: 'list3.csv' });
    expect(link.getAttribute('href')).toBe('/imports/new?import=3');
    const texts = screen.getAllByRole('rowheader').map((header) => header.closest('tr')?.textContent);
    expect(texts).toEqual([
      `${sentenceTime('2026/11/20 11:00')}list3.csv田中 直樹取り込み前破棄`,
      `${sentenceTime('2026/11/20 11:00')}list2.csv田中 直樹9,412883取り込み済み取り消す削除取り込めない行`,
      `${sentenceTime('2026/11/20 11:00')}list1.csv田中 直樹9,412883取り込み済み`,
    ]);
    await press('list2.csvの取り込みを取り消す');
    expect(await screen.findByRole('dialog', { name: '取り込みの取り消し' })).toBeDefined();
  });

  it('deletes an upload that was not imported after a confirmation', async () => {
    let rows = [row(3, { state: 'uploading' })];
    let isBusy = true;
    serve({
      'GET /import/list': () => listed(rows),
      'POST /import/3/discard': () => {
        if (isBusy) return refused(409, 'この取り込みの処理が、まだ終わっていません。', 'import_busy');
        rows = [];
        return ok({ status: 'deleted' });
      },
    });
    await renderApp('/imports/new');
    await screen.findByText('途中の取り込みがあります：list3.csv');
    await press('list3.csvの取り込みを破棄する');
    await press('取り込みを破棄する');
    const dialog = screen.getByRole('dialog', { name: '取り込みの破棄' });
    expect(await within(dialog).findByText('この取り込みの処理が、まだ終わっていません')).toBeDefined();
    isBusy = false;
    await press('取り込みを破棄する');
    await waitFor(() => expect(screen.queryByText('途中の取り込みがあります：list3.csv')).toBeNull());
  });

  it('deletes the file of a completed import after a confirmation; its undo and its faults stay', async () => {
    let rows = [row(2, { ...IMPORTED, id: 2, name: 'list2.csv' })];
    const requests = serve({
      'GET /import/list': () => listed(rows),
      'POST /import/2/file/delete': () => {
        rows = [row(2, { ...IMPORTED, id: 2, name: 'list2.csv', uploaded: 0 })];
        return ok({ status: 'deleted' });
      },
    });
    await renderApp('/imports');
    await press('list2.csvのファイルを削除する');
    expect(screen.getByRole('dialog', { name: 'ファイルの削除' }).textContent).toContain('元に戻せません');
    expect(of(requests, '/import/2/file/delete')).toHaveLength(0);
    await press('ファイルを削除する');
    await waitFor(() => expect(screen.queryByRole('button', { name: 'list2.csvのファイルを削除する' })).toBeNull());
    expect(await button('list2.csvの取り込みを取り消す')).toBeDefined();
    expect(await button('list2.csvの取り込めない行をダウンロード')).toBeDefined();
  });

  it('offers the first import if it is empty', async () => {
    serve();
    await renderApp('/imports');
    await screen.findByText('取り込みの履歴はまだありません');
    const links = screen.getAllByRole('link', { name: 'CSVを取り込む' });
    expect(links.map((link) => link.getAttribute('href'))).toEqual(['/imports/new', '/imports/new']);
  });
});
