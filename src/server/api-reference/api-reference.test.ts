import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInThisContext } from 'node:vm';
import { Validator } from '@seriousme/openapi-schema-validator';
import axios, { type AxiosInstance } from 'axios';
import type { FastifyInstance } from 'fastify';
import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { API_BASE, type Call } from '#contract/call.ts';
import { ERRORS, type ErrorCode } from '#contract/errors.ts';
import { reserve } from '#contract/sending/reservations.ts';
import { candidateFaults, isOver } from '#domain/sending/candidate-dates.ts';
import { reservationFault } from '#domain/sending/reservation-window.ts';
import { openSessionOf } from '#test/accounts.ts';
import { type Api, PUBLIC_URL, serveApp } from '#test/client.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { addTenant } from '#test/prospects.ts';
import { errorsOf } from './common-errors.ts';
import type { JsonSchema } from './json-schema.ts';
import { mediaOf, openApiDocument } from './openapi.ts';
import type { OpenApiDocument } from './openapi-document.ts';
import { asAxios, exampleRequest } from './request-example.ts';

let database: TestDatabase;
let served: Api;
let document: OpenApiDocument;
let page: string;
/** The routes registered with Fastify, such as `GET /account/:id`, below API_BASE. */
const registered: string[] = [];
const described: Call[] = [];

const read = async (path: string) => (await fetch(served.address + path)).text();

beforeAll(async () => {
  database = await emptyDatabase();
  const watch = (message: unknown) =>
    (message as { fastify: FastifyInstance }).fastify.addHook('onRoute', ({ method, url, config }) => {
      if (config?.call) described.push(config.call);
      if (url.startsWith(API_BASE)) registered.push(`${String(method)} ${url.slice(API_BASE.length)}`);
    });
  subscribe('fastify.initialization', watch);
  served = await serveApp(database);
  unsubscribe('fastify.initialization', watch);
  document = JSON.parse(await read('/openapi.json')) as OpenApiDocument;
  page = await read('/docs');
});

const routeOf = ({ method, path }: Call) => `${method} ${path}`;
const forIntegrators = () => described.filter(({ audience }) => audience === 'integrator');

const operations = () =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );

test('every call whose answer holds a token is marked as secret, so that it is never compressed', () => {
  const tellsSecret = ({ response }: Call) =>
    response instanceof z.ZodObject &&
    Object.keys(response.shape).some((name) => /token|secret|ticket|password(?!_off)|recovery_codes|^url$/.test(name));
  const names = (calls: readonly Call[]) => calls.map(({ method, path }) => `${method} ${path}`).toSorted();
  const marked = names(described.filter(({ isSecret }) => isSecret));
  expect(marked).toStrictEqual([
    'POST /auth/login',
    'POST /auth/oidc/finish',
    'POST /auth/oidc/start',
    'POST /auth/recovery_codes',
    'POST /auth/two_factor/confirm',
    'POST /auth/two_factor/start',
    'POST /mailbox/:id/authorize',
    'PUT /auth/confirmation_token/:id',
  ]);
  expect(names(described.filter(tellsSecret))).toStrictEqual(marked);
});

test('these calls alone have statements that may take longer than those of others (npm run bench -- long-calls)', () => {
  const own = described.flatMap(({ method, path, statementSeconds: s }) => (s ? [[`${method} ${path}`, s]] : []));
  expect(Object.fromEntries(own)).toStrictEqual({
    'POST /prospect/bulk': 120,
    'GET /custom_field/list': 60,
    'GET /tag/list': 60,
    'PUT /tag/:id': 120,
    'POST /personal_data/erase': 120,
    'POST /suppression/import': 120,
    'POST /restored': 120,
    'PUT /account_rule': 300,
    'PUT /sending_rules/:sender_group_id': 300,
    'PUT /sender_limit/:profile_id': 300,
    'POST /closing_day': 300,
    'PUT /closing_day/:id': 300,
    'POST /closing_day/preset': 300,
    'POST /closing_day/import': 300,
  });
});

