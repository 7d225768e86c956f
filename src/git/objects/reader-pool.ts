import type { GitLimits, GitRepository } from '../repo.ts';
import { CatFile, Interrupted, type ObjectReply, type RequestOptions } from './cat-file.ts';

/** The use of a reader process. `request` starts the process if it isn't running. */
export type ReaderLease = {
  request(name: string, wanted: RequestOptions['wanted']): Promise<ObjectReply>;
  release(): Promise<void>;
};

/** A pool of reader processes, one for each repository. It keeps the most recently used ones. */
export type ReaderPool = {
  lease(repo: GitRepository): ReaderLease;
  closeOf(path: string): Promise<void>;
  closeAll(): Promise<void>;
  /** The number of open processes, for metrics and tests. */
  open(): number;
};

type Entry = { path: string; users: number; cat?: CatFile; timer?: NodeJS.Timeout; closed: boolean };

/** Makes an empty pool. If more than `readers` repositories are in use, the others get readers that close right after use. */
export function makeReaderPool(limits: Pick<GitLimits, 'readers' | 'readerIdle'>): ReaderPool {
  // A Map keeps insertion order, so the first entry is the least recently used.
  const entries = new Map<string, Entry>();

  const close = async (key: string, entry: Entry) => {
    clearTimeout(entry.timer);
    entry.closed = true;
    if (entries.get(key) === entry) entries.delete(key);
    await entry.cat?.close();
  };

  const evictIdle = async () => {
    for (const [key, entry] of [...entries]) {
      if (entries.size <= limits.readers) return;
      if (entry.users === 0) await close(key, entry);
    }
  };

  return {
    lease(repo) {
      const key = repo.quarantine ? `${repo.path}\n${repo.quarantine.objects}` : repo.path;
      const entry: Entry = entries.get(key) ?? { path: repo.path, users: 0, closed: false };
      clearTimeout(entry.timer);
      entries.delete(key);
      entries.set(key, entry);
      entry.users++;
      const cat = (): CatFile => {
        if (!entry.cat || entry.cat.dead) entry.cat = new CatFile(repo);
        return entry.cat;
      };
      return {
        async request(name, wanted) {
          for (let options: RequestOptions = { wanted }; ; options = { wanted, alone: true }) {
            repo.store.signal?.throwIfAborted();
            try {
              return await cat().request(name, options);
            } catch (error) {
              if (!(error instanceof Interrupted)) throw error;
            }
          }
        },
        async release() {
          entry.users--;
          if (entry.users > 0) return;
          // The folder of a quarantine is removed after its push.
          if (entry.closed || repo.quarantine) return close(key, entry);
          entry.timer = setTimeout(() => void close(key, entry), limits.readerIdle).unref();
          await evictIdle();
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
