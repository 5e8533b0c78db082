import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { API_BASE, type Call, type CallAnswer } from '#contract/call.ts';
import { networkOf } from '#domain/account/network.ts';
import { hasRole, neededRole, type Role } from '#domain/account/role.ts';
import { MAX_BODY_BYTES, MAX_LARGE_BODY_BYTES } from '#domain/limits.ts';
import type { MemberDb, MemberKey } from '../database/account-db.ts';
import { accountFrozen } from '../database/frozen.ts';
import type { MemberDbOf } from '../limits/account-limits.ts';
import { Problem, partRunning } from '../problem.ts';
import { EVENT_STREAM_HEADERS, EventStream, FileAnswer, ListPage, ListText } from './answers.ts';
import { sendProblem } from './errors.ts';
import { hostOf } from './hosts.ts';

/** The account's place in which one part of a file at a time is received. */
interface PartPlace {
  /** Runs the handler of the part, and then releases the place. */
  during<Result>(work: () => Promise<Result>): Promise<Result>;
}

type Parsed<S> = S extends z.ZodType ? z.output<S> : undefined;

/** What a handler receives: the checked parts of the request and, for authenticated calls, the member's database. */
export interface Incoming<C extends Call> {
  readonly params: Parsed<C['params']>;
  readonly query: Parsed<C['query']>;
  readonly headers: Parsed<C['headers']>;
  readonly body: Parsed<C['body']>;
  /** The raw bytes of the body: for signatures, and parts of files. */
  readonly bytes: Buffer;
  /** The address of the requester. */
  readonly ip: string;
  /** The request's host, in readHost's form. */
  readonly host: string;
  /** The database scoped to the member's account, the handler's only access. null for public calls. */
  readonly account: C extends { auth: string } ? null : MemberDb;
  /** The bearer token of the request; null for public calls. */
  readonly token: C extends { auth: string } ? null : string;
  /** Returns whether the session is still valid, for streams. It does not count as use. False for public calls. */
  readonly isLoggedIn: () => Promise<boolean>;
  /** Returns a signal that aborts when the client closes its connection. For calls without a body. */
  readonly closed: () => AbortSignal;
}

/** A list call must return a page, so that no rows are dropped silently. */
type Answer<C extends Call> = C extends { isList: true; response: z.ZodArray<infer Row> }
  ? ListPage<z.output<Row>> | ListText
  : CallAnswer<C>;

export type Handler<C extends Call> = (
  incoming: Incoming<C>,
) => Promise<Answer<C> | Problem | EventStream | FileAnswer>;

/**
 * Registers a call: `addRoute(call, handler)`. The call's schema serialises the answer, so undeclared fields are
 * dropped.
 */
export type AddRoute = <C extends Call>(call: C, handler: Handler<NoInfer<C>>) => void;

interface Authenticated extends MemberKey {
  readonly role: Role;
  /** The account is frozen: its calls get 503. */
  readonly isFrozen: boolean;
}

/** The use of a token in a request. */
interface TokenUse {
  /** The request's host, in readHost's form. */
  readonly host: string;
  /** Whether it counts as use of the session (default), which restarts its idle time. */
  readonly isUse?: boolean;
}

/**
 * Returns the member of a bearer token; null for an unknown, ended or malformed token, and at another account's host.
 */
export type Authenticate = (token: string, use: TokenUse) => Promise<Authenticated | null>;

export interface RouteParts {
  readonly authenticate: Authenticate;
  readonly accountDb: MemberDbOf;
  /** Counts a request. Returns null, or the seconds to wait. */
  readonly accountRate: (accountIdOrService: number | string) => number | null;
  readonly visitorRate: (network: string) => number | null;
}

