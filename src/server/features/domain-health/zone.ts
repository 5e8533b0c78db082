import { Resolver } from 'node:dns/promises';
import { type Finding, finding } from '#domain/dns/health.ts';

/** The types of records that are asked for, with what each returns. */
interface Answers {
  readonly A: string[];
  readonly AAAA: string[];
  readonly PTR: string[];
  readonly MX: { readonly priority: number; readonly exchange: string }[];
  readonly TXT: string[][];
}

/** The DNS did not answer a question: nobody can tell what it holds. */
export class DnsFault extends Error {
  /** Such as ESERVFAIL or ETIMEOUT. */
  readonly code: string;

  constructor(code: string) {
    super(`the DNS did not answer: ${code}`);
    this.code = code;
  }
}

/** As mailauth's types have it; of MX they are objects. */
type Records = string[][] | string[];

/** The DNS during one check of a domain. */
export interface Zone {
  /**
   * Returns the records of a name, or none where it has none.
   * @throws DnsFault
   */
  readonly records: <Type extends keyof Answers>(name: string, type: Type) => Promise<Answers[Type]>;
  /** Acts as `dns.promises.resolve` for libraries: throws ENOTFOUND or ENODATA for a name without records. */
  readonly resolve: (name: string, type: string) => Promise<Records>;
  /** Ends the questions that wait. */
  readonly close: () => void;
}

/** Whose domain it is writes these. More of them, or a longer text, is none that receivers read. */
const RECORDS_MAX = 100;
const TEXT_LENGTH_MAX = 8192;

/** Leaves out the records above the limit, and cuts long texts. Their strings are joined, as receivers do. */
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

/** A silent server costs two seconds: c-ares waits once more, as long. */
const TRY_MS = 1000;
const TRIES = 2;

/** The most that all questions of a check take together. */
const CHECK_MS = 5000;

/**
 * Opens the DNS for one check. Each question is asked once, whoever repeats it.
 * @param servers `address` or `address:port` of resolvers; none: those of the system
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
    // What a cancelled resolver is asked later would be answered all the same.
    if (isClosed) throw Object.assign(new Error('the check has ended'), { code: 'ECANCELLED' });
    try {
      return cut((await resolver.resolve(name, type)) as Records);
    } catch (error) {
      // A record may name what cannot be a name: nothing is there.
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
 * Returns the zone's `resolve` for a library that swallows faults, with the codes of those that it met.
 * Names without records are no faults.
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

/**
 * Runs a library that swallows faults on the zone.
 * @throws DnsFault where it met one
 */
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

/** Returns the finding of a check, or says that the DNS did not answer. */
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

/** c-ares' names of the faults that are met. */
const FAULTS: Readonly<Record<string, string>> = {
  ETIMEOUT: '応答なし',
  ECANCELLED: '応答なし',
  ECONNREFUSED: '接続できません',
  ESERVFAIL: 'SERVFAIL',
  EREFUSED: 'REFUSED',
};
