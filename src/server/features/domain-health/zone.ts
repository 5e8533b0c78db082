import { Resolver } from 'node:dns/promises';
import { type Finding, finding } from '#domain/dns/health.ts';

/** The queried record types, with what each returns. */
interface Answers {
  readonly A: string[];
  readonly AAAA: string[];
  readonly PTR: string[];
  readonly MX: { readonly priority: number; readonly exchange: string }[];
  readonly TXT: string[][];
}

/** The DNS did not answer a query, so its records are unknown. */
export class DnsFault extends Error {
  /** The resolver's code, such as ESERVFAIL or ETIMEOUT. */
  readonly code: string;

  constructor(code: string) {
    super(`the DNS did not answer: ${code}`);
    this.code = code;
  }
}

/** As mailauth types them; MX records are really objects. */
type Records = string[][] | string[];

/** The DNS during one check of a domain. */
export interface Zone {
  /** Returns the records of a name; empty where none exist. @throws DnsFault */
  readonly records: <Type extends keyof Answers>(name: string, type: Type) => Promise<Answers[Type]>;
  /** Acts as `dns.promises.resolve` for libraries: throws ENOTFOUND or ENODATA for a name without records. */
  readonly resolve: (name: string, type: string) => Promise<Records>;
  /** Cancels the pending queries. */
  readonly close: () => void;
}

/** Limits records and texts that the domain's owner controls. Receivers read no more or longer ones. */
const RECORDS_MAX = 100;
const TEXT_LENGTH_MAX = 8192;

/** Drops records above the limit, and cuts long texts. Joins a record's strings, as receivers do. */
function cut(records: Records): Records {
  const some: (string | string[])[] = records.slice(0, RECORDS_MAX);
  return some.map((record) =>
    Array.isArray(record) ? [record.join('').slice(0, TEXT_LENGTH_MAX)] : record,
  ) as Records;
}

const NO_RECORD: ReadonlySet<unknown> = new Set(['ENOTFOUND', 'ENODATA']);

/** Returns the code of a resolver's error. @throws any other error */
function codeOf(error: unknown): string {
  const { code } = error as { readonly code?: unknown };
  if (typeof code !== 'string') throw error;
  return code;
}

/** A silent server costs two seconds: c-ares retries once with the same timeout. */
const TRY_MS = 1000;
const TRIES = 2;

/** The time limit for all queries of a check together. */
const CHECK_MS = 5000;

/**
 * Opens the DNS for one check. Each query is sent once, however often it is repeated.
 * @param servers `address` or `address:port` of resolvers; none: the system's
 */
export function openZone(servers: readonly string[]): Zone {
  const resolver = new Resolver({ timeout: TRY_MS, tries: TRIES });
  if (servers.length > 0) resolver.setServers(servers);
  const asked = new Map<string, Promise<Records>>();
  let isClosed = false;

  const close = () => {
    isClosed = true;
    clearTimeout(limit);
    resolver.cancel();
  };
  const limit = setTimeout(close, CHECK_MS);

  const ask = async (name: string, type: string): Promise<Records> => {
    // A cancelled resolver would still answer later queries.
    if (isClosed) throw Object.assign(new Error('the check has ended'), { code: 'ECANCELLED' });
    try {
      return cut((await resolver.resolve(name, type)) as Records);
    } catch (error) {
      // A record may refer to an invalid name, which has no records.
      if (codeOf(error) === 'EBADNAME') throw Object.assign(error as Error, { code: 'ENOTFOUND' });
      throw error;
    }
  };

  const resolve = (name: string, type: string): Promise<Records> => {
    const key = `${type} ${name.toLowerCase().replace(/\.$/, '')}`;
    const answer = asked.get(key) ?? ask(name, type);
    asked.set(key, answer);
    return answer;
  };

  return {
    close,
    resolve,
    async records<Type extends keyof Answers>(name: string, type: Type) {
      try {
        return (await resolve(name, type)) as unknown as Answers[Type];
      } catch (error) {
        if (NO_RECORD.has(codeOf(error))) return [] as unknown as Answers[Type];
        throw new DnsFault(codeOf(error));
      }
    },
  };
}

/** Returns the TXT records of a name. @throws DnsFault */
export const textsOf = async ({ records }: Zone, name: string): Promise<string[]> =>
  (await records(name, 'TXT')).map((strings) => strings.join(''));

/**
 * Returns the zone's `resolve` for a library that swallows faults, with a list of the codes of those faults.
 * A name without records is not a fault.
 */
export function faultsOf({ resolve }: Zone): Pick<Zone, 'resolve'> & { readonly codes: readonly string[] } {
  const codes: string[] = [];
  return {
    codes,
    resolve: async (name, type) => {
      try {
        return await resolve(name, type);
      } catch (error) {
        if (!NO_RECORD.has(codeOf(error))) codes.push(codeOf(error));
        throw error;
      }
    },
  };
}

/** Runs a library that swallows faults on the zone. @throws DnsFault if one occurred */
export async function throughLibrary<Result>(
  zone: Zone,
  work: (resolver: Zone['resolve']) => Promise<Result>,
): Promise<Result> {
  const { resolve, codes } = faultsOf(zone);
  const result = await work(resolve);
  const [fault] = codes;
  if (fault !== undefined) throw new DnsFault(fault);
  return result;
}

/** Returns the finding of a check, or `unknown` if the DNS did not answer. */
export async function orUnknown<Check extends string>(
  check: Check,
  result: Promise<Finding<Check>>,
): Promise<Finding<Check>> {
  try {
    return await result;
  } catch (error) {
    if (!(error instanceof DnsFault)) throw error;
    return finding(check, 'unknown', `確認できません（DNSの応答：${FAULTS[error.code] ?? error.code}）。`, {
      remedy: 'しばらくしてから、再確認してください。続く場合は、DNSの設定と、このサーバーの接続を確かめてください。',
    });
  }
}

/** c-ares' names of common faults. */
const FAULTS: Readonly<Record<string, string>> = {
  ETIMEOUT: '応答なし',
  ECANCELLED: '応答なし',
  ECONNREFUSED: '接続できません',
  ESERVFAIL: 'SERVFAIL',
  EREFUSED: 'REFUSED',
};
