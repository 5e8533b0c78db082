import type { Page } from 'playwright-core';
import { intercept, letThrough } from './intercept.ts';
import { closeDialog, field, press, tab, when, whenLoaded } from './walk-steps.ts';

const IMPORT = {
  id: 9,
  name: '展示会_来場者リスト_2026年11月.csv',
  state: 'uploaded',
  bytes: 24_000_000,
  uploaded: 24_000_000,
  head_sha256: null,
  expires_at: '2099/11/21 12:00:00',
  job_id: null,
  message: null,
  remarks_group_name: null,
  review: null,
  counts: null,
  imported_at: null,
  undo_until: null,
  undone: null,
};
const COUNTS = { added: 9412, updated: 88, unchanged: 500, refused: 3, repeated: 2, closed: 0 };
const TOO_MANY = {
  code: 'too_many_uploads',
  message:
    'アップロードできるのは、アカウント全体で同時に2件までです。「展示会_来場者リスト_2026年10月.cs…」、「名刺.xlsx」が途中です。送り終えるか、取り込みの履歴で破棄してから、やり直してください。',
};
const IMPORTED = { ...IMPORT, state: 'imported', counts: COUNTS, undo_until: '2099/11/21 12:00:00' };
const UNDONE = { removed: 9400, archived: 2, restored: 80, mailed: 10, reserved: 4, edited: 4 };
const BY = { member_name: '田中 直樹', created_at: '2026/11/20 12:00:00' };

const heading = ['企業名', '売上(百万円)', '住所', 'メール', '代表TEL', 'FAX', 'メモ'];
const fields = ['company_name', 'amount_of_sales', 'address', 'company_email', 'phone', null, 'remarks'];
const cells = [
  '㈱髙﨑精機',
  '120',
  '群馬県高崎市岩押町1-1',
  'info@takasaki.example',
  '03-0000-0000',
  '03-0000-0001',
  '展示会で名刺交換',
];
const companies = [
  cells,
  ['有限会社若葉印刷', '85', '長野県松本市中央2-3-4', 'info@wakaba.example', '03-0000-0002', '', '資料を希望'],
  ['みなと物流株式会社', '1,240', '神奈川県横浜市中区海岸通5', 'eigyo@minato.example', '03-0000-0003', '', ''],
  ['㈱北斗電設', '310', '北海道札幌市白石区本通6-7', 'soumu@hokuto.example', '03-0000-0004', '03-0000-0005', '要再訪'],
  [
    '合同会社なにわ食品',
    '64',
    '大阪府大阪市北区天満8-9',
    'naniwa@naniwa.example',
    '03-0000-0006',
    '',
    '展示会で名刺交換',
  ],
];
const LOOK = {
  encoding: 'cp932',
  separator: 'comma',
  sheets: [],
  sheet: null,
  header_row: 1,
  heading,
  rows: companies.map((row, place) => ({ row: place + 2, cells: row })),
  columns: heading.map((text, index) => ({
    index,
    heading: text,
    samples: [cells[index], cells[index], cells[index]],
    field: fields[index],
    unit: index === 1 ? '百万円' : '',
  })),
  sure: 1,
  mapping: 'saved',
  missing: [],
};
/** The workbook of an exhibition: a person chooses one of its sheets. */
const WORKBOOK = {
  ...LOOK,
  encoding: 'utf-8',
  sheets: ['来場者', '名刺', '集計'].map((name, index) => ({ index, name })),
  sheet: 0,
  sure: 0,
};

const REASON = 'メールアドレスに@がありません。';
const REVIEW = {
  ...COUNTS,
  rows: 10_003,
  blanked: 5,
  cut_phone: 2,
  phones: 'mend',
  suppressed: 12,
  archived: 0,
  encoding: 'cp932',
  ignored_columns: ['FAX'],
  groups: [
    { kind: 'refused', column: '代表メール', reason: REASON, count: 2 },
    { kind: 'refused', column: '会社名', reason: '会社名が空です。', count: 1 },
  ],
};
const CHANGE = { row: 18, prospect_id: 5, company_name: '株式会社新栄アドバイザリー' };
const CHANGES = [
  { field: 'company_email', old: 'info@shinei.example', new: 'eigyo@shinei.example' },
  { field: 'amount_of_sales', old: null, new: 120_000_000 },
  { field: 'remarks', old: '2025年の展示会で名刺交換', new: '2026年の展示会で再会\n資料を送付済み' },
];
const PEOPLE = [
  ['株式会社新栄アドバイザリー', '佐藤 一郎', '購買部', '部長', 'ichiro.sato@shinei.example'],
  ['株式会社新栄アドバイザリー', '鈴木 花子', '情報システム部', '', 'hanako@shinei.example'],
  ['合同会社浪速', '高橋 次郎', '', '', ''],
].map(([company_name, name, department, title, email]) => ({
  ...CHANGE,
  company_name,
  person: { id: null, name, department, title, email },
  changes: [],
}));
const LINE = { kind: 'refused', first_row: null, prospect_id: null, company_name: null, column: '代表メール' };
const LINES = [
  { ...LINE, row: 14, value: 'info＠umineko', reason: REASON },
  { ...LINE, row: 26, value: 'www.asahi-kogyo.example', reason: REASON },
  { ...LINE, row: 31, column: '会社名', value: '', reason: '会社名が空です。' },
];

const JOB = { id: 4, state: 'running', message: null, created_at: '2026/11/20 12:00:00', finished_at: null };

