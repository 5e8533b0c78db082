import { connect } from 'node:net';
import { refusalPlace } from '#domain/law/refusal-place.ts';
import { composeMessage } from '#server/platform/mail/compose.ts';
import { PUBLIC_URL } from '#test/mailing.ts';
import { keyOf, rendered } from './letter.ts';
import type { Peer, PeerContext, PeerMail } from './peer.ts';

const CLAIM = 500;

interface Work {
  readonly next: () => Promise<PeerMail | undefined>;
  readonly finish: (id: number, answer: string) => void;
}

/**
 * The machine's limit: mails claimed and finished in batches by plain SQL, sent by a pipelined client.
 * It has no retries, limits, marks or fences: after a kill the outcome of claimed mails is unknown.
 */
export const limit: Peer = {
  fill: async () => {},
  start: async (context) => {
    const work = { next: claims(context), finish: finishes(context) };
    void Promise.all(Array.from({ length: context.connections }, () => lane(context.smtpPort, work)));
  },
};

/** @returns a function that returns the next mail, and claims more before the claimed ones run out */
function claims({ db }: PeerContext): Work['next'] {
  const claimed: PeerMail[] = [];
  let claiming: Promise<void> | null = null;
  let over = false;
  const claim = async () => {
    const { rows } = await db.query<PeerMail>(
      `UPDATE peer_mail SET claimed_at = now() WHERE id = ANY (ARRAY(
         SELECT id FROM peer_mail WHERE claimed_at IS NULL ORDER BY id LIMIT ${CLAIM} FOR UPDATE SKIP LOCKED))
       RETURNING id, mail_to AS "to", company`,
    );
    over = rows.length === 0;
    claimed.push(...rows);
    claiming = null;
  };
  return async () => {
    if (claimed.length < CLAIM / 2 && !over) claiming ??= claim();
    while (claimed.length === 0 && claiming) await claiming;
    return claimed.shift();
  };
}

/** @returns a function that records an answer; answers that arrive during a commit share the next one */
function finishes({ db, recorded }: PeerContext): Work['finish'] {
  let ids: number[] = [];
  let answers: string[] = [];
  let writing = false;
  const write = async () => {
    writing = true;
    while (ids.length > 0) {
      const batch = [ids, answers];
      const count = ids.length;
      ids = [];
      answers = [];
      await db.query(
        `UPDATE peer_mail m SET sent_at = now(), answer = r.answer
         FROM unnest($1::bigint[], $2::text[]) AS r (id, answer) WHERE m.id = r.id`,
        batch,
      );
      recorded(count);
    }
    writing = false;
  };
  return (id, answer) => {
    ids.push(id);
    answers.push(answer);
    if (!writing) void write();
  };
}

const envelope = ({ to }: PeerMail) => `MAIL FROM:<sender@example.com>\r\nRCPT TO:<${to}>\r\nDATA\r\n`;

/** Composes a mail with Kaitaku's composer. Its parts are base64, so that no line begins with a dot. */
function message(mail: PeerMail): Buffer {
  const mailKey = keyOf(mail);
  return composeMessage({
    ...rendered(mail),
    from: { name: '担当', address: 'sender@example.com' },
    to: mail.to,
    messageId: `<${mailKey}@example.com>`,
    date: new Date(),
    refusal: refusalPlace({ publicUrl: PUBLIC_URL, refusalEmail: null, mailKey }),
  });
}

/** Sends mails on one connection, with one round trip each, because the next envelope is sent with the final dot. */
async function lane(port: number, { next, finish }: Work): Promise<void> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  const waiting: ((reply: string) => void)[] = [];
  const replies = (count: number) =>
    Promise.all(Array.from({ length: count }, () => new Promise<string>((done) => waiting.push(done))));
  let rest = '';
  socket.setEncoding('latin1').on('data', (text: string) => {
    const lines = (rest + text).split('\r\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line[3] === ' ') waiting.shift()?.(line);
  });
  const greeted = replies(2);
  socket.write('EHLO bench\r\n');
  await greeted;
  let mail = await next();
  let accepted = replies(mail ? 3 : 0);
  if (mail) socket.write(envelope(mail));
  while (mail) {
    const [following, code] = [await next(), (await accepted)[2]];
    if (!code?.startsWith('354')) throw new Error(`the sink answered ${code}`);
    const answer = replies(1);
    accepted = replies(following ? 3 : 0);
    socket.cork();
    socket.write(message(mail));
    socket.write(`.\r\n${following ? envelope(following) : ''}`);
    socket.uncork();
    finish(mail.id, (await answer)[0] ?? '');
    mail = following;
  }
  socket.end('QUIT\r\n');
}
