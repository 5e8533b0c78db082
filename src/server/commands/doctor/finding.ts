import { faultText } from '../../platform/log.ts';
import { isProgramFault } from '../../platform/outbound/program-fault.ts';
import type { Settings } from '../../platform/settings.ts';
import { StartupError } from '../../platform/startup-error.ts';

/** What a check has found. ok: as it should be. look: a person should look at it. bad: something does not work. */
export interface Finding {
  readonly state: 'ok' | 'look' | 'bad';
  /** Japanese: what was found. */
  readonly text: string;
  /** Japanese: what to do; '': nothing, or `text` says it. */
  readonly cure: string;
}

export const ok = (text: string): Finding => ({ state: 'ok', text, cure: '' });
export const look = (text: string, cure: string): Finding => ({ state: 'look', text, cure });
export const bad = (text: string, cure: string): Finding => ({ state: 'bad', text, cure });

/** The most time of a check. */
const CHECK_MS = 5000;

/** Runs a check, and returns what it finds; a fault that it throws is a finding too. */
export async function findingsOf(check: (stopping: AbortSignal) => Promise<Finding | readonly Finding[]>) {
  const stopping = AbortSignal.timeout(CHECK_MS);
  const late = new Promise<Finding>((done) => {
    stopping.addEventListener('abort', () => done(bad(LATE, LATE_CURE)), { once: true });
  });
  try {
    return { findings: [await Promise.race([check(stopping), late])].flat(), isLate: stopping.aborted };
  } catch (error) {
    if (isProgramFault(error)) throw error;
    return { findings: [faultOf(error as Error)], isLate: stopping.aborted };
  }
}

const LATE = `${CHECK_MS / 1000}秒以内に答えがありません。`;
const LATE_CURE = 'もう一度実行し、同じなら、相手のサーバーと、そこまでの経路を確かめてください。';

/** SQLSTATE of a right that a role lacks. */
const DENIED = '42501';

function faultOf(error: Error): Finding {
  if (error instanceof StartupError) return bad(...splitCure(error.message));
  const text = `確かめられませんでした（${faultText(error)}）。`;
  return (error as { code?: string }).code === DENIED
    ? bad(
        text,
        'データベースの管理者に、権限（GRANT）を戻すよう頼んでください。pg_restore では --no-privileges を付けません。',
      )
    : bad(text, 'データベースと、そこまでの経路を確かめてください。');
}

/** Splits a message of the program, whose first sentence is the cause. */
function splitCure(message: string): [text: string, cure: string] {
  const [text = '', ...cure] = message.split(/(?<=。)/);
  return [text, cure.join('').trim()];
}

/** Returns all that no output may show, as text. */
export function secretsOf({ database, secretKeys, smtp, sendgrid, inbox }: Settings): string[] {
  const urls = [database.owner, ...Object.values(database.roles)].filter((url) => url !== null);
  const credentials = smtp?.credentials ?? null;
  return [
    ...urls.flatMap((url) => (URL.canParse(url) ? [new URL(url).password] : [])),
    ...[secretKeys.current, secretKeys.old].flatMap((key) => key?.key.export().toString('base64') ?? []),
    credentials !== null && 'pass' in credentials ? credentials.pass : '',
    sendgrid?.apiKey ?? '',
    inbox?.password ?? '',
  ]
    .flatMap((secret) => [secret, decoded(secret)])
    .filter((secret) => secret.length >= SHORTEST_SECRET);
}

/** A shorter one would be found in any text. */
const SHORTEST_SECRET = 4;

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
