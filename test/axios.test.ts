import axios, { AxiosError, type AxiosInstance, type AxiosResponse } from 'axios';
import { beforeAll, describe, expect, test } from 'vitest';
import { hashPassword } from '#server/features/auth/password.ts';
import { openSession } from '#server/features/auth/session.ts';
import { addMember, emailOf, openSessionOf, updateMember } from './accounts.ts';
import { PASSWORD, STORY, type Story, type Style } from './axios-story.ts';
import { type Api, clientAt, serveApp } from './client.ts';
import { emptyDatabase, type TestDatabase } from './db.ts';
import { openAs } from './open-as.ts';
import { addProspects, addTenant } from './prospects.ts';
import { NOW } from './reservations.ts';
import { setUpSecondStep } from './second-step.ts';
import { SPECIFIED_CALLS } from './spec/calls.ts';

/** Makes every call of the specification's section 7 with axios, as its client does. */

let database: TestDatabase;
let served: Api;
let passwordHash: string;
const mails: { readonly to: string; readonly text: string }[] = [];

beforeAll(async () => {
  database = await emptyDatabase();
  passwordHash = await hashPassword(PASSWORD);
  const mailer = async (mail: { to: string; text: string }) => {
    mails.push(mail);
    return { kind: 'sent', reply: '250 OK' } as const;
  };
  // The pool has one connection, so a call that needs a second one during its first fails.
  const { db: api, close } = openAs('api', database.url, 1);
  served = await serveApp({ ...database, api, mailer }, () => NOW, { accountLimits: { connections: 1 } });
  return close;
});

async function startStory(): Promise<Story> {
  const tenant = await addTenant(database.db);
  await updateMember(database.db, tenant.accountId, { passwordHash });
  const email = await emailOf(database.db, tenant.accountId);
  const companies = ['あおば', 'いぶき', 'うしお', 'えびす'].map((company_name, n) => ({
    company_name,
    company_email: `info@${n}.example.jp`,
    ceo: `代表 ${n}`,
  }));
  const lastTo = (to: string) => mails.findLast((mail) => mail.to === to)?.text ?? '';
  const secret = /confirmation\/([\w-]{43})$/m;
  const mailedSecret = () => secret.exec(lastTo(`new-${email}`))?.[1];
  const ids = await addProspects(database.db, tenant.accountId, companies);
  return {
    ...tenant,
    email,
    ids,
    mailedSecret,
    answers: new Map(),
  };
}

const STYLES: Readonly<Record<string, Style>> = {
  'brackets and bodies as axios writes them': { part: (value) => value, config: {}, end: '' },
  'lists with their indexes': {
    part: (value) => value,
    config: { paramsSerializer: { indexes: true } },
    end: '',
  },
  'JSON strings, bodies by its own transformRequest, a slash at the end': {
    part: (value) => JSON.stringify(value),
    config: {
      transformRequest: [(data: unknown) => (data === undefined ? data : JSON.stringify(data))],
      headers: { 'Content-Type': 'application/json' },
    },
    end: '/',
  },
};

const clientOf = ({ config }: Style, token?: string): AxiosInstance =>
  axios.create({
    baseURL: served.address,
    timeout: 0,
    ...config,
    headers: { ...config.headers, ...(token && { Authorization: `Bearer ${token}` }) },
  });

test('the story makes each call of the specification', () => {
  const plain = (route: string) => route.replace(/\/$/, '').replaceAll(/:\w+|\{\w+\}/g, '*');
  const told = new Set(STORY.map(([route]) => plain(route)));
  expect([...told].toSorted()).toStrictEqual(SPECIFIED_CALLS.map(plain).toSorted());
});

/** Sets up a second step of a colleague, and names the networks of the account. */
async function guardAccount({ accountId }: Story): Promise<void> {
  const colleague = { accountId, memberId: await addMember(database.db, accountId, { passwordHash }) };
  const token = await openSession(database.login, colleague, NOW);
  await setUpSecondStep(clientAt(served.address, `Bearer ${token}`), { password: PASSWORD, now: NOW });
  await database.pool.query(
    `INSERT INTO account_rule (account_id, login_networks) VALUES ($1, '{127.0.0.0/8,::1/128}')`,
    [accountId],
  );
}

