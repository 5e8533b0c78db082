import { parentPort, workerData } from 'node:worker_threads';

/** Sends requests in a separate thread, so that reading their answers costs the measured thread nothing. */
export interface Asked {
  readonly method: string;
  readonly path: string;
  /** A string is sent as bytes. */
  readonly body?: object | string | undefined;
}

const { address, authorization } = workerData as { readonly address: string; readonly authorization: string };

async function send({ method, path, body }: Asked): Promise<void> {
  const response = await fetch(address + path, {
    method,
    headers: {
      authorization,
      ...(body && { 'content-type': typeof body === 'string' ? 'application/octet-stream' : 'application/json' }),
    },
    ...(body && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  parentPort?.postMessage({ status: response.status, text: await response.text() });
}

parentPort?.on('message', (asked: Asked) => void send(asked));
