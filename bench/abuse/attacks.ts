/** The known and conceivable attacks, each as one attacker repeats it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { flushPacket, packet } from '#git/transport/pkt-line.ts';
import type { Attacker } from './attacker.ts';
import { deltaBomb, emptyPack } from './packs.ts';

export type Attack = {
  readonly name: string;
  /** Whether the attackers are strangers, or have accounts. */
  readonly by: 'strangers' | 'accounts';
  /** The number of concurrent attackers. Omitted: 50. */
  readonly attackers?: number;
  run(attacker: Attacker): Promise<void>;
};

const api = '/api/v3';
const mebi = 1024 * 1024;
const words = (count: number, word: (index: number) => string): string[] =>
  Array.from({ length: count }, (_, index) => word(index));
const zeros = '0'.repeat(40);

const json = (value: unknown): { body: string } => ({ body: typeof value === 'string' ? value : JSON.stringify(value) });

/** Bytes of a request to `git-receive-pack`: updates of refs, and a pack. */
function pushOf(updates: readonly { from: string; to: string; ref: string }[], pack: Buffer): Buffer {
  const lines = updates.map(({ from, to, ref }, index) =>
    packet(`${from} ${to} ${ref}${index === 0 ? '\0report-status agent=x' : ''}\n`),
  );
  return Buffer.concat([...lines, flushPacket, pack]);
}

const receivePack = { 'content-type': 'application/x-git-receive-pack-request' };

