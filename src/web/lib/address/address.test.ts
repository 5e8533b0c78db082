import { describe, expect, it } from 'vitest';
import { viewProspects } from '#contract/companies/prospects.ts';
import {
  changedQuery,
  filterChange,
  importPath,
  LIST,
  legalPath,
  listPath,
  REPORT,
  RUNS,
  readList,
  readQuery,
  SUPPRESSIONS,
  sendPath,
  suppressionPath,
  TEMPLATES,
} from './params.ts';
import { ATTACK_LIST_PATH, canonicalPath, loginPath, pathAfterLogin, RESERVATIONS_PATH } from './paths.ts';

describe('the address of the list', () => {
  it('is read back as it was written', () => {
    const filter = {
      search: '株式会社 新栄',
      address: '東京,大阪',
      has_company_url: 'yes',
      amount_of_sales_from: -5,
    } as const;
    const search = changedQuery(LIST, 'tab=attack-list&address=旧', filterChange(filter));
    expect(readList(search)).toMatchObject({ filter, tab: 'attack-list' });
  });

  it('names the chosen reservation', () => {
    expect(readList('tab=reservations&reservation=12')).toMatchObject({ tab: 'reservations', reservation: 12 });
  });

  it('drops cleared values', () => {
    expect(changedQuery(LIST, '?address=a&has_company_url=no&sort=ceo', filterChange({}))).toBe('?sort=ceo');
  });

  it.each([
    'sort=password',
    'sort=__proto__',
    'sort=constructor',
    'status=all',
    'status=toString',
    'tab=elsewhere',
    'reservation=0',
    'reservation=-1',
    'reservation=1e3',
    'reservation=99999999999999999999',
    'page=0',
    'page=1.5',
    'page=9999999',
    'amount_of_sales_from=1e3',
    'amount_of_sales_from=９',
    'amount_of_sales_from=99999999999999999999',
    'amount_of_sales_from=',
    'has_company_url=maybe',
    'address=%20%20',
    'address=%00',
    'search=%20%00',
  ])('ignores %s', (search) => {
    expect(readList(search)).toEqual({ filter: {}, sort: {}, tab: 'prospects', page: 1 });
  });

  it('never sends the server an invalid query', () => {
    const { filter, sort, status } = readList(
      `address=${'あ'.repeat(1200)}&company_email=%00%ED%A0%80a&sort=ceo&order=sideways&status=sent` +
        '&amount_of_sales_to=9007199254740991',
    );
    const query = { sender_group_id: 1, ...filter, ...sort, status };
    expect(viewProspects.query.safeParse(query).success).toBe(true);
    expect(sort).toEqual({ sort: 'ceo', order: 'asc' });
  });
});

// Bookmarks, mails and members' notes contain these addresses, so none may ever change.
it.each([
  [ATTACK_LIST_PATH, '/?tab=attack-list'],
  [RESERVATIONS_PATH, '/?tab=reservations'],
  [listPath({ status: 'replied' }), '/?status=replied'],
  [listPath({ search: '新栄 a+b', page: 1, tab: 'prospects' }), '/?search=%E6%96%B0%E6%A0%84+a%2Bb'],
  [listPath({ sort: 'ceo', order: 'asc' }), '/?sort=ceo&order=asc'],
  [suppressionPath('a+b@example.jp'), '/suppressions?search=a%2Bb%40example.jp'],
  [sendPath(12), '/sends/12'],
  [sendPath(12, 'failed'), '/sends/12?state=failed'],
  [suppressionPath(undefined), '/suppressions'],
  [legalPath(3), '/settings/legal?group=3'],
  [legalPath(undefined), '/settings/legal'],
  [importPath(5), '/imports/new?import=5'],
  [importPath(5, 'columns'), '/imports/new?import=5&step=columns'],
  [loginPath('/sends/1?state=failed'), '/login?from=%2Fsends%2F1%3Fstate%3Dfailed'],
])('%s', (written, address) => {
  expect(written).toBe(address);
});

it.each([
  [
    RUNS,
    'period=week&mode=test&group=2&state=paused',
    { page: 2 },
    '?period=week&mode=test&group=2&state=paused&page=2',
  ],
  [RUNS, '?mode=test&page=4', { mode: 'real', page: undefined }, ''],
  [RUNS, 'period=custom&from=2026-01-02', { from: '', to: '2026-02-30' }, '?period=custom'],
  [REPORT, 'period=custom&from=0202-01-01', { to: '2026-02-30' }, '?period=custom&from=0202-01-01&to=2026-02-30'],
  [REPORT, 'period=this_year', { period: 'this_month' }, ''],
  [SUPPRESSIONS, 'search=a%20b&class=refused', { source: 'manual' }, '?search=a+b&class=refused&source=manual'],
  [TEMPLATES, 'folder=archived', { folder: 'all', search: '見本' }, '?search=%E8%A6%8B%E6%9C%AC'],
  [LIST, 'utm=x&address=a', { company: 7 }, '?utm=x&address=a&company=7'],
] as const)(
  '%# a change keeps the rest, and leaves out what would be read anyway',
  (params, before, changes, after) => {
    expect(changedQuery(params, before, changes)).toBe(after);
  },
);

it.each([
  [RUNS, 'period=year&from=2026-02-30&state=toString&group=0&mode=x&search=%20&page=0', { mode: 'real', page: 1 }],
  [SUPPRESSIONS, 'class=constructor&source=x&search=%00', { page: 1 }],
  [TEMPLATES, 'folder=-1&search=', { folder: 'all' }],
  [REPORT, 'period=ever&group=1e3', { period: 'this_month' }],
])('%# what cannot be read counts as missing', (params, search, values) => {
  expect(readQuery(params, search)).toEqual(values);
});

const opened = (from: string) => pathAfterLogin({ search: String(new URLSearchParams({ from })) });

describe('the way back after a login', () => {
  it.each(['/account', '/?address=%E6%9D%B1%E4%BA%AC&tab=attack-list', '/a?b=c&d=/e'])('keeps %s', (path) => {
    expect(pathAfterLogin({ search: loginPath(path).replace('/login', '') })).toBe(path);
  });

  it.each([
    'https://evil.example',
    '//evil.example',
    '/\\evil.example',
    '/\t/evil.example',
    '/\n/evil.example',
    'javascript:alert(1)',
    '',
    'account',
  ])('never leads away by %s', (from) => {
    expect(opened(from)).toBe('/');
  });

  it.each(['/login', '/LOGIN', '/login/?from=%2Faccount', '/Login#x'])(
    'does not lead to the log-in again by %s',
    (from) => {
      expect(opened(from)).toBe('/');
    },
  );

  it('§9.2 is the root without a stored address', () => {
    expect(loginPath('/')).toBe('/login');
    expect(pathAfterLogin({ search: '' })).toBe('/');
  });
});

it.each([
  ['/', '/'],
  ['//', '/'],
  ['/login/', '/login'],
  ['//LOGIN//', '/login'],
  ['//account', '/account'],
  ['/confirmation/AbC', '/confirmation/AbC'],
])('%s becomes %s', (pathname, path) => {
  expect(canonicalPath(pathname)).toBe(path);
});
