import { parentPort, workerData } from 'node:worker_threads';

/** Sends requests in a separate thread, so that reading their answers costs the measured thread nothing. */
export interface Asked {
  readonly method: string;
  readonly path: string;
  /** A string and bytes are sent as they are. */
  readonly body?: object | string | Uint8Array | undefined;
}

const { address, authorization } = workerData as { readonly address: string; readonly authorization: string };

async function send({ method, path, body }: Asked): Promise<void> {
  const isRaw = typeof body === 'string' || body instanceof Uint8Array;
  const response = await fetch(address + path, {
    method,
    headers: {
      authorization,
      ...(body && { 'content-type': isRaw ? 'application/octet-stream' : 'application/json' }),
    },
    ...(body && { body: isRaw ? body : JSON.stringify(body) }),
  });
  parentPort?.postMessage({ status: response.status, text: await response.text() });
}

parentPort?.on('message', (asked: Asked) => void send(asked));
