import { openSync, writeSync } from 'node:fs';
import { startSmtpSink } from './smtp-sink.ts';

// node test/sink.process.ts FILE LATENCY_MS: an SMTP sink that outlives whom it judges. Each mail it takes is a line of
// FILE before it is answered; its port is the line on standard output.
const [file = '', latencyMs = '0'] = process.argv.slice(2);
const lines = openSync(file, 'a');
const sink = await startSmtpSink();
sink.latencyMs = Number(latencyMs);
sink.keep = ({ messageId, from, to, at }) => {
  writeSync(lines, `${JSON.stringify({ messageId, from, to, at, mostConnections: sink.mostConnections })}\n`);
};
process.stdout.write(`${sink.port}\n`);
