import { Socket } from 'node:net';

/*
 * Loaded before a killed worker (NODE_OPTIONS), because the addresses of Google and Microsoft are constants of the
 * program: leads its connections to the port of https to the test's provider. The names, and with them TLS, stay.
 */

const port = Number(process.env.TEST_PROVIDER_PORT);
const connect = Socket.prototype.connect as (...given: unknown[]) => Socket;

Socket.prototype.connect = function (this: Socket, ...given: unknown[]) {
  const [options, ...more] = given;
  const isHttps = typeof options === 'object' && options !== null && 'port' in options && options.port === 443;
  const led = { ...(options as object), lookup: undefined, host: '127.0.0.1', port };
  return Reflect.apply(connect, this, isHttps ? [led, ...more] : given);
} as typeof Socket.prototype.connect;