/** The totals that the tabs also show. */
const TOTALS: Readonly<Record<string, number>> = { '/import/9/change/list': 88, '/import/9/line/list': 3 };

const PAGES: Readonly<Record<string, object>> = {
  '/import/9/change/list': [{ ...CHANGE, changes: CHANGES }],
  '/import/9/change/list?people_added': PEOPLE,
  '/import/9/line/list': LINES,
  '/job/4': { ...JOB, kind: 'import_run', done: 6200, total: 10_000 },
};

/** Walks through the import of a file. Fixed answers replace the server's, so that each state stays. */
export async function* imports(page: Page, url: string): AsyncGenerator<string> {
  let now: object = IMPORT;
  let look: object = { ...LOOK, sure: 0 };
  await intercept(page, /\/api\/v1\/(import|job)\//, (route) => {
    const { pathname, searchParams } = new URL(route.url);
    const path = pathname.replace('/api/v1', '');
    if (path === '/import/list') return route.fulfill({ json: [], headers: { 'X-Total-Count': '0' } });
    if (path.endsWith('/events')) return route.abort();
    const json = path.endsWith('/look') ? look : (PAGES[`${path}?${searchParams.get('kind')}`] ?? PAGES[path] ?? now);
    return route.fulfill({ json, headers: { 'X-Total-Count': String(TOTALS[path] ?? 2) } });
  });
  const show = (state: object, step = '') => {
    now = state;
    return page.goto(`${url}/imports/new?import=9${step}`);
  };
  await page.goto(`${url}/imports`);
  yield* when(page, '取り込みの履歴はまだありません', 'imports-none');
  await page.getByRole('link', { name: 'CSVを取り込む' }).first().click();
  await page
    .getByLabel('ファイルを選ぶ')
    .setInputFiles({ name: '空.csv', mimeType: 'text/csv', buffer: Buffer.alloc(0) });
  yield* when(page, 'ファイルが空です', 'import-file-refused');
  await intercept(page, '/import', (route) => route.fulfill({ status: 409, json: TOO_MANY }));
  await page
    .getByLabel('ファイルを選ぶ')
    .setInputFiles({ name: IMPORT.name, mimeType: 'text/csv', buffer: Buffer.from('会社名\n') });
  yield* when(page, /^アップロードできるのは/, 'import-no-room');
  letThrough(page, '/import');
  await show({ ...IMPORT, state: 'uploading', uploaded: 9_000_000 });
  yield* when(page, '同じファイルを選ぶと、続きから再開します。', 'import-resume');
  look = WORKBOOK;
  await show({ ...IMPORT, name: '展示会_来場者リスト_2026年11月.xlsx' });
  yield* when(page, '先頭の5行', 'import-workbook');
  look = LOOK;
  await show(IMPORT);
  await field(page, 'FAXの項目').waitFor();
  await press(page, '読み取りの設定');
  yield* when(page, '先頭の5行', 'import-file');
  await press(page, '次へ');
  await field(page, 'FAXの項目').waitFor();
  yield* whenLoaded(page, 'import-columns');
  await field(page, 'FAXの項目').selectOption({ label: '会社名' });
  await press(page, '次へ');
  yield* when(page, '同じ項目に2つの列が対応しています', 'import-columns-fault');
  await field(page, 'FAXの項目').selectOption({ label: '取り込まない' });
  await show({ ...IMPORT, state: 'checked', review: REVIEW, remarks_group_name: '首都圏営業部' });
  yield* when(page, '宛先が変わります', 'import-check');
  await tab(page, '取り込めない行 3');
  await field(page, '取り込めない行があれば何も取り込まない').check();
  yield* when(page, '14行目', 'import-check-faults');
  await tab(page, '注意 19');
  yield* whenLoaded(page, 'import-check-notices');
  const people = { added: 3000, updated: 12, unchanged: 0 };
  await show({ ...IMPORT, state: 'checked', review: { ...REVIEW, people } });
  await tab(page, '人 3,012');
  yield* when(page, '鈴木 花子', 'import-check-people');
  await show({ ...IMPORT, state: 'importing', job_id: 4 });
  yield* when(page, '6,200 / 10,000行', 'import-running');
  await show(IMPORTED);
  yield* when(page, '9,500社を取り込みました', 'import-done');
  await press(page, 'この取り込みを取り消す');
  yield* when(page, 'その後に編集・送信した会社は残ります。', 'import-undo');
  await show({ ...IMPORTED, state: 'undone', undo_until: null, undone: UNDONE });
  yield* when(page, '残った会社（送信したため）', 'import-undone');
  await show({ ...IMPORT, uploaded: null });
  yield* when(page, 'ファイルの期限（24時間）が過ぎました', 'import-expired');
  await intercept(page, '/import/list', (route) =>
    route.fulfill({
      json: [
        { ...IMPORT, ...BY, state: 'checked' },
        { ...IMPORTED, ...BY, id: 8 },
      ],
      headers: { 'X-Total-Count': '2' },
    }),
  );
  await page.goto(`${url}/imports`);
  yield* when(page, '取り込み前', 'imports');
  await press(page, `${IMPORT.name}のファイルを削除する`);
  yield* when(page, /元に戻せません/, 'import-delete-file');
  await closeDialog(page);
  await press(page, `${IMPORT.name}の取り込みを破棄する`);
  yield* when(page, 'アップロードしたファイルと確認の結果を消します。', 'import-discard');
  await closeDialog(page);
  letThrough(page, '/import/list');
  letThrough(page, /\/api\/v1\/(import|job)\//);
}
