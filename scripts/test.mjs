// npm test: installs what is missing (packages, a browser, Japanese fonts), then runs `npm run check`.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { buildWeb, fail, installPackages, run, startScript } from './prepare.mjs';

/** As in test/e2e/browser.ts. */
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

/** Installs a browser and fonts by the system's package manager, where we are permitted to. */
function installBrowser() {
  if (!browserIsMissing() && !fontsAreMissing()) return;
  const mayInstall = process.getuid?.() === 0 && succeeds('apt-get', '--version');
  if (mayInstall) {
    process.stdout.write('テストに使うChromiumと日本語フォントをインストールしています…\n');
    const env = { DEBIAN_FRONTEND: 'noninteractive' };
    run('apt-get', ['update', '-qq'], { env, quiet: true });
    // Chromium without its windows takes half the CPU time; Ubuntu and older versions of Debian lack it.
    const browser = succeeds('apt-cache', 'show', 'chromium-headless-shell') ? 'chromium-headless-shell' : 'chromium';
    run('apt-get', ['install', '-y', '-qq', browser, 'fonts-noto-cjk', 'fontconfig'], { env, quiet: true });
  }
  if (browserIsMissing() || fontsAreMissing()) {
    fail(
      'テストにはChromiumと日本語フォントが必要です。\n' +
        '  Debian / Ubuntu: sudo apt-get install chromium fonts-noto-cjk fontconfig\n' +
        '  そのほか: Chromium（またはChrome）を入れ、その場所を環境変数 CHROMIUM_PATH で指定してください。',
    );
  }
}

const STOP_MS = 20_000;

/** Signals the process group of a child. @returns false when all of it is gone */
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

installPackages();
installBrowser();
buildWeb();
runCheck();
