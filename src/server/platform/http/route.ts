import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { API_BASE, type Call, type CallAnswer } from '#contract/call.ts';
import { networkOf } from '#domain/account/network.ts';
import { hasRole, neededFor, neededRole, type Role } from '#domain/account/role.ts';
import { MAX_BODY_BYTES, MAX_LARGE_BODY_BYTES } from '#domain/limits.ts';
import type { MemberDb, MemberKey } from '../database/account-db.ts';
import type { Tx } from '../database/db.ts';
import { accountFrozen } from '../database/frozen.ts';
import type { MemberDbOf } from '../limits/account-limits.ts';
import { networkNotAllowed, Problem, partRunning, twoFactorSetup, unauthorized } from '../problem.ts';
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
  /** Whether a proxy that TRUST_PROXY lacks has sent the request: `ip` is that proxy's. */
  readonly isOfUnknownProxy: boolean;
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
  /** The request comes from a network that the account does not permit. */
  readonly isOutside: boolean;
  /** The account asks for a second step, and the member has none yet. */
  readonly needsTwoFactor: boolean;
}

/** The use of a token in a request. */
interface TokenUse {
  /** The request's host, in readHost's form. */
  readonly host: string;
  /** The address of the requester. */
  readonly ip: string;
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
  /** Makes the refusal of a call that the member's role does not permit. */
  readonly notAllowed: (tx: Tx, accountId: number) => Promise<Problem>;
  /** Counts a request of a member. Returns null, or the seconds to wait. */
  readonly memberRate: (member: MemberKey) => number | null;
  /** Counts a signed request of a network. Returns null, or the seconds to wait. */
  readonly serviceRate: (network: string) => number | null;
  readonly visitorRate: (network: string) => number | null;
}

/** Who makes a request. */
interface Identity {
  readonly account: MemberDb;
  readonly token: string;
  readonly role: Role;
}

export function routeAdder(
  app: FastifyInstance,
  { authenticate, accountDb, notAllowed, memberRate, ...rates }: RouteParts,
): AddRoute {
  const takePartPlace = partPlaces();
  const refusalOf = (account: MemberDb): Promise<Problem> => account.snapshot((tx) => notAllowed(tx, account.id));
  // Reads the member of a writing call again: its body may arrive after a stop or a lowered role. Returns no reply: to
  // await that yields undefined, and the call would be done.
  const refusedNow = async (
    call: Call,
    { account, token, role, body, ...use }: Identity & TokenUse & { readonly body: unknown },
  ): Promise<Problem | undefined> => {
    const member =
      call.method === 'GET'
        ? { role, isFrozen: false, isOutside: false, needsTwoFactor: false }
        : await authenticate(token, use);
    if (member === null) return unauthorized();
    const closed = closedProblem(call, member);
    if (closed) return closed;
    const mayMake = mayCall(call, member) && hasRole(member.role, neededFor(call.fieldNeeds, body));
    return mayMake ? undefined : refusalOf(account);
  };
  return (call, handler) => {
    const places = new WeakMap<FastifyRequest, PartPlace>();
    const identities = new WeakMap<FastifyRequest, Identity>();
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
        const wait = waitWithoutSession(call, networkOf(request.clientAddress), rates);
        if (wait !== undefined) return inTime(reply, wait);
        const token = bearerToken(request);
        const use = { host: hostNamed(request), ip: request.clientAddress };
        const member = token === null ? null : await authenticate(token, use);
        if (token === null || member === null) return sendProblem(reply, unauthorized());
        const closed = closedProblem(call, member);
        if (closed) return sendProblem(reply, closed);
        const account = accountDb(member, call, () => request.socket.destroyed);
        identities.set(request, { account, token, role: member.role });
        const refused = inTime(reply, memberRate(member));
        if (refused) return refused;
        if (!mayCall(call, member)) return sendProblem(reply, await refusalOf(account));
        if (call.maxRawBytes === undefined) return undefined;
        const place = takePartPlace(member.accountId, reply);
        if (place === null) return sendProblem(reply, partRunning());
        places.set(request, place);
        return undefined;
      },
      handler: async (request, reply) => {
        const { params, query, headers, body, bytes = NO_BYTES, clientAddress: ip, isOfUnknownProxy } = request;
        const member = identities.get(request);
        const use = { host: hostNamed(request), ip, isUse: false };
        const refused = member && (await refusedNow(call, { ...member, ...use, body }));
        if (refused) return sendProblem(reply, refused);
        const identity = { account: member?.account ?? null, token: member?.token ?? null };
        const isLoggedIn = async () => {
          const found = identity.token === null ? null : await authenticate(identity.token, use);
          return found !== null && closedProblem(call, found) === null;
        };
        const closed = () => request.signal;
        const sent = { params, query, headers, body, bytes, ip, isOfUnknownProxy, host: use.host };
        const incoming = { ...sent, ...identity, isLoggedIn, closed };
        const handle = () => handler(incoming as never);
        return sendAnswer(request, reply, await (places.get(request)?.during(handle) ?? handle()));
      },
    });
  };
}

/**
 * Counts a request of a call that needs no session.
 * @returns the seconds to wait; null: none; undefined: the call needs a session
 */
function waitWithoutSession(
  { auth, isCountedApart, path }: Call,
  network: string,
  { serviceRate, visitorRate }: Pick<RouteParts, 'serviceRate' | 'visitorRate'>,
): number | null | undefined {
  if (auth === 'none') return visitorRate(isCountedApart ? `${path} ${network}` : network);
  return auth === 'signature' ? serviceRate(network) : undefined;
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

/** Refuses a call that waits for something else than its role: the account's thaw, another network, a second step. */
function closedProblem(
  { beforeTwoFactor, fromAnywhere }: Call,
  { isFrozen, isOutside, needsTwoFactor }: Pick<Authenticated, 'isFrozen' | 'isOutside' | 'needsTwoFactor'>,
): Problem | null {
  if (isFrozen) return accountFrozen();
  if (isOutside && !fromAnywhere) return networkNotAllowed();
  return needsTwoFactor && !beforeTwoFactor ? twoFactorSetup() : null;
}

const mayCall = ({ method, needs }: Call, { role }: Pick<Authenticated, 'role'>): boolean =>
  hasRole(role, neededRole(method, needs));

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
