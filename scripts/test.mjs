// npm test: installs what is missing (packages, a browser, Japanese fonts, curl), then runs `npm run check`.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { buildWeb, fail, installPackages, startScript } from './prepare.mjs';

/** The same list as in test/e2e/launch.ts. */
const BROWSERS = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];
const succeeds = (program, ...args) => spawnSync(program, args, { stdio: 'ignore' }).status === 0;

function browserIsMissing() {
  return ![process.env.CHROMIUM_PATH, ...BROWSERS].some((path) => path && existsSync(path));
}

/** Checks whether Japanese fonts are missing. macOS and Windows include them. */
function fontsAreMissing() {
  if (process.platform !== 'linux') return false;
  const { stdout } = spawnSync('fc-list', [':lang=ja', 'family'], { encoding: 'utf8' });
  return !stdout;
}

/** Checks whether curl is missing, with which a test follows the API's quick start. */
const curlIsMissing = () => !succeeds('curl', '--version');

const isMissing = () => browserIsMissing() || fontsAreMissing() || curlIsMissing();

/** Installs Chromium without windows, which takes half the CPU time; Ubuntu and older Debian versions lack it. */
const INSTALL = `apt-get update -qq
apt-cache show chromium-headless-shell > /dev/null 2>&1 && browser=chromium-headless-shell || browser=chromium
apt-get install -y -qq -o DPkg::Lock::Timeout=600 $browser fonts-noto-cjk fontconfig curl > /dev/null`;

/**
 * Installs what is missing by apt-get as root; otherwise prints the command and ends.
 * @returns resolves when apt-get has ended, even if it failed
 */
async function installBrowser() {
  if (!isMissing()) return;
  if (process.getuid?.() !== 0 || !succeeds('apt-get', '--version')) return requireBrowser();
  process.stdout.write('テストに使うChromium、日本語フォント、curlをインストールしています…\n');
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  await once(spawn('sh', ['-c', INSTALL], { stdio: ['ignore', 'ignore', 'inherit'], env }), 'close');
}

function requireBrowser() {
  if (!isMissing()) return;
  fail(
    'テストにはChromium、日本語フォント、curlが必要です。\n' +
      '  Debian / Ubuntu: sudo apt-get install chromium fonts-noto-cjk fontconfig curl\n' +
      '  そのほか: curlとChromium（またはChrome）を入れ、Chromiumの場所を環境変数 CHROMIUM_PATH で指定してください。',
  );
}

const STOP_MS = 20_000;

/** Signals the process group of a child. @returns false if the whole group has ended */
function signalGroup({ pid }, signal) {
  try {
    return process.kill(process.platform === 'win32' ? pid : -pid, signal);
  } catch {
    return false;
  }
}

/** Runs the checks, and ends them with this process or with the npm that started it. */
function runCheck() {
  const check = startScript('check');
  let stopping;
  const stop = () => {
    if (stopping) return;
    const end = Date.now() + STOP_MS;
    signalGroup(check, 'SIGTERM');
    stopping = setInterval(() => {
      if (!signalGroup(check, 0)) process.exit(1);
      if (Date.now() > end) signalGroup(check, 'SIGKILL');
    }, 200);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, stop);
  const parent = process.ppid;
  setInterval(() => process.ppid !== parent && stop(), 500);
  check.once('exit', (code) => stopping ?? process.exit(code ?? 1));
}

// In parallel: one mostly waits for the network, the other for the disk.
const browser = installBrowser();
installPackages();
buildWeb();
await browser;
requireBrowser();
runCheck();
