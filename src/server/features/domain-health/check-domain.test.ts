import { generateKeyPairSync } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { type DomainCheck, domainState, type Finding } from '#domain/dns/health.ts';
import { type DnsZone, serveZone } from '#test/dns-zone.ts';
import type { MailPath } from '../../platform/mail/mail-path.ts';
import { checkDomain, type DomainPath } from './check-domain.ts';

/** The checks against a zone on loopback: what the DNS holds, and what a user is told. */

let dns: DnsZone;
beforeAll(async () => {
  dns = await serveZone();
});

const DOMAIN = 'kaisha.co.jp';
const newKey = (modulusLength: number) =>
  generateKeyPairSync('rsa', {
    modulusLength,
    publicKeyEncoding: { type: 'spki', format: 'der' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
const { publicKey, privateKey } = newKey(2048);
const PUBLIC = publicKey.toString('base64');
const weak = newKey(1024);

const DKIM = { domain: DOMAIN, selector: 'k1', privateKey };
const SMTP = { kind: 'smtp', host: 'smtp.kaisha.co.jp', dkim: DKIM, returnDomain: null } as const;
const SENDGRID: MailPath = {
  kind: 'service',
  name: 'SendGrid',
  spfInclude: 'sendgrid.net',
  selectors: ['s1', 's2'],
};

const GOOD: DnsZone['records'] = {
  [`MX ${DOMAIN}`]: ['mx1.kaisha.co.jp', 'mx2.kaisha.co.jp'],
  [`TXT ${DOMAIN}`]: ['google-site-verification=x', 'v=spf1 a:smtp.kaisha.co.jp include:_spf.relay.jp -all'],
  'A smtp.kaisha.co.jp': ['160.16.0.1'],
  'TXT _spf.relay.jp': ['v=spf1 ip4:160.16.0.9 ~all'],
  [`TXT k1._domainkey.${DOMAIN}`]: [['v=DKIM1; k=rsa; p=', PUBLIC.slice(0, 200), PUBLIC.slice(200)]],
  [`TXT _dmarc.${DOMAIN}`]: ['v=DMARC1; p=quarantine; rua=mailto:dmarc@kaisha.co.jp'],
};

interface Given {
  readonly records?: DnsZone['records'];
  readonly path?: MailPath;
  readonly publicUrl?: string;
  readonly domain?: string;
  readonly used?: readonly DomainPath[];
  readonly leavesMachine?: boolean;
}

async function check({
  records = {},
  path = SMTP,
  publicUrl = 'https://kaitaku.kaisha.co.jp',
  domain = DOMAIN,
  used,
  leavesMachine = true,
}: Given = {}) {
  dns.records = { ...GOOD, ...records };
  dns.asked.length = 0;
  return checkDomain(domain, { mailPath: path, leavesMachine, publicUrl, dnsServers: [dns.server] }, used);
}

const one = async (name: DomainCheck, given: Given): Promise<Finding> =>
  (await check(given)).find((finding) => finding.check === name) as Finding;

test('a domain whose records are right is good in every check', async () => {
  const findings = await check();
  expect(findings.map(({ check: name, level, remedy, record }) => [name, level, remedy, record])).toStrictEqual(
    ['mx', 'spf', 'dkim', 'dmarc', 'alignment', 'one_click'].map((name) => [name, 'good', '', null]),
  );
  expect(findings.flatMap(({ found }) => found)).toContain('mx1.kaisha.co.jp');
});

describe('MX', () => {
  const NONE = 'kaisha.co.jpにメールを受け取るサーバーがありません。返信も苦情も届きません。';
  test.each<[string, DnsZone['records'], Partial<Finding>]>([
    ['an address instead', { [`MX ${DOMAIN}`]: [], [`A ${DOMAIN}`]: ['160.16.0.2'] }, { level: 'good' }],
    ['none', { [`MX ${DOMAIN}`]: [] }, { level: 'bad', message: NONE, found: [] }],
    ['a null MX', { [`MX ${DOMAIN}`]: [''] }, { level: 'bad', message: NONE, found: ['MX 0 .'] }],
  ])('%s', async (_, records, expected) => expect(await one('mx', { records })).toMatchObject(expected));
});

describe('SPF', () => {
  const txt = (...texts: (string | string[])[]) => ({ [`TXT ${DOMAIN}`]: texts });
  const record = (value: string) => ({ type: 'TXT', name: DOMAIN, value });
  test.each<[string, DnsZone['records'], object]>([
    [
      'none',
      txt('v=spf10 -all'),
      { level: 'bad', message: 'SPFレコードがありません。', record: record('v=spf1 ip4:160.16.0.1 ~all') },
    ],
    [
      'lawful 87: two records',
      txt('v=spf1 ip4:160.16.0.1 -all', 'v=spf1 include:_spf.relay.jp ~all'),
      {
        level: 'bad',
        message: 'SPFレコードが2つあります。',
        record: record('v=spf1 ip4:160.16.0.1 include:_spf.relay.jp -all'),
      },
    ],
    [
      'lawful 88: an include loop',
      txt('v=spf1 include:kaisha.co.jp -all'),
      { level: 'bad', message: 'SPFレコードの参照が10回を超えています。' },
    ],
    ['a term that does not exist', txt('v=spf1 ipv4:160.16.0.1 -all'), { level: 'bad', message: BROKEN }],
    ['an include without a record', txt('v=spf1 include:gone.jp -all'), { level: 'bad', message: BROKEN }],
    ['an include of no name', txt(`v=spf1 include:${'a'.repeat(64)}.jp -all`), { level: 'bad', message: BROKEN }],
    [
      '+all',
      txt('v=spf1 ip4:160.16.0.1 +all'),
      {
        level: 'bad',
        message: 'SPFレコードが、すべてのサーバーからの送信を許しています。',
        record: record('v=spf1 ip4:160.16.0.1 ~all'),
      },
    ],
    [
      '+all behind an include',
      { ...txt('v=spf1 include:open.jp -all'), 'TXT open.jp': ['v=spf1 all'] },
      { level: 'bad', message: 'SPFレコードが、すべてのサーバーからの送信を許しています。' },
    ],
    [
      '?all',
      txt('v=spf1 ip4:160.16.0.1 ?all'),
      {
        level: 'look',
        message: 'SPFレコードの最後が ~all か -all ではありません。',
        record: record('v=spf1 ip4:160.16.0.1 ~all'),
      },
    ],
    [
      'a server that is not in it',
      txt('v=spf1 include:_spf.relay.jp -all'),
      {
        level: 'look',
        message: '送信サーバー（smtp.kaisha.co.jp、160.16.0.1）がSPFレコードに含まれるかを確かめられません。',
        record: record('v=spf1 include:_spf.relay.jp ip4:160.16.0.1 -all'),
      },
    ],
    [
      'a server whose address is private',
      { 'A smtp.kaisha.co.jp': ['10.0.0.1'] },
      {
        level: 'look',
        message: '送信サーバー（smtp.kaisha.co.jp）がSPFレコードに含まれるかを確かめられません。',
        record: null,
      },
    ],
    [
      'a server that the DNS does not name',
      { ...txt('v=spf1 ip4:160.16.0.1 -all'), 'A smtp.kaisha.co.jp': 'SERVFAIL' },
      { level: 'look' },
    ],
    [
      'a server of whose addresses the DNS names only some',
      { 'AAAA smtp.kaisha.co.jp': 'SERVFAIL' },
      {
        level: 'look',
        message: '送信サーバー（smtp.kaisha.co.jp）がSPFレコードに含まれるかを確かめられません。',
      },
    ],
    ['lawful 89: strings that are joined', txt(['v=spf1 ip4:160', '.16.0.1 ', '-a', 'l', 'l']), { level: 'good' }],
    [
      'a redirect',
      { ...txt('v=spf1 redirect=_spf.kaisha.co.jp'), 'TXT _spf.kaisha.co.jp': ['v=spf1 ip4:160.16.0.1 -all'] },
      { level: 'good' },
    ],
  ])('%s', async (_, records, expected) => {
    const found = await one('spf', { records });
    expect(found).toMatchObject(expected);
    expect(found.remedy === '').toBe(found.level === 'good');
  });

  test('lawful 88: eleven look-ups at most, however many a record asks for', async () => {
    const chain = Object.fromEntries(
      Array.from({ length: 30 }, (_, n) => [`TXT s${n}.relay.jp`, [`v=spf1 include:s${n + 1}.relay.jp -all`]]),
    );
    const found = await one('spf', { records: { ...chain, ...txt('v=spf1 include:s0.relay.jp -all') } });
    expect(found.message).toBe('SPFレコードの参照が10回を超えています。');
    expect(dns.asked.filter((asked) => asked.includes('relay.jp')).length).toBeLessThanOrEqual(11);
  });

  test('lawful 90: a part that the DNS does not answer leaves the result unknown', async () => {
    const records = { ...txt('v=spf1 include:_spf.relay.jp -all'), 'TXT _spf.relay.jp': 'SERVFAIL' as const };
    const found = await one('spf', { records });
    expect(found).toMatchObject({ level: 'unknown', message: '確認できません（DNSの応答：SERVFAIL）。' });
  });

  test('shows the record that its remedy promises, also where nobody knows where the mails leave from', async () => {
    const path: MailPath = { ...SMTP, host: '127.0.0.1' };
    const found = await one('spf', { path, records: txt('x') });
    expect(found).toMatchObject({ level: 'bad', record: record('v=spf1 mx ~all') });
    expect(found.remedy).toMatch(
      /^次のTXTレコードをDNSに追加してください。.*メールの提供元が案内する値（.*）を、~all の前に加えてください。$/,
    );
    const twice = await one('spf', { path, records: txt('v=spf1 -all', 'v=spf1 ~all') });
    expect(twice).toMatchObject({ remedy: expect.stringContaining('次の1つ'), record: record('v=spf1 mx ~all') });
  });

  test('is that of the return path, where this has a domain of its own', async () => {
    const path: MailPath = { ...SMTP, returnDomain: 'bounce.kaisha.co.jp' };
    expect(await one('spf', { path })).toMatchObject({ level: 'bad', record: { name: 'bounce.kaisha.co.jp' } });
    const records = { 'TXT bounce.kaisha.co.jp': ['v=spf1 ip4:160.16.0.1 -all'] };
    expect((await one('spf', { path, records })).level).toBe('good');
  });
});

const BROKEN = 'SPFレコードに誤りがあります。';

/** Returns what receivers see of a record that is set as it was offered. @throws where a string is too long */
function joined(value = ''): string {
  if (!value.startsWith('"')) return value;
  const strings = [...value.matchAll(/"((?:[^"\\]|\\.)*)"(?: |$)/gy)].map(([, string = '']) =>
    string.replace(/\\(.)/g, '$1'),
  );
  for (const string of strings) expect(string.length).toBeLessThanOrEqual(255);
  return strings.join('');
}

test('a proposed record longer than 255 characters is split into strings', async () => {
  const terms = Array.from({ length: 20 }, (_, n) => `ip4:192.0.2.${n + 100}`).join(' ');
  const spf = await one('spf', {
    records: { [`TXT ${DOMAIN}`]: [[`v=spf1 ${terms}`.slice(0, 200), `v=spf1 ${terms} -all`.slice(200)]] },
  });
  expect(spf.record?.value).toMatch(/^"v=spf1 .*" ".* -all"$/);
  expect(joined(spf.record?.value)).toBe(`v=spf1 ${terms} ip4:160.16.0.1 -all`);
  const ruf = `ruf=mailto:"a\\b"@kaisha.co.jp,mailto:${'r'.repeat(200)}@kaisha.co.jp`;
  const dmarc = await one('dmarc', { records: { [`TXT _dmarc.${DOMAIN}`]: [['v=DMARC1; p=none; ', ruf]] } });
  expect(joined(dmarc.record?.value)).toBe(`v=DMARC1; p=none; ${ruf}; rua=mailto:postmaster@kaisha.co.jp`);
});

describe('DKIM', () => {
  // A string of a record has 255 characters at most.
  const key = (...texts: string[]) => ({
    [`TXT k1._domainkey.${DOMAIN}`]: texts.map((text) => text.match(/.{1,255}/gs) ?? ['']),
  });
  const MISMATCH = 'DKIMの公開鍵が、このサーバーの秘密鍵と一致しません。';
  test.each<[string, DnsZone['records'], string]>([
    ['none', key(), 'DKIMの公開鍵がDNSにありません。'],
    ['lawful 93: revoked', key('v=DKIM1; p='), 'DKIMの公開鍵が取り消されています（p= が空です）。'],
    ['another key', key(`v=DKIM1; p=${weak.publicKey.toString('base64')}`), MISMATCH],
    ['no key', key('hello'), MISMATCH],
    [
      'two keys',
      key(`v=DKIM1; p=${PUBLIC}`, 'v=DKIM1; p='),
      'DKIMの公開鍵が2つあります。受信側がどれを使うかは決まっていません。',
    ],
  ])('%s', async (_, records, message) => {
    const { record, ...found } = await one('dkim', { records });
    expect(found).toMatchObject({ level: 'bad', message });
    expect(record).toMatchObject({ type: 'TXT', name: `k1._domainkey.${DOMAIN}` });
    expect(joined(record?.value)).toBe(`v=DKIM1; k=rsa; p=${PUBLIC}`);
  });

  test.each([
    [1024, 1],
    [2048, 2],
    [4096, 3],
  ])('a key of %i bits is offered in %i strings of at most 255 characters', async (bits, count) => {
    const { publicKey: pub, privateKey: own } = newKey(bits);
    const path: MailPath = { ...SMTP, dkim: { ...DKIM, privateKey: own } };
    const { record } = await one('dkim', { path, records: key() });
    const value = record?.value ?? '';
    expect(value.split(' "').map((string) => string.length)).toSatisfy(
      (lengths: number[]) => lengths.length === count && lengths.every((length) => length <= 257),
    );
    expect(joined(value)).toBe(`v=DKIM1; k=rsa; p=${pub.toString('base64')}`);
  });

  test('a key with the quotes of a zone file in it is told from another key', async () => {
    const quoted = `"v=DKIM1; k=rsa; p=${PUBLIC.slice(0, 230)}" "${PUBLIC.slice(230)}"`;
    expect(await one('dkim', { records: key(quoted) })).toMatchObject({
      level: 'bad',
      message: expect.stringContaining('引用符'),
    });
  });

  test('a key of 1024 bits works, and should be longer', async () => {
    const path: MailPath = { ...SMTP, dkim: { ...DKIM, privateKey: weak.privateKey } };
    const records = key(`v=DKIM1; p=${weak.publicKey.toString('base64')}`);
    expect(await one('dkim', { path, records })).toMatchObject({
      level: 'look',
      message: 'DKIMの鍵が1024ビットです。',
    });
  });

  test('a key of the domain above signs too', async () => {
    expect(await one('dkim', { domain: 'news.kaisha.co.jp' })).toMatchObject({ level: 'good' });
  });

  test('without a key of the domain nobody can tell from here who signs', async () => {
    const unsigned = await one('dkim', { path: { ...SMTP, dkim: null } });
    expect(unsigned).toMatchObject({
      level: 'look',
      message: expect.stringContaining('署名が付くかを確かめられません'),
    });
    const other = await one('dkim', { path: { ...SMTP, dkim: { ...DKIM, domain: 'betsu.jp' } } });
    expect(other).toMatchObject({ level: 'look', message: expect.stringContaining('betsu.jpのもので') });
  });
});

describe('DMARC', () => {
  const txt = (...texts: string[]) => ({ [`TXT _dmarc.${DOMAIN}`]: texts });
  const record = (value: string) => ({ type: 'TXT', name: `_dmarc.${DOMAIN}`, value });
  const OFFER = record('v=DMARC1; p=none; rua=mailto:postmaster@kaisha.co.jp');
  const WRONG = { level: 'bad', message: 'DMARCレコードに誤りがあります。', record: OFFER };
  test.each<[string, DnsZone['records'], object]>([
    [
      'none',
      txt(),
      {
        level: 'bad',
        message: 'DMARCレコードがありません。Gmail・Outlook.com・ドコモで、迷惑メール扱いや警告の原因になります。',
        record: OFFER,
      },
    ],
    ['two', txt('v=DMARC1; p=none', 'v=DMARC1; p=reject'), { level: 'bad', message: 'DMARCレコードが2つあります。' }],
    ['no semicolon', txt('v=DMARC1 p=reject'), WRONG],
    ['an unknown policy', txt('v=DMARC1; p=block'), WRONG],
    ['an unknown policy with reports', txt('v=DMARC1; p=block; rua=mailto:a@kaisha.co.jp'), WRONG],
    [
      'no action and no reports',
      txt('v=DMARC1; p=none;'),
      {
        level: 'look',
        message: 'DMARCレコードは p=none で、報告先（rua）がありません。',
        record: record('v=DMARC1; p=none; rua=mailto:postmaster@kaisha.co.jp'),
      },
    ],
    ...[
      ['an address without mailto:', 'none', 'r@a.test', 'mailto:r@a.test'],
      ['the same with a policy', 'quarantine', 'r@a.test', 'mailto:r@a.test'],
      ['one of two', 'reject', 'mailto:a@a.test!10m, b@a.test', 'mailto:a@a.test!10m,mailto:b@a.test'],
      ['another scheme', 'reject', 'mail:r@a.test', 'mailto:r@a.test'],
      ['no address', 'none', 'mailto:', 'mailto:postmaster@kaisha.co.jp'],
      ['a page', 'none', 'https://a.test/dmarc', 'mailto:postmaster@kaisha.co.jp'],
    ].map(([what, policy, rua, right]): [string, DnsZone['records'], object] => [
      `reports to ${what}`,
      txt(`v=DMARC1; p=${policy}; rua=${rua}; pct=100`),
      {
        level: 'look',
        message: 'DMARCレコードの報告先（rua）が、受け取れる形になっていません。',
        record: record(`v=DMARC1; p=${policy}; rua=${right}; pct=100`),
      },
    ]),
    ['reports to two', txt('v=DMARC1; p=none; rua=mailto:a@a.test!10m, mailto:b@a.test'), { level: 'good' }],
    ['an unknown policy of the domains below', txt('v=DMARC1; p=reject; sp=block; rua=mailto:a@kaisha.co.jp'), WRONG],
    [
      'an unknown policy of names that do not exist',
      txt('v=DMARC1; p=reject; np=block; rua=mailto:a@kaisha.co.jp'),
      WRONG,
    ],
    [
      'an action that is only tried',
      txt('v=DMARC1; p=quarantine; t=y'),
      { level: 'look', message: 'DMARCレコードは p=quarantine（t=y） で、報告先（rua）がありません。' },
    ],
    ['no action for the domains below', txt('v=DMARC1; p=reject; sp=none; np=none'), { level: 'good' }],
    ['no action, with reports', txt('v=DMARC1; p=none; rua=mailto:a@kaisha.co.jp'), { level: 'good' }],
  ])('%s', async (_, records, expected) => expect(await one('dmarc', { records })).toMatchObject(expected));

  const EXISTS = { 'MX news.kaisha.co.jp': ['mx1.kaisha.co.jp'] };
  test.each<[string, DnsZone['records'], string | null]>([
    ['p where it has no sp', { ...EXISTS, ...txt('v=DMARC1; p=none') }, 'p=none'],
    ['sp, which is weaker', { ...EXISTS, ...txt('v=DMARC1; p=reject; sp=none') }, 'sp=none'],
    ['sp, which is stronger', { ...EXISTS, ...txt('v=DMARC1; p=none; sp=reject') }, null],
    [
      'sp of an existing name, whatever np is',
      { ...EXISTS, ...txt('v=DMARC1; p=none; SP = None; np=reject') },
      'sp=none',
    ],
    ['np of a name that does not exist', txt('v=DMARC1; p=reject; sp=reject; np=none'), 'np=none'],
    ['np, which is stronger', txt('v=DMARC1; p=none; sp=none; np=reject'), null],
    ['sp of a name that does not exist, without np', txt('v=DMARC1; p=reject; sp=none'), 'sp=none'],
    [
      'sp, by a step weaker',
      { ...EXISTS, ...txt('v=DMARC1; p=reject; sp=quarantine; np=reject; t=y') },
      'sp=quarantine（t=y）',
    ],
    [
      'p of its own record',
      {
        ...EXISTS,
        ...txt('v=DMARC1; p=none; sp=none'),
        'TXT _dmarc.news.kaisha.co.jp': ['v=DMARC1; p=reject; sp=none'],
      },
      null,
    ],
  ])('to a domain below the record applies %s', async (_, records, tag) => {
    expect(await one('dmarc', { domain: 'news.kaisha.co.jp', records })).toMatchObject(
      tag === null
        ? { level: 'good' }
        : {
            level: 'look',
            message: `DMARCレコード（kaisha.co.jpのレコード）は ${tag} で、報告先（rua）がありません。`,
          },
    );
  });

  test('an unknown existence of the domain below leaves the result unknown', async () => {
    const records = { ...txt('v=DMARC1; p=reject; np=none'), 'A news.kaisha.co.jp': 'SERVFAIL' as const };
    expect((await one('dmarc', { domain: 'news.kaisha.co.jp', records })).level).toBe('unknown');
  });

  test('the record of the domain above applies to one without its own', async () => {
    const given = { domain: 'news.kaisha.co.jp' };
    expect(await one('dmarc', given)).toMatchObject({
      level: 'good',
      message: 'DMARCレコードは正しく設定されています（kaisha.co.jpのレコード）。',
    });
    const records = { 'TXT _dmarc.news.kaisha.co.jp': ['v=DMARC1 p=reject'] };
    expect(await one('dmarc', { ...given, records })).toMatchObject({ level: 'bad' });
  });
});

describe('alignment', () => {
  const strict = { [`TXT _dmarc.${DOMAIN}`]: ['v=DMARC1; p=reject; adkim=s; aspf=s'] };
  const own = { ...SMTP, dkim: null };
  const foreign = { ...SMTP, returnDomain: 'bounce.betsu.jp' };
  test.each<[string, Given, object]>([
    ['both of the organisation', { domain: 'news.kaisha.co.jp' }, { level: 'good' }],
    [
      'of a strict domain the return path alone',
      { path: own },
      { level: 'look', message: expect.stringContaining('返送先（Return-Path）だけ') },
    ],
    ['the signature alone', { path: foreign }, { level: 'look', message: expect.stringContaining('DKIMだけ') }],
    [
      'neither',
      { path: { ...foreign, dkim: null } },
      {
        level: 'bad',
        message: '差出人とDKIM・返送先（Return-Path）のドメインが一致しません。',
        found: ['bounce.betsu.jp'],
      },
    ],
    [
      'a part of the name that many companies share',
      { path: { ...own, returnDomain: 'betsu.co.jp' } },
      { level: 'bad' },
    ],
    [
      'the domain below, where equal ones are asked for',
      { path: { ...own, returnDomain: 'bounce.kaisha.co.jp' }, records: strict },
      { level: 'bad' },
    ],
    [
      'the domain below, where equal ones are asked for of signatures alone',
      {
        path: { ...own, returnDomain: 'bounce.kaisha.co.jp' },
        records: { [`TXT _dmarc.${DOMAIN}`]: ['v=DMARC1; p=reject; adkim=s'] },
      },
      { level: 'look' },
    ],
    ['the domain below', { path: { ...own, returnDomain: 'bounce.kaisha.co.jp' } }, { level: 'look' }],
  ])('%s', async (_, given, expected) => expect(await one('alignment', given)).toMatchObject(expected));
});

test.each([
  [['good', 'look'], 'good'],
  [['good', 'unknown', 'bad'], 'bad'],
  [['good', 'unknown'], 'unknown'],
  [[], 'unchecked'],
] as const)('a domain with %j is %s', (levels, state) => {
  expect(domainState(levels.map((level) => ({ level })))).toBe(state);
});

test('one click needs a public https address, and our signature', async () => {
  expect((await one('one_click', { publicUrl: 'http://localhost:3000' })).level).toBe('look');
  expect((await one('one_click', { path: { ...SMTP, dkim: null } })).level).toBe('look');
});

test('a service is asked for its own keys, and its SPF is proposed', async () => {
  const bare = { [`TXT ${DOMAIN}`]: [] };
  const without = await check({ path: SENDGRID, records: bare });
  expect(without.map(({ level }) => level)).toStrictEqual(['good', 'look', 'look', 'good', 'look', 'look']);
  expect(without[1]?.record?.value).toBe('v=spf1 include:sendgrid.net ~all');
  const records = { ...bare, [`TXT s1._domainkey.${DOMAIN}`]: ['k=rsa; p=abc'] };
  const verified = await check({ path: SENDGRID, records });
  expect(verified.map(({ level }) => level)).toStrictEqual(['good', 'look', 'good', 'good', 'good', 'look']);
});

test('lawful 90: without a DNS that answers, everything of the DNS is unknown', async () => {
  const findings = await checkDomain(DOMAIN, {
    mailPath: SMTP,
    leavesMachine: true,
    publicUrl: '',
    dnsServers: ['127.0.0.1:1'],
  });
  const unknown = ['unknown', '確認できません（DNSの応答：接続できません）。'];
  expect(findings.slice(0, 5).map(({ level, message }) => [level, message])).toStrictEqual(Array(5).fill(unknown));
});

test('the content of a record is shown as plain text, and shortened', async () => {
  const records = { [`TXT _dmarc.${DOMAIN}`]: [`v=DMARC1; p=none; <script>\u0007${'x'.repeat(200)}`, 'v=DMARC1; é'] };
  const { found } = await one('dmarc', { records });
  expect(found.join(' ')).toMatch(/<script>\?x+/);
  expect(found.join(' ')).toMatch(/^[\x20-\x7e…]+$/);
});

describe('mailboxes', () => {
  const GOOGLE: DnsZone['records'] = {
    [`TXT ${DOMAIN}`]: ['v=spf1 include:_spf.google.com ~all'],
    'TXT _spf.google.com': ['v=spf1 ip4:35.190.247.0/24 ~all'],
    [`TXT google._domainkey.${DOMAIN}`]: ['v=DKIM1; k=rsa; p=abc'],
  };
  const MICROSOFT: DnsZone['records'] = {
    [`TXT ${DOMAIN}`]: ['v=spf1 include:spf.protection.outlook.com -all'],
    'TXT spf.protection.outlook.com': ['v=spf1 ip4:40.92.0.0/15 -all'],
    [`TXT selector2._domainkey.${DOMAIN}`]: ['v=DKIM1; k=rsa; p=abc'],
  };
  const levelsOf = async (given: Given) =>
    Object.fromEntries((await check(given)).map(({ check: name, level }) => [name, level]));

  test.each([
    ['google', GOOGLE],
    ['microsoft', MICROSOFT],
  ] as const)('of %s are judged by the records of their provider, not by our server', async (kind, records) => {
    expect(await levelsOf({ records, used: [kind] })).toMatchObject({ spf: 'good', dkim: 'good', alignment: 'good' });
    const key = Object.fromEntries(
      Object.keys(records).map((name) => [name, /_domainkey/.test(name) ? [] : records[name]]),
    );
    expect(await levelsOf({ records: key as typeof records, used: [kind] })).toMatchObject({
      dkim: 'look',
      alignment: 'look',
    });
  });

  test('without their include a record is proposed that has all other terms too', async () => {
    const finding = await one('spf', { used: ['google'] });
    expect(finding).toMatchObject({
      level: 'look',
      message: 'Google Workspace（include:_spf.google.com）がSPFレコードに含まれるかを確かめられません。',
      record: { value: 'v=spf1 a:smtp.kaisha.co.jp include:_spf.relay.jp include:_spf.google.com -all' },
    });
    const none = await one('spf', { used: ['microsoft'], records: { [`TXT ${DOMAIN}`]: [] } });
    expect(none).toMatchObject({ level: 'bad', record: { value: 'v=spf1 include:spf.protection.outlook.com ~all' } });
  });

  test('at another server say that SPF and DKIM cannot be known', async () => {
    const findings = await check({ used: ['smtp'] });
    const ofCheck = (name: DomainCheck) => findings.find((finding) => finding.check === name);
    expect(ofCheck('spf')).toMatchObject({
      level: 'look',
      message: '送信サーバー（メールボックスのサーバー）がSPFレコードに含まれるかを確かめられません。',
    });
    expect(ofCheck('dkim')).toMatchObject({ level: 'look', message: 'DKIMの署名が付くかを確かめられません。' });
  });

  test('beside our server the worst path counts, and is named', async () => {
    expect(await levelsOf({ used: ['relay', 'google'] })).toMatchObject({ mx: 'good', spf: 'look', dkim: 'look' });
    const { message } = await one('spf', { used: ['relay', 'google'] });
    expect(message).toMatch(/^Google Workspaceから送るメール：/);
    const noKey = { [`TXT k1._domainkey.${DOMAIN}`]: [], [`TXT google._domainkey.${DOMAIN}`]: ['p=abc'] };
    const dkim = await one('dkim', { used: ['relay', 'google'], records: noKey });
    expect(dkim).toMatchObject({
      level: 'bad',
      message: 'smtp.kaisha.co.jpから送るメール：DKIMの公開鍵がDNSにありません。',
    });
  });

  test('with the mail catcher our server does not count where a mailbox sends', async () => {
    const given = { records: GOOGLE, leavesMachine: false };
    expect(await levelsOf({ ...given, used: ['relay', 'google'] })).toMatchObject({ spf: 'good', dkim: 'good' });
    expect(await levelsOf({ ...given, used: ['relay'] })).toMatchObject({ spf: 'look' });
  });
});
