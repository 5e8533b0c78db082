import type { DomainFinding, DomainRow } from './domain-query.ts';
import { DOMAIN_MESSAGES } from './words.ts';

const { admin: messages, checks: names } = DOMAIN_MESSAGES;

/** What the administrator of a domain can change. */
export interface Mends {
  /** Mails are refused or taken for spam because of it. */
  readonly faults: readonly DomainFinding[];
  /** It works, or cannot be told from here. */
  readonly doubts: readonly DomainFinding[];
}

/** Returns what there is to change. The one-click header follows from our own server's setting and from DKIM. */
export function mendsOf(checks: DomainRow['checks']): Mends {
  const mendable = checks.filter(({ check, remedy }) => check !== 'one_click' && remedy !== '');
  return {
    faults: mendable.filter(({ level }) => level === 'bad'),
    doubts: mendable.filter(({ level }) => level === 'look'),
  };
}

/** Writes the letter that a member sends to the administrator of a domain: what to set, record by record. */
export function adminLetter(domain: string, { faults, doubts }: Mends): string {
  const parts = [
    messages.beginHelp(domain),
    ...(faults.length === 0 ? [] : [messages.faultsHelp, ...faults.map((one, index) => itemOf(one, index + 1))]),
    ...(doubts.length === 0
      ? []
      : [messages.doubtsHelp, ...doubts.map((one, index) => itemOf(one, faults.length + index + 1))]),
  ];
  return `${parts.join('\n\n')}\n`;
}

function itemOf({ check, message, remedy, record }: DomainFinding, place: number): string {
  const { recordType, recordName, recordValue, recordSplitHelp } = DOMAIN_MESSAGES;
  const [here, outside] = messages.ours;
  const lines = [
    messages.item(place, names[check]),
    ...[message, remedy].map((text) => text.replaceAll(here, outside)),
  ];
  if (record !== null) {
    lines.push(
      messages.line(recordType, record.type),
      messages.line(recordName, record.name),
      messages.line(recordValue, record.value),
    );
    if (record.value.startsWith('"')) lines.push(recordSplitHelp);
  }
  return lines.join('\n');
}
