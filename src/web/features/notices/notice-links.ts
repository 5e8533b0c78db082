import type { Notice } from './notice-query.ts';

/** Where the things of notices are shown. */
export interface NoticePaths {
  readonly run: (id: number) => string;
  readonly runs: string;
  readonly reservations: string;
  readonly company: (id: number) => string;
  /** The companies that answered. */
  readonly replies: string;
  readonly suppressions: string;
  readonly imports: string;
  readonly domains: string;
  /** Where notices are chosen. */
  readonly settings: string;
}

/** Returns where a notice leads, as a whole. */
export function pathOfNotice({ kind, subjects, count }: Notice, paths: NoticePaths): string {
  const [only] = count === 1 ? subjects : [];
  switch (kind) {
    case 'run_ended':
    case 'failures':
    case 'stopped':
    case 'receipts_unwritable':
      return only === undefined ? paths.runs : paths.run(only.id);
    case 'restored':
      return paths.runs;
    case 'reservation_missed':
      return paths.reservations;
    case 'reply':
    case 'doubtful_reply':
      return only === undefined ? paths.replies : paths.company(only.id);
    case 'refusal':
      return only === undefined ? paths.suppressions : paths.company(only.id);
    case 'import_ended':
      return paths.imports;
    case 'domain_bad':
      return paths.domains;
  }
}
