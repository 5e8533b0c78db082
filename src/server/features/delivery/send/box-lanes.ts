import type { FastifyBaseLogger } from 'fastify';
import { type AccountDb, accountDbOf } from '../../../platform/database/account-db.ts';
import { BOX_TIMES, type Credentials, NoCredentials } from '../../../platform/mail/smtp/settings.ts';
import { SealBroken } from '../../../platform/secrets/secrets.ts';
import { type Mailbox, openMailbox, readMailbox } from '../../mailboxes/mailbox.queries.ts';
import { type MailboxServices, mailboxLogIn, smtpOf } from '../../mailboxes/mailbox-log-in.ts';
import { loseMailbox } from '../../mailboxes/mailbox-state.command.ts';
import type { BoxKey, ClaimedBox } from '../leases/claim.ts';
import { releaseBox } from '../leases/lease.queries.ts';
import type { WorkerContext } from '../leases/worker-context.ts';
import { smtpTransport } from '../transports/smtp/smtp-transport.ts';
import type { Lane } from '../transports/transport.ts';

/** The most lanes of mailboxes in a worker. */
export const BOX_LANES_MAX = 50;
/** How long a connection waits for the next mail. The worker keeps the mailbox's share as long. */
const IDLE_MS = 30_000;

interface BoxLane {
  readonly box: ClaimedBox;
  readonly lane: Lane;
  isBusy: boolean;
  /** Closes the lane when no mail comes. */
  idle: NodeJS.Timeout | undefined;
}

export type BoxLanes = ReturnType<typeof boxLanes>;

type LaneWorker = Pick<WorkerContext, 'db' | 'workerId' | 'log'>;

/** The lanes of a worker's mailboxes: one for each mailbox, and none of an older version. */
export function boxLanes(worker: LaneWorker, services: MailboxServices, idleMs: number = IDLE_MS) {
  const lanes = new Map<string, BoxLane>();
  const accountOf = accountDbOf(worker.db);
  const keyOf = ({ accountId, id }: BoxKey) => `${accountId} ${id}`;

  /** The share is released behind the connection: the worker that gets it connects at once. */
  function close(open: BoxLane): void {
    clearTimeout(open.idle);
    open.lane.close();
    if (lanes.get(keyOf(open.box)) === open) lanes.delete(keyOf(open.box));
  }

  function closeAndRelease(open: BoxLane): void {
    close(open);
    releaseBox(worker.db, worker.workerId, open.box).catch((error: unknown) =>
      worker.log.warn({ err: error, mailbox: open.box.id }, 'could not release a mailbox; its lease ends by itself'),
    );
  }

  const idleLanes = () => [...lanes.values()].filter(({ isBusy }) => !isBusy);

  return {
    /** Whether a further mailbox can get a lane. */
    hasRoom: (): boolean => lanes.size < BOX_LANES_MAX || idleLanes().length > 0,
    /** Returns the lane of a mailbox for one request; null: it is busy, or all are. */
    take(box: ClaimedBox): Lane | null {
      let open = lanes.get(keyOf(box));
      if (open?.isBusy) return null;
      if (open && open.box.version !== box.version) {
        close(open);
        open = undefined;
      }
      if (!open) {
        const [oldest] = idleLanes();
        if (lanes.size >= BOX_LANES_MAX) {
          if (!oldest) return null;
          closeAndRelease(oldest);
        }
        const lane = openBoxLane(accountOf(box.accountId, null), services, box, worker.log);
        open = { box, lane, isBusy: true, idle: undefined };
      }
      clearTimeout(open.idle);
      open.isBusy = true;
      // At the end: the first idle lane is the one that was used the longest time ago.
      lanes.delete(keyOf(box));
      lanes.set(keyOf(box), open);
      return open.lane;
    },
    /** Ends the request of a mailbox. Its connection waits for the next one. */
    giveBack(box: ClaimedBox): void {
      const open = lanes.get(keyOf(box));
      if (!open) return;
      open.isBusy = false;
      open.idle = setTimeout(() => closeAndRelease(open), idleMs);
      open.idle.unref();
    },
    /** The mailboxes whose share of the connection this worker needs. */
    open: (): BoxKey[] => [...lanes.values()].map(({ box }) => box),
    /** Closes idle connections whose share another worker may have. */
    closeLost(lost: readonly BoxKey[]): void {
      const keys = new Set(lost.map(keyOf));
      for (const one of idleLanes()) if (keys.has(keyOf(one.box))) close(one);
    },
    closeIdle: (): void => idleLanes().forEach(close),
    closeAll: (): void => [...lanes.values()].forEach(close),
  };
}

/**
 * Opens the lane of a mailbox, for one mail at a time, and with no connection yet. It reads the server and the log-in
 * when it connects.
 */
export function openBoxLane(
  account: AccountDb,
  services: MailboxServices,
  box: ClaimedBox,
  log: Pick<FastifyBaseLogger, 'error'>,
): Lane {
  let lane: Lane | null = null;
  let isClosed = false;
  /** A fault of this program or of the database is none of the mailbox's server: its mails wait. */
  const orNoLogIn = async <Result>(work: Promise<Result>): Promise<Result> => {
    try {
      return await work;
    } catch (error) {
      if (error instanceof NoCredentials) throw error;
      log.error({ err: error, accountId: box.accountId, mailbox: box.id }, 'could not open a mailbox; its mails wait');
      throw new NoCredentials(NO_LOG_IN);
    }
  };
  const open = async (): Promise<Lane> => {
    const mailbox = await readAsClaimed(account, box);
    if (isClosed) throw new NoCredentials(CHANGED);
    const logIn = () => orNoLogIn(logInto(account, services, box));
    return smtpTransport({ ...smtpOf(mailbox, null, services.outbound), logIn }, null, BOX_TIMES).openLane();
  };
  return {
    async send(claims, mark, takeNext) {
      try {
        lane ??= await orNoLogIn(open());
      } catch (error) {
        const { message: reply } = error as NoCredentials;
        return claims.map(() => ({ kind: 'not-taken', reply }));
      }
      return lane.send(claims, mark, takeNext);
    },
    close() {
      isClosed = true;
      lane?.close();
    },
  };
}

const CHANGED = 'メールボックスの設定が変わりました。自動で再送します。';
const NO_LOG_IN = 'メールボックスに今はログインできません。自動で再送します。';

async function readAsClaimed(account: AccountDb, box: ClaimedBox): Promise<Mailbox> {
  const mailbox = await account.snapshot((tx) => readMailbox(tx, box));
  if (mailbox?.version !== box.version) throw new NoCredentials(CHANGED);
  return mailbox;
}

/** Returns what logs in to a mailbox now. @throws NoCredentials */
async function logInto(account: AccountDb, services: MailboxServices, box: ClaimedBox): Promise<Credentials> {
  const mailbox = await readAsClaimed(account, box);
  const lose = (reply: string) => account.whileFrozen((tx) => loseMailbox(tx, box, reply));
  try {
    openMailbox(services.secrets, mailbox);
  } catch (error) {
    if (!(error instanceof SealBroken)) throw error;
    await lose('the sealed log-in does not open');
    throw new NoCredentials(NO_LOG_IN);
  }
  const found = await mailboxLogIn(services, account, mailbox);
  if (typeof found !== 'string') return found;
  if (found === 'lost') await lose('no log-in');
  throw new NoCredentials(NO_LOG_IN);
}
