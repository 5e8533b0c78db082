// npm run pin:images: writes the digest of each base image after its tag, in the Dockerfile and the compose files.
// Needs Docker and its registry. With `--check` it writes nothing, and fails if a digest is missing. An
// argument names a folder other than this project.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Matches `FROM name:tag` and `image: name:tag`, with or without a digest, but no stages or own images. */
const IMAGE = /^(FROM |\s+image: )([\w./-]+:[\w.-]+)(@sha256:[0-9a-f]{64})?(?= AS |$)/gm;

function digestOf(image: string): string {
  const args = ['buildx', 'imagetools', 'inspect', image, '--format', '{{.Manifest.Digest}}'];
  const { status, stdout, stderr, error } = spawnSync('docker', args, { encoding: 'utf8' });
  const digest = stdout?.trim() ?? '';
  if (status !== 0 || !/^sha256:[0-9a-f]{64}$/.test(digest)) {
    throw new Error(`no digest of ${image}: ${error?.message ?? stderr.trim()}`);
  }
  return digest;
}

const args = process.argv.slice(2);
const folder = args.find((arg) => !arg.startsWith('--')) ?? join(import.meta.dirname, '..');
const files = ['Dockerfile', 'compose.yaml', 'compose.server.yaml'].map((name) => join(folder, name));
const texts = files.map((file) => readFileSync(file, 'utf8'));
const images = texts.flatMap((text) =>
  [...text.matchAll(IMAGE)].map(([, , image = '', digest]) => ({ image, digest })),
);

if (args.includes('--check')) {
  const missing = new Set(images.filter(({ digest }) => digest === undefined).map(({ image }) => image));
  for (const image of missing) process.stderr.write(`without a digest: ${image}\n`);
  process.exitCode = missing.size > 0 ? 1 : 0;
} else {
  // All digests are fetched before the first file is written: if the registry fails, the files stay unchanged.
  const digests = new Map([...new Set(images.map(({ image }) => image))].map((image) => [image, digestOf(image)]));
  for (const [index, file] of files.entries()) {
    const pinned = texts[index]?.replaceAll(
      IMAGE,
      (_, before: string, image: string) => `${before}${image}@${digests.get(image)}`,
    );
    writeFileSync(file, pinned ?? '');
  }
  for (const [image, digest] of digests) process.stdout.write(`${image}@${digest}\n`);
}
