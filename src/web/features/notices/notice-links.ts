import type { Notice } from './notice-query.ts';

/** The paths of the screens that notices link to. */
export interface NoticePaths {
  readonly run: (id: number) => string;
  readonly runs: string;
  readonly reservations: string;
  readonly company: (id: number) => string;
  /** The companies that have replied. */
  readonly replies: string;
  readonly suppressions: string;
  readonly imports: string;
  readonly domains: string;
  readonly mailboxes: string;
  /** The settings of notices. */
  readonly settings: string;
}

/** Returns the whole path that a notice links to. */
export function pathOfNotice({ kind, subjects, count }: Notice, paths: NoticePaths): string {
  const [only] = count === 1 ? subjects : [];
  const run = only === undefined ? paths.runs : paths.run(only.id);
  const company = only && paths.company(only.id);
  return {
    run_ended: run,
    failures: run,
    stopped: run,
    receipts_unwritable: run,
    restored: paths.runs,
    reservation_missed: paths.reservations,
    reply: company ?? paths.replies,
    doubtful_reply: company ?? paths.replies,
    refusal: company ?? paths.suppressions,
    import_ended: paths.imports,
    domain_bad: paths.domains,
    mailbox_lost: paths.mailboxes,
  }[kind];
}
