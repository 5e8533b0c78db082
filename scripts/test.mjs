// npm test: installs what is missing (packages, a browser, Japanese fonts), then runs `npm run check`.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { buildWeb, fail, installPackages, run, runScript } from './prepare.mjs';

const BROWSERS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
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
    run('apt-get', ['install', '-y', '-qq', 'chromium', 'fonts-noto-cjk', 'fontconfig'], { env, quiet: true });
  }
  if (browserIsMissing() || fontsAreMissing()) {
    fail(
      'テストにはChromiumと日本語フォントが必要です。\n' +
        '  Debian / Ubuntu: sudo apt-get install chromium fonts-noto-cjk fontconfig\n' +
        '  そのほか: Chromium（またはChrome）を入れ、その場所を環境変数 CHROMIUM_PATH で指定してください。',
    );
  }
}

installPackages();
installBrowser();
buildWeb();
process.exit(runScript('check'));
