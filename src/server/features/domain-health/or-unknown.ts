import { type Finding, finding } from '#domain/dns/health.ts';
import { DnsFault } from './zone.ts';

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
