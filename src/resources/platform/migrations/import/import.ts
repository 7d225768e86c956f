import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ServedChange } from '#endpoint/scope.ts';
import type { GitStore } from '#git/repo.ts';
import type { ResourceLimits } from '#lib/limits.ts';
import type { ObjectStore } from '#objects/store.ts';
import { releaseLimits } from '#resources/collaboration/releases/index.ts';
import type { RuledActor, RuledScope } from '#resources/repositories/repositories/index.ts';
import type { Address } from '../archive/format.ts';
import { migrationLimits } from '../limits.ts';
import { importAccounts } from './accounts.ts';
import { type Contents, checkContents } from './check.ts';
import { importIssues } from './issues.ts';
import type { Pages } from './pages.ts';
import { importProtection } from './protection.ts';
import { importReleases } from './releases.ts';
import { type Imported, importOne, refuseExisting } from './repositories.ts';
import { importCommitComments } from './reviews.ts';
import { importTeams } from './teams.ts';
import { type OnProgress, unpackArchive } from './unpack.ts';

type ImportParts = {
  file: string;
  git: GitStore;
  objects: ObjectStore;
  change: ServedChange<'repositoryRules'>;
  limits: ResourceLimits;
  /**
   * The login of an organization here that gets what belongs to the one in the archive. Omitted: it is found by its own login.
   */
  into?: string | undefined;
  /** For operators' commands; see `RuledActor`. */
  onBypass?: RuledActor['onBypass'];
  onProgress: OnProgress;
};

/** What was imported: the names of repositories, and how many accounts are new. */
type Outcome = { repositories: string[]; accounts: number };

/**
 * Imports the archive of a migration, made here or by another Hearth. It is unpacked beside the repositories and read to its end
 * before anything is written. One transaction then writes everything, so a failure leaves nothing behind.
 */
export async function importArchive({ file, into, ...parts }: ImportParts): Promise<Outcome> {
  const { git, change, limits, onProgress } = parts;
  const folder = await mkdtemp(join(git.root, 'tmp', 'import-'));
  try {
    const pages = { folder, names: await unpackArchive({ file, folder, limits: limits.of(migrationLimits), onProgress }) };
    const contents = await checkContents(pages, limits.of(releaseLimits), onProgress);
    return await change((scope) => importContents(scope, { ...parts, contents, pages }, into));
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 10 });
  }
}

type ContentParts = Omit<ImportParts, 'file' | 'into'> & { contents: Contents; pages: Pages };

async function importContents(
  scope: RuledScope,
  { contents, pages, objects, onProgress, onBypass }: ContentParts,
  into: string | undefined,
): Promise<Outcome> {
  const { folder } = pages;
  const accounts = await importAccounts(scope, contents, into);
  await refuseExisting(scope, contents, accounts);
  const repositories = new Map<Address, Imported>();
  for (const [url, record] of contents.repositories) {
    repositories.set(url, await importOne(scope, record, { folder, accounts, onBypass }));
    onProgress('Repositories', repositories.size, contents.repositories.size);
  }
  const teams = await importTeams(scope, contents, { accounts, repositories });
  const context = { scope, pages, objects, accounts, repositories, teams, onProgress };
  await importIssues(context);
  await importCommitComments(context);
  await importProtection(context);
  try {
    await importReleases(context);
  } catch (error) {
    // Their rows are rolled back. What a process leaves that ends here, is removed by the job that tidies the store.
    for (const { row } of repositories.values()) await objects.removeGroup(String(row.id)).catch(() => undefined);
    throw error;
  }
  const names = [...repositories.values()].map(({ owner, row }) => `${owner.login}/${row.name}`);
  return { repositories: names, accounts: accounts.made };
}
