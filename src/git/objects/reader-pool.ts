import type { GitLimits, Repo } from '../repo.ts';
import { type Answer, type Asking, CatFile, Interrupted } from './cat-file.ts';

/** A lent reader process. `ask` starts it, again if it has died. */
export type Lent = { ask(name: string, wanted: Asking['wanted']): Promise<Answer>; giveBack(): Promise<void> };

/** Keeps a few readers open, one for each repository in use, the latest used ones. */
export type ReaderPool = {
  lend(repo: Repo): Lent;
  closeOf(path: string): Promise<void>;
  closeAll(): Promise<void>;
  /** How many processes are open, for metrics and tests. */
  open(): number;
};

type Entry = { path: string; users: number; cat?: CatFile; timer?: NodeJS.Timeout; gone: boolean };

/** Makes an empty pool. More repositories than `readers` in use at once get readers too, which close right after their use. */
export function makeReaderPool(limits: Pick<GitLimits, 'readers' | 'readerIdle'>): ReaderPool {
  // A Map keeps the order of insertion: the first entry is the one that was lent longest ago.
  const entries = new Map<string, Entry>();

  const close = async (key: string, entry: Entry) => {
    clearTimeout(entry.timer);
    entry.gone = true;
    if (entries.get(key) === entry) entries.delete(key);
    await entry.cat?.close();
  };

  const makeRoom = async () => {
    for (const [key, entry] of [...entries]) {
      if (entries.size <= limits.readers) return;
      if (entry.users === 0) await close(key, entry);
    }
  };

  return {
    lend(repo) {
      const key = repo.quarantine ? `${repo.path}\n${repo.quarantine.objects}` : repo.path;
      const entry: Entry = entries.get(key) ?? { path: repo.path, users: 0, gone: false };
      clearTimeout(entry.timer);
      entries.delete(key);
      entries.set(key, entry);
      entry.users++;
      const cat = (): CatFile => {
        if (!entry.cat || entry.cat.dead) entry.cat = new CatFile(repo);
        return entry.cat;
      };
      return {
        async ask(name, wanted) {
          for (let asking: Asking = { wanted }; ; asking = { wanted, alone: true }) {
            try {
              return await cat().ask(name, asking);
            } catch (error) {
              if (!(error instanceof Interrupted)) throw error;
            }
          }
        },
        async giveBack() {
          entry.users--;
          if (entry.users > 0) return;
          // A quarantine's folder goes away with its push.
          if (entry.gone || repo.quarantine) return close(key, entry);
          entry.timer = setTimeout(() => void close(key, entry), limits.readerIdle).unref();
          await makeRoom();
        },
      };
    },
    async closeOf(path) {
      await Promise.all([...entries].filter(([, entry]) => entry.path === path).map(([key, entry]) => close(key, entry)));
    },
    async closeAll() {
      await Promise.all([...entries].map(([key, entry]) => close(key, entry)));
    },
    open: () => [...entries.values()].filter((entry) => entry.cat && !entry.cat.dead).length,
  };
}
