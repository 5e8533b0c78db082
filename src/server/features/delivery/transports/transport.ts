import type { MailPath } from '../../../platform/mail/mail-path.ts';
import type { Outcome } from '../../../platform/mail/outcome.ts';
import type { Mailer, MailerParts } from '../../../platform/mail/system-mail.ts';
import type { Problem } from '../../../platform/problem.ts';
import type { RunMail } from '../../mail-content/run-mail.ts';
import type { Claim } from '../leases/claim.ts';

/** What mails are made from, as stored with a sender. */
export interface StoredTemplate {
  readonly text_body: string;
  readonly html_body: string;
  readonly sendgrid_template_id: string | null;
}

export type RunBodies = Pick<RunMail, 'text_body' | 'html_body' | 'sendgrid_template_id'>;

/** The part of a transport that treats templates, for processes that send nothing. */
export interface TransportTemplates {
  /** There is no mail server: only mails of mailboxes can leave. */
  readonly isAbsent?: true;
  /**
   * Returns the bodies of a run, or why this transport cannot send the template.
   * @param ownKeys of the account's own fields, for a transport whose templates may name any of them
   */
  readonly bodiesOf: (template: StoredTemplate, ownKeys: readonly string[]) => RunBodies | Problem;
  /**
   * Returns the URL of the template editor, with a placeholder in braces for the id; '' for our own.
   * @param configured the setting TEMPLATE_EDITOR_URL
   */
  readonly editorUrl: (configured: string | null) => string;
}

/** The part of a transport that sends mails, for delivery workers. */
export interface TransportLanes {
  /** The most mails of one request. */
  readonly mostMails: number;
  /** Returns the most mails of this claim's run for one request. */
  readonly mailsWith: (claim: Claim) => number;
  readonly openLane: () => Lane;
}

/** Hands mails to a mail server or service. Each has a folder here, and a line in commands/run.ts. */
export interface Transport extends TransportTemplates, TransportLanes {
  /** What the DNS must agree with for this transport's mails. */
  readonly mailPath: MailPath;
  /**
   * Calls the listener when the server announces its largest mail size in bytes; 0: no limit that our mails could
   * reach.
   */
  readonly watchMaxMailBytes: (listener: (bytes: number) => void) => void;
  /** Makes the mailer for the program's own mails. */
  readonly systemMailer: (parts: Pick<MailerParts, 'from' | 'log'>) => Mailer;
}

/** Commits that these mails are about to leave. @returns false for each lost claim: none of its bytes may leave */
export type Mark = (claims: readonly Claim[]) => Promise<boolean[]>;

/**
 * Takes the request that the caller sends next on the same lane, so that the transport can prepare it. Its bodies are
 * sent only by a later send() call. Repeated calls return the same request.
 * @returns null: no mail waits
 */
export type TakeNext = () => readonly Claim[] | null;

/** Sends one request at a time. */
export interface Lane {
  /**
   * Sends mails of one run: once they are marked, all are sent or none. Never rejects.
   * @returns the outcome of each, in order
   */
  send(claims: readonly Claim[], mark: Mark, takeNext?: TakeNext): Promise<Outcome[]>;
  /** Also aborts a running request. */
  close(): void;
}