const STYLED = Object.entries(STYLES);

test.each([
  ...STYLED.map(([name, style]) => [name, style, null] as const),
  ...STYLED.slice(0, 1).map(([name, style]) => [`${name}, beside a second step`, style, guardAccount] as const),
])('the whole story runs on one connection: %s', async (_name, style, prepare) => {
  const story = await startStory();
  await prepare?.(story);
  let api = clientOf(style);
  for (const [route, ask, answer] of STORY) {
    const [path, body, config] = ask(story, style);
    const [method] = route.split(' ');
    const url = path + style.end;
    const { status, data }: AxiosResponse<Record<string, never>> =
      method === 'GET' ? await api.get(url, config) : await api[method === 'PUT' ? 'put' : 'post'](url, body, config);
    expect([route, status, data]).toStrictEqual([route, 200, answer(story)]);
    story.answers.set(route, data);
    if (data.token) api = clientOf(style, data.token);
  }
});

describe('the errors that axios throws', () => {
  /** Returns the error that a client gets: status, message for the user, and code. */
  const refusedBy = async (ask: (api: AxiosInstance, story: Story) => Promise<unknown>, token?: string) => {
    const story = await startStory();
    const session = token ?? (await openSessionOf(database.login, story.accountId, NOW));
    const style = STYLES['brackets and bodies as axios writes them'] as Style;
    const error: unknown = await ask(clientOf(style, session), story).catch((thrown: unknown) => thrown);
    if (!(error instanceof AxiosError)) throw new Error('axios was not refused');
    const { status, data } = error.response as AxiosResponse<{ message: string; code: string }>;
    expect(data.message).toMatch(/[ぁ-ん]/);
    return [status, data.code];
  };
  const where = (where_info: object) => ({ params: { where_info } });

  test.each<[string, number, string, (api: AxiosInstance, story: Story) => Promise<unknown>]>([
    [
      'a wrong password',
      401,
      'wrong_credentials',
      (api, { email }) => api.post('/auth/login', { email, password: 'ちがうパスワードです！！' }),
    ],
    ['an account of somebody else', 404, 'not_found', (api, { accountId }) => api.get(`/account/${accountId - 1}`)],
    ['a field that no list knows', 400, 'invalid_input', (api) => api.get('/sender/list', where({ password: 1 }))],
    [
      'a column that no list has',
      400,
      'invalid_input',
      (api) => api.get('/sender_group/list', { params: { columns: ['id', 'hashed'] } }),
    ],
    [
      'a where_info that is no JSON',
      400,
      'invalid_input',
      (api) => api.get('/sender/list', { params: { where_info: '{"active"' } }),
    ],
    [
      'two fields of an account',
      400,
      'invalid_input',
      (api, { accountId }) => api.put(`/account/${accountId}`, { update_info: { name: '山田', company: '会社' } }),
    ],
    ['a form', 415, 'unsupported_media_type', (api) => api.postForm('/send_log', { sender_group_id: 1 })],
    [
      'no attack list',
      400,
      'invalid_input',
      (api, { senderId }) => api.post(`/mail/send/${senderId}`, { test_send_mode: 1, attack_list: '[]' }),
    ],
    ['a call that is not there', 404, 'not_found', (api) => api.get('/prospects')],
  ])('%s: %i %s', async (_name, status, code, ask) => {
    expect(await refusedBy(ask)).toStrictEqual([status, code]);
  });

  test('an expired token: 401 unauthorized, at which the client logs out', async () => {
    expect(await refusedBy((api, { accountId }) => api.get(`/account/${accountId}`), 'x'.repeat(43))).toStrictEqual([
      401,
      'unauthorized',
    ]);
  });
});