describe('the document', () => {
  test('is OpenAPI 3.1 to an independent validator', async () => {
    const validator = new Validator();
    const { valid, errors } = await validator.validate(JSON.parse(JSON.stringify(document)));
    expect(errors).toBeUndefined();
    expect(valid).toBe(true);
    expect(validator.version).toBe('3.1');
  });

  test('has each shared schema under its name, for the types of clients', () => {
    expect(Object.keys(document.components.schemas).toSorted()).toStrictEqual([
      'Account',
      'ActiveProspect',
      'AttackListItem',
      'AttackListTarget',
      'CandidateDate',
      'CompanyDetail',
      'CompanyPerson',
      'CustomField',
      'Delivery',
      'Error',
      'Export',
      'FoundPerson',
      'Import',
      'ImportChange',
      'ImportHistory',
      'ImportLine',
      'ImportLook',
      'ImportNewField',
      'ImportPerson',
      'ImportReview',
      'ImportUndo',
      'Job',
      'LegalFault',
      'Me',
      'MyRights',
      'OtherCompany',
      'Prospect',
      'Reply',
      'Reservation',
      'Run',
      'SendGridEvent',
      'SendLog',
      'Sender',
      'SenderGroup',
      'SkippedTarget',
      'Suppression',
      'Tag',
      'TimelineEvent',
    ]);
  });

  test.each([
    ['getProspectList', 'Prospect'],
    ['getSenderList', 'Sender'],
    ['getReservationList', 'Reservation'],
    ['getSendLogList', 'SendLog'],
    ['getSendLogByIdDeliveries', 'Delivery'],
  ])('%s answers rows of the type %s', (operationId, name) => {
    const call = operations().find(({ operation }) => operation.operationId === operationId);
    const answer = call?.operation.responses[200];
    const rows = `"items":{"$ref":"#/components/schemas/${name}"}`;
    expect(JSON.stringify(answer && mediaOf(answer).schema)).toContain(rows);
  });

  test('has every call for integrators of the route table, and no other', () => {
    const own = ['GET /openapi.json', 'GET /docs', 'GET /docs.css', 'GET /docs.js'];
    expect(registered.filter((route) => !own.includes(route))).toStrictEqual(described.map(routeOf));
    const documented = operations().map(
      ({ path, method }) => `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}`,
    );
    expect(documented.toSorted()).toStrictEqual(forIntegrators().map(routeOf).toSorted());
  });

  test('names every call once, and says what each is for', () => {
    const ids = operations().map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { operation } of operations()) {
      expect(operation.summary).not.toBe('');
      expect(document.tags.map(({ name }) => name)).toContain(operation.tags[0]);
    }
    expect(ids).toContain('putAuthPasswordByAccountId');
  });

  test('tells which calls need no login', () => {
    const open = operations().filter(({ operation }) => operation.security?.length === 0);
    expect(open.map(({ path }) => path)).toStrictEqual(['/auth/login', '/sendgrid/events']);
    expect(document.security).toStrictEqual([{ bearer: [] }]);
  });

  test('shows by its type which answer is a stream of events, and which is a file', () => {
    const ofType = (type: string) =>
      operations().flatMap(({ path, operation }) => (operation.responses[200]?.content[type] ? [path] : []));
    expect(ofType('text/event-stream')).toStrictEqual(['/job/{id}/events']);
    expect(ofType('application/octet-stream')).toStrictEqual(['/export/{id}/file', '/import/{id}/faults']);
  });

  test('has examples of answers that the calls could give', () => {
    expect(forIntegrators().length).toBeGreaterThan(20);
    for (const { method, path, response } of forIntegrators()) {
      const methods = document.paths[path.replace(/:(\w+)/g, '{$1}')] ?? {};
      const answer = methods[method.toLowerCase()]?.responses[200];
      const documented = answer && response.safeParse(mediaOf(answer).example);
      expect([method, path, documented?.error?.issues ?? 'no fault']).toStrictEqual([method, path, 'no fault']);
      expect(documented?.success).toBe(true);
    }
  });

  test('has the version of the package', () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    expect(document.info.version).toBe(version);
  });

  test('has every field of a call and of its answer described', () => {
    const bare: string[] = [];
    const look = (name: string, schema: JsonSchema) => {
      const { $ref: shared = '' } = schema;
      if (shared !== '') return look(name, document.components.schemas[shared.split('/').at(-1) ?? ''] ?? {});
      const { properties = {}, items, anyOf = [] } = schema;
      for (const [field, property] of Object.entries(properties as Record<string, JsonSchema>)) {
        if (!property.description) bare.push(`${name}.${field}`);
        look(`${name}.${field}`, property);
      }
      for (const part of [...anyOf, ...(items ? [items] : [])] as JsonSchema[]) look(name, part);
    };
    for (const { operation } of operations()) {
      const { operationId, parameters, requestBody, responses } = operation;
      for (const { name, description, schema } of parameters) {
        if (!description) bare.push(`${operationId} ${name}`);
        if (schema.type !== 'object') look(`${operationId} ${name}`, schema);
      }
      if (requestBody) look(operationId, mediaOf(requestBody).schema);
      look(`${operationId} 200`, responses[200] ? mediaOf(responses[200]).schema : {});
    }
    expect(bare).toStrictEqual([]);
  });
});

