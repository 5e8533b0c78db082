import { act, screen, waitFor } from '@testing-library/react';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { deferred, fakeApi, ok, refused } from '#test/web/fake-api.ts';
import { renderPart } from '#test/web/render.tsx';
import { logInAs } from '#test/web/samples.ts';
import type { Check } from '#web/components/field/check-list.tsx';
import type { DomainRow } from '../domain-query.ts';
import { useOrderDomain } from './use-order-domain.ts';

const NOON = Date.parse('2026-11-23T12:00:00+09:00');

const row = (values: Partial<DomainRow> = {}): DomainRow => ({
  domain: 'example.jp',
  senders: 1,
  state: 'good',
  is_due: 0,
  needs_acknowledgement: 0,
  checked_at: '2026/11/23 12:00:00',
  failed_at: null,
  checks: [],
  self_test: { state: 'none', sent_at: null, arrived_at: null, checks: [] },
  ...values,
});
const check = (name: 'dkim' | 'dmarc', level: 'bad' | 'good'): DomainRow['checks'][number] => ({
  check: name,
  level,
  message: '',
  remedy: '',
  found: [],
  record: null,
  checked_at: '2026/11/23 12:00:00',
});
const BAD = row({ state: 'bad', needs_acknowledgement: 1, checks: [check('dkim', 'good'), check('dmarc', 'bad')] });
const UNCHECKED = row({ state: 'unchecked', is_due: 1, checked_at: null });

function Shown({ address }: { readonly address: string | null }) {
  const checks = useOrderDomain(address, '/settings/domains', NOON);
  return <section aria-label="shown">{JSON.stringify(checks)}</section>;
}

const CHECK = 'POST /domain_health/check';
function open(
  rows: readonly DomainRow[],
  more: Parameters<typeof fakeApi>[0] = {},
  address: string | null = 'a@EXAMPLE.jp',
) {
  const requests = fakeApi({ 'GET /domain_health/list': () => ok(rows), ...more });
  renderPart(<Shown address={address} />);
  return requests;
}
const shown = () => JSON.parse(screen.getByRole('region').textContent) as readonly Check[];
const texts = () => shown().map(({ kind, text }) => `${kind}: ${text.split('（')[0]}`);

beforeEach(() => logInAs());

it('says that a domain has no faults', async () => {
  open([row({ domain: 'other.jp', state: 'bad' }), row()]);
  await waitFor(() => expect(texts()).toEqual(['fine: ドメイン']));
});

it('names the faults of a domain and where to fix them, and asks for a tick once a day', async () => {
  open([BAD]);
  await waitFor(() => expect(texts()).toEqual(['bad: example.jpの設定に問題があります']));
  expect(shown()[0]).toMatchObject({
    text: expect.stringContaining('（DMARC）') as string,
    link: { to: '/settings/domains', text: '直し方' },
    ask: { rule: 'domain_health', key: 'example.jp 2026-11-23 dmarc', isOnce: true },
  });
});

it('asks for no tick where the server needs none', async () => {
  open([{ ...BAD, needs_acknowledgement: 0 }]);
  await waitFor(() => expect(texts()).toEqual(['bad: example.jpの設定に問題があります']));
  expect(shown()[0]?.ask).toBeUndefined();
});

it('says that the DNS did not answer, and asks for no tick', async () => {
  open([row({ state: 'unknown' })]);
  await waitFor(() => expect(texts()).toEqual(['warning: example.jpの状態を確認できません']));
  expect(shown()[0]?.ask).toBeUndefined();
});

it('checks a domain whose check is due, and shows the result', async () => {
  const answer = deferred();
  const requests = open([UNCHECKED], { [CHECK]: () => answer.answer });
  await waitFor(() => expect(texts()).toEqual(['waiting: 差出人のドメインを確認しています…']));
  answer.resolve(ok(BAD));
  await waitFor(() => expect(shown()[0]?.ask).toBeDefined());
  expect(requests.filter(({ method }) => method === 'POST').map(({ body }) => body)).toEqual([
    { domain: 'example.jp' },
  ]);
});

it('says nothing if the check failed', async () => {
  const requests = open([UNCHECKED], { [CHECK]: () => refused(429, 'ドメインの確認は1分間に10回までです。') });
  await waitFor(() => expect(requests).toHaveLength(2));
  await waitFor(() => expect(texts()).toEqual([]));
  expect(screen.queryByText(/10回まで/)).toBeNull();
});

it('checks nothing for a test', async () => {
  const requests = open([BAD], {}, null);
  await act(async () => undefined);
  expect([requests, texts()]).toEqual([[], []]);
});

it('checks nothing if mails stay in the mail catcher', async () => {
  const meta = document.createElement('meta');
  Object.assign(meta, { name: 'mail-catcher', content: 'yes' });
  document.head.append(meta);
  onTestFinished(() => meta.remove());
  const requests = open([BAD]);
  await act(async () => undefined);
  expect([requests, texts()]).toEqual([[], []]);
});