export function routeAdder(
  app: FastifyInstance,
  { authenticate, accountDb, accountRate, visitorRate }: RouteParts,
): AddRoute {
  const takePartPlace = partPlaces();
  return (call, handler) => {
    const places = new WeakMap<FastifyRequest, PartPlace>();
    const identities = new WeakMap<FastifyRequest, { account: MemberDb; token: string }>();
    app.route({
      method: call.method,
      url: API_BASE + call.path,
      config: { call },
      bodyLimit: call.maxRawBytes ?? (call.largeBody ? MAX_LARGE_BODY_BYTES : MAX_BODY_BYTES),
      schema: {
        ...(call.params && { params: call.params }),
        ...(call.query && { querystring: call.query }),
        ...(call.headers && { headers: call.headers }),
        ...(call.method !== 'GET' && { body: call.body ?? NO_BODY }),
        response: { 200: call.response },
      },
      // Runs before the body is read, so that no visitor makes the server parse one.
      onRequest: async (request, reply) => {
        if (call.auth === 'none') return inTime(reply, visitorRate(networkOf(request.clientAddress)));
        if (call.auth === 'signature') return inTime(reply, accountRate(networkOf(request.clientAddress)));
        const token = bearerToken(request);
        const member = token === null ? null : await authenticate(token, { host: hostNamed(request) });
        if (token === null || member === null) return sendProblem(reply, unauthorized());
        if (member.isFrozen) return sendProblem(reply, accountFrozen());
        identities.set(request, { account: accountDb(member, call, () => request.socket.destroyed), token });
        const refused = inTime(reply, accountRate(member.accountId)) ?? allowed(reply, call, member);
        if (refused || call.maxRawBytes === undefined) return refused;
        const place = takePartPlace(member.accountId, reply);
        if (place === null) return sendProblem(reply, partRunning());
        places.set(request, place);
        return undefined;
      },
      handler: async (request, reply) => {
        const { params, query, headers, body, bytes = NO_BYTES, clientAddress: ip } = request;
        const identity = identities.get(request) ?? { account: null, token: null };
        const host = hostNamed(request);
        const isLoggedIn = async () =>
          identity.token !== null && (await authenticate(identity.token, { host, isUse: false }))?.isFrozen === false;
        const closed = () => request.signal;
        const incoming = { params, query, headers, body, bytes, ip, host, ...identity, isLoggedIn, closed };
        const handle = () => handler(incoming as never);
        return sendAnswer(request, reply, await (places.get(request)?.during(handle) ?? handle()));
      },
    });
  };
}

const hostNamed = (request: FastifyRequest): string => hostOf(request.raw, request.originalUrl);

function sendAnswer(request: FastifyRequest, reply: FastifyReply, answer: unknown): FastifyReply {
  if (answer instanceof EventStream) return reply.headers(EVENT_STREAM_HEADERS).send(answer);
  if (answer instanceof FileAnswer) return reply.headers(answer.headers()).send(answer.content);
  if (answer instanceof ListPage) return reply.headers(answer.headers(request.url)).send(answer.rows);
  if (answer instanceof ListText) return reply.headers(answer.headers(request.url)).send(answer.content);
  return answer instanceof Problem ? sendProblem(reply, answer) : reply.send(answer);
}

const NO_BYTES = Buffer.alloc(0);

/** Refuses a body that the call would ignore: it is the client's mistake. */
const NO_BODY = z.strictObject({}).nullish();

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route's call, for the API's reference and the authorization matrix. */
    call?: Call;
  }
}

/** Passes a request, or answers 429 with the seconds to wait. */
const inTime = (reply: FastifyReply, seconds: number | null): FastifyReply | undefined =>
  seconds === null
    ? undefined
    : sendProblem(
        reply,
        new Problem('too_many_requests', '操作が多すぎます。1分ほど待ってから、やり直してください。', seconds),
      );

/** Passes a request of a member with the role that the call needs, or answers 403. */
const allowed = (reply: FastifyReply, { method, needs }: Call, { role }: Authenticated): FastifyReply | undefined =>
  hasRole(role, neededRole(method, needs))
    ? undefined
    : sendProblem(
        reply,
        new Problem('not_allowed', 'この操作をする権限がありません。アカウントの管理者に依頼してください。'),
      );

const unauthorized = () =>
  new Problem('unauthorized', 'ログインの有効期限が切れました。もう一度ログインしてください。');

/**
 * Returns a function that assigns an account's only place in this process to a request. The place is taken before the
 * body is read: an account can neither make the server hold many parts in memory, nor use many database connections.
 * The handler's end releases it; without a handler, the connection's end.
 * @returns null while a part of the account is being received
 */
function partPlaces(): (accountId: number, reply: FastifyReply) => PartPlace | null {
  const taken = new Set<number>();
  return (accountId, reply) => {
    if (taken.has(accountId)) return null;
    taken.add(accountId);
    let state: 'reading' | 'working' | 'over' = 'reading';
    const end = () => {
      if (state !== 'over') taken.delete(accountId);
      state = 'over';
    };
    reply.raw.once('close', () => {
      if (state === 'reading') end();
    });
    return {
      async during(work) {
        state = 'working';
        try {
          return await work();
        } finally {
          end();
        }
      },
    };
  };
}

/**
 * Returns the token of the only Authorization header (RFC 6750); null: none, several or malformed. The scheme is
 * case-insensitive.
 */
function bearerToken(request: FastifyRequest): string | null {
  const headers = request.raw.headersDistinct.authorization;
  return headers?.length === 1 ? readBearerToken(headers[0] ?? '') : null;
}

/** Returns the token of an Authorization header's value; null: malformed. */
export const readBearerToken = (header: string): string | null => /^bearer ([\w-]{43})$/i.exec(header)?.[1] ?? null;
