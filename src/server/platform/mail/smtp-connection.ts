import SMTPConnection from 'nodemailer/lib/smtp-connection';
import { ClaimLost, MarkedBody, MarkFailed } from './marked-body.ts';
import { type Outcome, outcomeOfFault, printable } from './outcome.ts';
import { connectionOptions, type SmtpSettings } from './smtp-settings.ts';

export interface Envelope {
  readonly from: string;
  /** Decides the outcome; the others are copies. */
  readonly to: string;
  readonly bcc: readonly string[];
}

/** One lane to the SMTP server: opened when first used, kept between mails, closed after any fault. One mail at a time. */
export interface SmtpLane {
  send(envelope: Envelope, message: Buffer, mark: () => Promise<boolean>): Promise<Outcome>;
  close(): void;
}

/** Servers like sessions to end: nodemailer's own pool closes after as many. */
const MAILS_PER_CONNECTION = 100;

export function smtpLane(settings: SmtpSettings): SmtpLane {
  let connection: SMTPConnection | null = null;
  let sent = 0;

  /** Gives the connection up; the next mail opens another. */
  const leave = (how: 'quit' | 'close') => {
    connection?.[how]();
    connection = null;
    sent = 0;
  };

  return {
    close: () => leave('close'),
    async send(envelope, message, mark) {
      const body = new MarkedBody(message, mark);
      try {
        connection ??= await open(settings, (closed) => {
          if (closed === connection) leave('close');
        });
        body.stage = 'envelope';
        const outcome = await transmit(connection, envelope, body, message.length);
        sent += 1;
        if (sent >= MAILS_PER_CONNECTION) leave('quit');
        return outcome;
      } catch (error) {
        // Whatever state the session is in now, the next mail starts a new one.
        leave('close');
        if (error instanceof ClaimLost) return { kind: 'claim-lost' };
        if (error instanceof MarkFailed) return { kind: 'unmarked', reply: error.message };
        return outcomeOfFault(body.stage, error as Error);
      }
    },
  };
}

function open(settings: SmtpSettings, onEnd: (connection: SMTPConnection) => void): Promise<SMTPConnection> {
  const connection = new SMTPConnection(connectionOptions(settings));
  return new Promise((done, fail) => {
    connection.on('error', fail);
    connection.once('end', () => {
      onEnd(connection);
      fail(new Error('The server closed the connection'));
    });
    connection.connect(() => {
      if (settings.credentials === null) return done(connection);
      connection.login({ ...settings.credentials }, (error) => (error ? fail(error) : done(connection)));
    });
  });
}

/** @throws what nodemailer says, or ClaimLost */
function transmit(connection: SMTPConnection, { from, to, bcc }: Envelope, body: MarkedBody, size: number) {
  return new Promise<Outcome>((done, fail) => {
    let fault: Error | null = null;
    body.once('error', (error) => {
      fault = error;
    });
    connection.send({ from, to: [to, ...bcc], size }, body, (error, info) => {
      if (error) return fail(fault ?? error);
      const refusal = info.rejectedErrors?.find(({ recipient }) => recipient === to);
      // A promise that resolves says only that some recipient was taken: ours decides.
      done(refusal ? outcomeOfFault('envelope', refusal) : { kind: 'sent', reply: printable(info.response) });
    });
  });
}
