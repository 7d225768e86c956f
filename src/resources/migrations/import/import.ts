import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Tx } from '#database/connect.ts';
import type { GitStore } from '#git/repo.ts';
import type { ResourceLimits } from '#lib/limits.ts';
import type { Address } from '../archive/format.ts';
import { importAccounts } from './accounts.ts';
import { checkContents } from './check.ts';
import { importIssues } from './issues.ts';
import { type Imported, importOne, refuseExisting } from './repositories.ts';
import { importTeams } from './teams.ts';
import { type OnProgress, unpackArchive } from './unpack.ts';

export type ImportParts = {
  file: string;
  git: GitStore;
  change: <T>(work: (tx: Tx) => Promise<T>) => Promise<T>;
  limits: ResourceLimits['migrations'];
  /** The login of an organization here that gets what belongs to the one in the archive. Omitted: it is found by its own login. */
  into?: string | undefined;
  now: Date;
  onProgress: OnProgress;
};

/** What was imported: the names of repositories, and how many accounts are new. */
export type Outcome = { repositories: string[]; accounts: number };

/**
 * Imports the archive of a migration, made here or by another Hearth. It is unpacked beside the repositories and read to its end
 * before anything is written; what is written then, is in one transaction. Of a failure, nothing stays.
 */
export async function importArchive({ file, git, change, limits, into, now, onProgress }: ImportParts): Promise<Outcome> {
  const folder = await mkdtemp(join(git.root, 'tmp', 'import-'));
  try {
    const pages = { folder, names: await unpackArchive({ file, folder, limits, onProgress }) };
    const contents = await checkContents(pages, onProgress);
    return await change(async (tx) => {
      const accounts = await importAccounts(tx, contents, into);
      await refuseExisting(tx, contents, accounts);
      const repositories = new Map<Address, Imported>();
      for (const [url, record] of contents.repositories) {
        repositories.set(url, await importOne({ tx, git, folder, accounts, now }, record));
        onProgress('Repositories', repositories.size, contents.repositories.size);
      }
      await importTeams(contents, { tx, accounts, repositories, now });
      await importIssues({ tx, pages, accounts, repositories, onProgress });
      const names = [...repositories.values()].map(({ owner, row }) => `${owner.login}/${row.name}`);
      return { repositories: names, accounts: accounts.made };
    });
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 10 });
  }
}