describe('the refusals', () => {
  const SERVER = join(import.meta.dirname, '..');
  const problems = readFileSync(join(SERVER, 'platform/problem.ts'), 'utf8');
  const ofCommands = [...problems.matchAll(/^ {2}\| '(\w+)'/gm)].map(([, code = '']) => code);
  const source = globSync('{features,platform}/**/*.ts', { cwd: SERVER })
    .filter((path) => !path.endsWith('.test.ts'))
    .map((path) => readFileSync(join(SERVER, path), 'utf8').replaceAll(/^ {2}\| '\w+'/gm, ''))
    .join('\n');

  test('of the list are all told by a call', () => {
    const told = new Set(described.flatMap(errorsOf).map(({ code }) => code));
    expect(Object.keys(ERRORS).filter((code) => !told.has(code as ErrorCode))).toStrictEqual([]);
  });

  test('of the list, and those of commands, are all made by the server', () => {
    expect(ofCommands.length).toBeGreaterThan(20);
    const isMade = (code: string) => source.includes(`'${code}'`) || source.includes(`\n  ${code}:`);
    expect([...Object.keys(ERRORS), ...ofCommands].filter((code) => !isMade(code))).toStrictEqual([]);
  });

  test('of a call name no code twice', () => {
    const codes = described.map(({ path, errors = [] }) => [path, errors.map((one) => [one].flat()[0])] as const);
    expect(codes.filter(([, own]) => new Set(own).size < own.length)).toStrictEqual([]);
  });

  test('have in the document the status and the text of the list, or the text of their call', () => {
    const { description = '' } = document.paths['/import/{id}/look']?.get?.responses[409] ?? {};
    expect(description).toContain(`- \`not_complete\`: ${ERRORS.not_complete[1]}`);
    expect(description).toContain('- `not_uploaded`: まだ何も届いていないか、ファイルの期限が過ぎているとき');
  });
});

