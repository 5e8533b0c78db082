import { onSessionEnd } from './session-store.ts';

type TabSessions = typeof import('./tab-sessions.ts');

/**
 * Opens the channel of this browser's tabs, and reports log-outs to it. The part that talks with the other tabs
 * (tab-sessions.ts) loads when it is called for, when another tab speaks, or when the session ends.
 *
 * @returns a function that loads this part. null: it could not be loaded, or the browser has no channel or permits
 *   none. This tab then has its own log-in.
 */
export function openTabs(): () => Promise<TabSessions | null> {
  let channel: BroadcastChannel;
  try {
    channel = new BroadcastChannel('kaitaku-session');
  } catch {
    return async () => null;
  }
  let joining: Promise<TabSessions | null> | undefined;
  const join = () => {
    joining ??= import('./tab-sessions.ts').then(
      (tabs) => {
        tabs.joinTabs(channel);
        return tabs;
      },
      () => null,
    );
    return joining;
  };
  // Joining replaces this.
  channel.onmessage = ({ data }) => void join().then((tabs) => tabs?.hear(data, channel));
  onSessionEnd((end, token) => {
    if (end === 'logged-out' && token !== null) channel.postMessage({ ended: token });
    void join();
  });
  return join;
}
