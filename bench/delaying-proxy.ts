import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/**
 * Listens on 127.0.0.1 and forwards each connection to `target`, a port of this machine. Every byte arrives half a
 * round trip after it was sent, in order, at any rate: a distant server without bandwidth limits.
 * @param rtt milliseconds of a round trip; connecting is not delayed
 */
export async function startDelayingProxy(target: number, rtt: number): Promise<{ port: number; close: () => void }> {
  const sockets = new Set<Socket>();
  const forward = (from: Socket, to: Socket) => {
    // Timers of the same length fire in the order of their start.
    const later = (act: () => void) => void setTimeout(() => to.destroyed || act(), rtt / 2);
    from
      .on('data', (chunk) => later(() => to.write(chunk)))
      .on('end', () => later(() => to.end()))
      .on('error', () => undefined)
      .on('close', () => later(() => to.destroy()));
  };
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    const upstream = connect({ port: target, host: '127.0.0.1', allowHalfOpen: true, noDelay: true });
    for (const socket of [client, upstream]) sockets.add(socket.on('close', () => sockets.delete(socket)));
    forward(client, upstream);
    forward(upstream, client);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
