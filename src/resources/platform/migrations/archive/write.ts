import type { Account } from '#access/viewer.ts';
import { type Db, readTogether } from '#database/connect.ts';
import { path } from '#endpoint/links.ts';
import { copyEmpty, copyRepository } from '#git/copy.ts';
import type { GitStore } from '#git/repo.ts';
import { repoOf, repositoryExists } from '#git/store.ts';
import { gather, getOrThrow } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import { timestamp } from '#lib/time.ts';
import type { ObjectStore } from '#objects/store.ts';
import { loadAccounts } from '#resources/identity/accounts/index.ts';
import { listOrganizationIdsOf } from '#resources/identity/members/index.ts';
import { keepAdministered } from '../rules.ts';
import { loadRepositoriesOf, type MigrationRow } from '../store.ts';
import { formatVersion, gitFolder, type Kind } from './format.ts';
import { addMetadata, addOrganizationMetadata } from './metadata.ts';
import { addEmptyPages } from './pages.ts';
import { type ArchivedRepository, addressOf } from './records.ts';
import { addFiles } from './releases.ts';
import { openTarWriter, type TarWriter } from './tar-writer.ts';

type ArchiveParts = {
  db: Db;
  git: GitStore;
  objects: ObjectStore;
  /** Whose archive it is. */
  account: Account;
  migration: MigrationRow;
  file: string;
  /** The most repositories that a migration has. */
  most: number;
  now: Date;
};

/**
 * Writes the archive of a migration into a new file. Its JSON shows one moment, and files of releases and Git data are copied
 * after that: a push that arrives meanwhile may be in it, and nothing that the JSON tells of is missing. Repositories that the
 * person doesn't administer any more, or that the organization has given away, are left out.
 * @returns the repositories that are in it
 * @throws FilesChanged where a file of a release was deleted meanwhile
 */
export async function writeArchive(parts: ArchiveParts): Promise<Id<'repositories'>[]> {
  const { migration, file, now } = parts;
  await using tar = await openTarWriter(file, now);
  const schema = { version: formatVersion, exported_at: timestamp(now) };
  await tar.addBytes('schema.json', Buffer.from(JSON.stringify(schema)));
  const archived = migration.org_metadata_only ? await addOwnOrganizations(tar, parts) : await addRepositories(tar, parts);
  await tar.finish();
  return archived;
}

/** One moment of the database, for reading alone. */
const atOneMoment = <T>(db: Db, work: (db: Db) => Promise<T>): Promise<T> =>
  readTogether(db, { isolationLevel: 'repeatable read' }, work);

async function addOwnOrganizations(tar: TarWriter, { db, account, migration }: ArchiveParts): Promise<[]> {
  await atOneMoment(db, async (moment) => {
    const ids = account.kind === 'organization' ? [account.id] : await listOrganizationIdsOf(moment, account.id);
    await addOrganizationMetadata(tar, { db: moment, html: migration.base_url, account }, ids);
  });
  return [];
}

async function addRepositories(tar: TarWriter, parts: ArchiveParts): Promise<Id<'repositories'>[]> {
  const { db, account, migration } = parts;
  const { allArchived, files } = await atOneMoment(db, async (moment) => {
    const source = { db: moment, html: migration.base_url, account };
    const found = await findArchived(moment, parts);
    const wanted = { git: !migration.exclude_git_data, releases: !migration.exclude_releases };
    return { allArchived: found, files: migration.exclude_metadata ? [] : await addMetadata(tar, source, found, wanted) };
  });
  await addFiles(tar, parts, files);
  if (!migration.exclude_metadata) {
    await addEmptyPages(tar, excludedBy(migration));
    if (!migration.exclude_attachments) await tar.addFolder('attachments');
  }
  const ids = allArchived.map(({ row }) => row.id);
  if (migration.exclude_git_data) return ids;
  await tar.addFolder('repositories');
  for (const archived of allArchived) await addGitData(tar, parts.git, archived);
  return ids;
}

/** The kinds without objects that a migration has no files of. */
const excludedBy = ({ exclude_attachments, exclude_owner_projects }: MigrationRow): ReadonlySet<Kind> =>
  new Set<Kind>([
    ...(exclude_attachments ? (['attachments'] as const) : []),
    ...(exclude_owner_projects ? (['projects'] as const) : []),
  ]);

async function findArchived(db: Db, { account, migration, most }: ArchiveParts): Promise<ArchivedRepository[]> {
  const rows = await keepAdministered(db, account, await loadRepositoriesOf(db, migration.id, most));
  const owners = await loadAccounts(db, gather(rows, 'owner_id'));
  return rows.map((row) => {
    const owner = getOrThrow(owners, row.owner_id);
    return { row, owner, url: path(addressOf(migration.base_url, owner), row.name) };
  });
}

/**
 * Adds branches, tags and the heads of pull requests, with the objects that they lead to and no others: hidden refs and what was
 * deleted stay behind.
 */
async function addGitData(tar: TarWriter, git: GitStore, { row, owner }: ArchivedRepository): Promise<void> {
  const source = repoOf(git, row.id as Id<'repositories'>);
  const { draft } = (await repositoryExists(source))
    ? await copyRepository(source, { pulls: true })
    : await copyEmpty(git, row.default_branch);
  try {
    await tar.addTree(gitFolder(owner.login, row.name), draft.repo.path);
  } finally {
    await draft[Symbol.asyncDispose]();
  }
}
