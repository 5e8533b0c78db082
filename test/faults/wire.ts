import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A moment in what a client and PostgreSQL say to each other, by the texts of the client's messages. */
export interface WirePoint {
  /** A connection counts from a message that matches this one on. */
  readonly after: RegExp;
  /** The message to stop at; the same may match both. */
  readonly at: RegExp;
  /** `asked`: the server never hears it. `answered`: the server has done it, and the client never hears so. */
  readonly when: 'asked' | 'answered';
}

/**
 * A link to a server that stands where another could: its address stays while the server moves, it can stop and go on.
 */
export interface Wire {
  readonly port: number;
  /** The server's own port, for connections made from now on. */
  target: number;
  /** Stops the next connection that comes to this point, for good. Resolves when one has. */
  stopAt(point: WirePoint): Promise<void>;
  /** From now on nothing passes, either way, and nobody is told: a half-open network. */
  freeze(): void;
  /** What was held back passes now. */
  thaw(): void;
  /** Ends the connections there are; new ones are welcome. */
  cut(): void;
  close(): Promise<void>;
}

interface Watch extends WirePoint {
  readonly reached: () => void;
}

/** Listens on 127.0.0.1 and passes everything on to `target`, a port of `host`. */
export async function startWire(target: number, host = '127.0.0.1'): Promise<Wire> {
  const sockets = new Set<Socket>();
  const gate = { frozen: false, thaw: [] as (() => void)[] };
  let watch: Watch | null = null;

  /** Passes what arrives at `from` on to `to`; `look` says whether the link stops here. */
  const pass = (from: Socket, to: Socket, look: (chunk: Buffer) => boolean) => {
    from.on('data', (chunk) => {
      if (look(chunk)) return void from.pause();
      if (!gate.frozen) return void to.write(chunk);
      from.pause();
      gate.thaw.push(() => {
        to.write(chunk);
        from.resume();
      });
    });
    const end = () => {
      if (gate.frozen) gate.thaw.push(() => to.destroy());
      else to.destroy();
    };
    from.on('close', end).on('error', () => {});
  };

  const server = createServer((client) => {
    const upstream = connect(wire.target, host);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.setNoDelay(true).on('close', () => sockets.delete(socket));
    }
    let isNear = false;
    let awaitsAnswer = false;
    let stopped = false;
    const stop = () => {
      stopped = true;
      watch?.reached();
      watch = null;
      return true;
    };
    pass(client, upstream, (chunk) => {
      if (stopped) return true;
      if (watch === null) return false;
      const text = chunk.toString('latin1');
      isNear ||= watch.after.test(text);
      if (!isNear || !watch.at.test(text)) return false;
      if (watch.when === 'asked') return stop();
      awaitsAnswer = true;
      return false;
    });
    pass(upstream, client, () => stopped || (awaitsAnswer && watch !== null && stop()));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  const wire: Wire = {
    port: (server.address() as AddressInfo).port,
    target,
    stopAt: (point) =>
      new Promise((reached) => {
        watch = { ...point, reached };
      }),
    freeze: () => {
      gate.frozen = true;
    },
    thaw: () => {
      gate.frozen = false;
      for (const go of gate.thaw.splice(0)) go();
    },
    cut: () => {
      gate.thaw = [];
      for (const socket of sockets) socket.destroy();
    },
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        wire.cut();
      }),
  };
  return wire;
}

/** The same address of a database, by way of the wire. */
export function throughWire(url: string, { port }: Wire): string {
  const changed = new URL(url);
  changed.host = `127.0.0.1:${port}`;
  return changed.href;
}
