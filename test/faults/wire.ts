import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A moment in the dialogue of a client and PostgreSQL, found by the texts of the client's messages. */
export interface WirePoint {
  /** Counting starts at a connection's first message that matches. */
  readonly after: RegExp;
  /** The message to stop at; it may be the one that matches `after`. */
  readonly at: RegExp;
  /** `asked`: the server never receives it. `answered`: it has run it, but the client gets no answer. */
  readonly when: 'asked' | 'answered';
}

/**
 * A proxy before a server.
 * Its address stays the same when the server moves; it can freeze and continue.
 */
export interface Wire {
  readonly port: number;
  /** The server's port for new connections. */
  target: number;
  /** Stops the next connection at this point permanently. Resolves when one has stopped. */
  stopAt(point: WirePoint): Promise<void>;
  /** Holds back all traffic in both directions without closing connections: a half-open network. */
  freeze(): void;
  /** Whether a frozen wire holds back a matching message. */
  holds(message: RegExp): boolean;
  /** Forwards the traffic that was held back. */
  thaw(): void;
  /** Closes all open connections and accepts new ones. */
  cut(): void;
  close(): Promise<void>;
}

interface Watch extends WirePoint {
  readonly reached: () => void;
}

/** Listens on 127.0.0.1 and forwards everything to `target`, a port of `host`. */
export async function startWire(target: number, host = '127.0.0.1'): Promise<Wire> {
  const sockets = new Set<Socket>();
  const gate = { frozen: false, thaw: [] as (() => void)[], held: '' };
  let watch: Watch | null = null;

  /** Forwards data from `from` to `to`; `look` returns whether the connection stops here. */
  const pass = (from: Socket, to: Socket, look: (chunk: Buffer) => boolean) => {
    from.on('data', (chunk) => {
      if (look(chunk)) return void from.pause();
      if (!gate.frozen) return void to.write(chunk);
      from.pause();
      gate.held += chunk.toString('latin1');
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
    holds: (message) => message.test(gate.held),
    thaw: () => {
      gate.frozen = false;
      gate.held = '';
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

/** Returns the URL of the same database through the proxy. */
export function throughWire(url: string, { port }: Wire): string {
  const changed = new URL(url);
  changed.host = `127.0.0.1:${port}`;
  return changed.href;
}
