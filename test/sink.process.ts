import { openSync, writeSync } from 'node:fs';
import type { Certificate } from './certificate.ts';
import { startSmtpSink } from './smtp-sink.ts';

// node test/sink.process.ts FILE LATENCY_MS [CERTIFICATE]: an SMTP sink that outlives the processes under test. It
// appends each accepted mail as a line to FILE before it answers, and prints its port to standard output. CERTIFICATE,
// for STARTTLS, is one of test/certificate.ts as JSON.
const [file = '', latencyMs = '0', certificate] = process.argv.slice(2);
const lines = openSync(file, 'a');
const sink = await startSmtpSink();
sink.latencyMs = Number(latencyMs);
if (certificate !== undefined) sink.tls = { ...(JSON.parse(certificate) as Certificate), from: 'STARTTLS' };
sink.keep = ({ messageId, from, to, at }) => {
  writeSync(lines, `${JSON.stringify({ messageId, from, to, at, mostConnections: sink.mostConnections })}\n`);
};
process.stdout.write(`${sink.port}\n`);