export const attacks: readonly Attack[] = [
  {
    name: 'plain requests as fast as they go',
    by: 'strangers',
    run: async ({ ask, target }) => void (await ask('GET', `${api}/repos/${target.repository}/issues`)),
  },
  {
    name: 'a list filtered by 200 labels',
    by: 'strangers',
    run: async ({ ask, target }) =>
      void (await ask('GET', `${api}/repos/${target.repository}/issues?labels=${words(200, (i) => `l${i}`)}`)),
  },
  {
    name: 'the last page of long lists',
    by: 'strangers',
    async run({ ask, target }) {
      for (const list of ['issues?state=all', 'commits?', 'labels?', 'contributors?', 'branches?'])
        await ask('GET', `${api}/repos/${target.repository}/${list}&per_page=100&page=99999`);
    },
  },
  {
    name: 'searches with long texts that are all different',
    by: 'strangers',
    async run({ ask, number }) {
      const text = words(60, (i) => `w${number}x${i}y${Math.floor(Math.random() * 1e9)}`).join(' ');
      await ask('GET', `${api}/search/issues?q=${encodeURIComponent(text.slice(0, 250))}`);
      await ask('GET', `${api}/search/repositories?q=${encodeURIComponent(text.slice(0, 250))}`);
    },
  },
  {
    name: 'searches for phrases of common words',
    by: 'accounts',
    run: async ({ ask }) => void (await ask('GET', `${api}/search/code?q=${encodeURIComponent('"import type from the"')}`)),
  },
  {
    name: 'bodies of 40 MiB that are never finished',
    by: 'strangers',
    async run({ open, target, signal }) {
      const unfinished = Buffer.alloc(8 * mebi, 0x20);
      const headers = { 'content-length': String(40 * mebi) };
      void open('POST', `${api}/repos/${target.repository}/git/blobs`, { unfinished, headers });
      await sleep(200, undefined, { signal });
    },
  },
  {
    name: 'lists of 10,000 wrong items in a body',
    by: 'accounts',
    run: async ({ ask, account }) =>
      void (await ask(
        'POST',
        `${api}/repos/${account?.repository}/issues`,
        json({ title: 'x', labels: words(10_000, () => '') }),
      )),
  },
  {
    name: 'lists in lists, 1 MiB of them',
    by: 'accounts',
    run: async ({ ask, account }) =>
      void (await ask(
        'POST',
        `${api}/repos/${account?.repository}/issues`,
        json(`{"title":"x","labels":[${'[],'.repeat(349_000)}[]]}`),
      )),
  },
  {
    name: 'lists in lists, 39 MiB of them where a file may stand',
    by: 'accounts',
    attackers: 10,
    run: async ({ ask, account }) =>
      void (await ask('POST', `${api}/repos/${account?.repository}/git/trees`, json(`{"tree":[${'[],'.repeat(13_000_000)}[]]}`))),
  },
  {
    name: 'files of 30 MiB',
    by: 'accounts',
    attackers: 10,
    run: async ({ ask, account }) =>
      void (await ask(
        'POST',
        `${api}/repos/${account?.repository}/git/blobs`,
        json({ content: 'x'.repeat(30 * mebi), encoding: 'utf-8' }),
      )),
  },
  {
    name: 'clones that are read slowly',
    by: 'strangers',
    async run({ open, target, signal }) {
      const body = Buffer.concat([packet(`want ${target.head} ofs-delta no-progress\n`), flushPacket, packet('done\n')]);
      const headers = { 'content-type': 'application/x-git-upload-pack-request' };
      const reply = await open('POST', `/${target.repository}.git/git-upload-pack`, { body, headers });
      reply?.on('error', () => undefined).pause();
      await sleep(60_000, undefined, { signal });
    },
  },
  {
    name: 'clones as fast as they go',
    by: 'strangers',
    async run({ ask, target }) {
      const body = Buffer.concat([packet(`want ${target.head} ofs-delta no-progress\n`), flushPacket, packet('done\n')]);
      const headers = { 'content-type': 'application/x-git-upload-pack-request' };
      await ask('POST', `/${target.repository}.git/git-upload-pack`, { body, headers });
    },
  },
  {
    name: 'readings of trees without end',
    by: 'strangers',
    async run({ ask, target }) {
      const at = `${api}/repos/${target.bomb}`;
      for (const path of ['git/trees/HEAD?recursive=1', 'compare/HEAD~1...HEAD', 'commits/HEAD', 'languages', 'contents/'])
        await ask('GET', `${at}/${path}`);
    },
  },
  {
    name: 'archives of trees without end',
    by: 'strangers',
    async run({ ask, open, target }) {
      const reply = await open('GET', `${api}/repos/${target.bomb}/tarball`);
      reply?.on('error', () => undefined).resume();
      await ask('GET', reply?.headers.location ?? '/');
    },
  },
  {
    name: 'pushes of deltas that unpack to 900 MB',
    by: 'accounts',
    attackers: 10,
    async run({ ask, account }) {
      const { pack, oid } = await deltaBomb(900 * mebi);
      const body = pushOf([{ from: zeros, to: oid, ref: 'refs/tags/bomb' }], pack);
      await ask('POST', `/${account?.repository}.git/git-receive-pack`, { body, headers: receivePack });
    },
  },
  {
    name: 'pushes of 19,900 refs',
    by: 'accounts',
    attackers: 5,
    async run({ ask, account, number, target }) {
      const updates = words(19_900, (i) => `refs/heads/a${number}/${i}`).map((ref) => ({ from: zeros, to: target.head, ref }));
      const body = pushOf(updates, emptyPack);
      await ask('POST', `/${account?.repository}.git/git-receive-pack`, { body, headers: receivePack });
    },
  },
  {
    name: 'replies that are never read',
    by: 'accounts',
    async run({ open, target, signal }) {
      const reply = await open('GET', `${api}/repos/${target.repository}/issues?per_page=100`);
      reply?.on('error', () => undefined).pause();
      await sleep(500, undefined, { signal });
    },
  },
  {
    name: 'device codes and sign-ins',
    by: 'strangers',
    async run({ ask }) {
      const headers = { 'content-type': 'application/x-www-form-urlencoded' };
      await ask('POST', '/login/device/code', { headers, body: 'client_id=unknown' });
      await ask('POST', '/session', { headers, body: `login=ada&password=${'x'.repeat(100)}` });
    },
  },
];
