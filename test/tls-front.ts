import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { createServer } from 'node:tls';
import { onTestFinished } from 'vitest';
import type { Certificate } from './certificate.ts';

/**
 * Puts TLS before a server on loopback, until the end of the test.
 * @param names gets the name that each client asks for
 * @returns the port
 */
export async function tlsBefore(
  port: number,
  certificate: Certificate,
  names: (string | false)[] = [],
): Promise<number> {
  const front = createServer(certificate, (socket) => {
    names.push(socket.servername ?? false);
    const behind = connect(port, '127.0.0.1');
    socket
      .on('error', () => behind.destroy())
      .pipe(behind)
      .on('error', () => socket.destroy())
      .pipe(socket);
  });
  // A client that distrusts the certificate ends the connection.
  front.on('tlsClientError', () => {});
  onTestFinished(() => void front.close());
  front.listen(0, '127.0.0.1');
  await once(front, 'listening');
  return (front.address() as AddressInfo).port;
}