describe('the examples', () => {
  test.each(['2026-11-22T15:00:00Z', '2026-12-31T14:59:59Z', '2028-02-25T03:00:00Z', '2028-02-26T03:00:00Z'])(
    'at %s reserve a time that is still to come, with candidate dates after it',
    (at) => {
      const now = Date.parse(at);
      const { requestBody } = openApiDocument(forIntegrators(), now).paths['/reservation']?.post ?? {};
      const body = reserve.body.parse(requestBody?.content['application/json']?.example);
      const { send_at, datetime_list } = body.add_info;
      expect(reservationFault(send_at.getTime(), now)).toBeNull();
      expect(candidateFaults(datetime_list ?? [], now)).toStrictEqual([null]);
      expect(datetime_list?.map((row) => isOver(row, send_at.getTime()))).toStrictEqual([false]);
    },
  );

  test('are made anew each day', async () => {
    let now = Date.now();
    const { address } = await serveApp(database, () => now);
    const documents: string[] = [];
    for (const days of [0, 0, 7]) {
      now += days * 24 * 60 * 60 * 1000;
      documents.push(await (await fetch(`${address}/openapi.json`)).text());
    }
    expect(documents.map((one) => one === documents[0])).toStrictEqual([true, true, false]);
  });

  test('are understood by the API when axios sends them', async () => {
    // axios would wait for the end of a stream forever.
    for (const { path, method, operation } of operations().filter((one) => !one.path.endsWith('/events'))) {
      const { accountId } = await addTenant(database.db);
      const token = await openSessionOf(database.login, accountId, Date.now());
      const api = axios.create({
        baseURL: served.address,
        headers: { Authorization: `Bearer ${token}` },
        validateStatus: () => true,
      });
      const source = asAxios(exampleRequest(path, method, operation));
      const run = runInThisContext(`(async (api, bytes) => { ${source} return data; })`) as (
        api: AxiosInstance,
        bytes: Buffer,
      ) => unknown;
      const data = JSON.stringify(await run(api, Buffer.from('会社名')));
      expect([source, data]).toStrictEqual([
        source,
        expect.not.stringMatching(/invalid_input|invalid_json|bad_request|unsupported_media_type/),
      ]);
    }
  });
});

describe('the page', () => {
  test('tells of every call, its fields, its own refusals and how to ask', () => {
    for (const { path, method, operation } of operations()) {
      const start = page.indexOf(`<article class="call" id="${operation.operationId}"`);
      const section = page.slice(start, page.indexOf('</article>', start));
      expect(start).toBeGreaterThan(0);
      expect(section).toContain(`${method.toUpperCase()}</span><code>${path}</code>`);
      expect(section).toContain(operation.summary);
      expect(section).toContain(`$BASE/${path.split('/')[1]}`);
      expect(section).toContain(`await api.${method}(`);
      for (const { name } of operation.parameters) expect(section).toContain(`<code>${name}</code>`);
      for (const status of Object.keys(operation.responses)) expect(section).toContain(status);
    }
  });

  test('runs its own script alone and has nothing inline or from elsewhere', () => {
    expect(page.match(/<script.*/g)).toStrictEqual([`<script src="${API_BASE}/docs.js" defer></script>`]);
    expect(page).not.toMatch(/\son\w+=|\sstyle=|<style/i);
    expect([...page.matchAll(/(?:src|href)="([^"#]+)/g)].map(([, address = '']) => address).toSorted()).toStrictEqual([
      `${API_BASE}/docs.css`,
      `${API_BASE}/docs.js`,
      `${API_BASE}/openapi.json`,
      '/icon.svg',
    ]);
  });

  test('has a place for each of its links, and each name once', () => {
    const ids = [...page.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id);
    const targets = [...page.matchAll(/(?:href="#|labelledby=")([^"]+)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(targets.filter((id) => !ids.includes(id))).toStrictEqual([]);
  });

  test('calls the address users reach', () => {
    expect(page).toContain(`BASE=&#39;${PUBLIC_URL}${API_BASE}&#39;`);
  });
});

test.each([
  ['/docs', 'text/html; charset=utf-8'],
  ['/docs.css', 'text/css; charset=utf-8'],
  ['/docs.js', 'text/javascript; charset=utf-8'],
  ['/openapi.json', 'application/json; charset=utf-8'],
])('%s is open to visitors, typed, and not kept', async (path, type) => {
  const response = await fetch(served.address + path);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe(type);
  expect(response.headers.get('cache-control')).toBe('no-store');
  expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
});
