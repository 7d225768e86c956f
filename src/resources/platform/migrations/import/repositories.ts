import { join } from 'node:path';
import type { Account, RepositoryRow } from '#access/viewer.ts';
import { path } from '#endpoint/links.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import { isGitError } from '#git/errors.ts';
import type { Oid } from '#git/objects/oid.ts';
import { listRefs } from '#git/refs/refs.ts';
import type { GitStore } from '#git/repo.ts';
import { repoOf, repositoryExists } from '#git/store.ts';
import { defined } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import { replaceLabels } from '#resources/repositories/labels/index.ts';
import {
  createRepository,
  findOwned,
  importRepository,
  type RuledActor,
  type RuledScope,
  updateRepository,
} from '#resources/repositories/repositories/index.ts';
import { type Address, gitFolder, type RepositoryRecord } from '../archive/format.ts';
import { type Accounts, ownerOf } from './accounts.ts';
import type { Contents } from './check.ts';
import { refused } from './unpack.ts';

/** A repository that was imported, with its labels by the addresses that they have in the archive. */
export type Imported = {
  row: RepositoryRow;
  record: RepositoryRecord;
  owner: Account;
  labels: ReadonlyMap<Address, Id<'labels'>>;
  /** The commits of the heads of its pull requests, by their numbers. */
  pullHeads: ReadonlyMap<number, Oid>;
};

/** Refuses an archive with repositories that are here already. */
export async function refuseExisting(scope: WriteScope, { repositories }: Contents, accounts: Accounts): Promise<void> {
  const there: string[] = [];
  for (const { owner, name } of repositories.values()) {
    const account = ownerOf(accounts, owner);
    if (await findOwned(scope.tx, account.id, name)) there.push(`${account.login}/${name}`);
  }
  if (there.length > 0) throw refused(`these repositories are here already: ${there.join(', ')}`);
}

/** Makes a repository with its labels and its Git data from the archive's folder. Git checks every object. */
export async function importOne(
  scope: RuledScope,
  record: RepositoryRecord,
  { folder, accounts, onBypass }: { folder: string; accounts: Accounts; onBypass: RuledActor['onBypass'] },
): Promise<Imported> {
  const { git, now } = scope;
  const owner = ownerOf(accounts, record.owner);
  const person = owner.kind === 'user' ? owner : [...accounts.byAddress.values()].find(({ kind }) => kind === 'user');
  if (!person) throw refused('it names no user');
  const { name, description, website: homepage, visibility, is_template, default_branch } = record;
  const { has_issues, has_downloads } = record;
  const creation = {
    git,
    owner: { ...owner, role: 'owner' },
    by: { account: person, grant: { kind: 'none' } },
    wanted: {
      name,
      description,
      homepage,
      visibility,
      is_template,
      has_issues,
      has_downloads,
    },
    onBypass,
    now,
  } as const;
  const login = record.git_url?.split('/').at(-2) ?? owner.login;
  const made =
    record.git_url === null
      ? await createRepository(scope, { ...creation, from: { default_branch } })
      : await importRepository(scope, { ...creation, pulls: true, source: join(folder, gitFolder(login, name)) }).catch(
          (error: unknown) => {
            throw isGitError(error) ? refused(`Git does not accept ${record.url}: ${error.detail || error.message}`) : error;
          },
        );
  const row = await updateRepository(scope.tx, made.id, {
    ...(made.pushed_at === null ? { default_branch } : {}),
    archived: record.is_archived,
    ...defined({
      has_pull_requests: record.has_pull_requests,
      pull_request_creation_policy: record.pull_request_creation_policy,
      web_commit_signoff_required: record.web_commit_signoff_required,
    }),
    topics: record.topics,
    created_at: new Date(record.created_at),
    pushed_at: record.pushed_at === null || made.pushed_at === null ? null : new Date(record.pushed_at),
  });
  const byName = await replaceLabels(
    scope.tx,
    row.id,
    record.labels.map(({ name, color, description, default: is_default }) => ({ name, color, description, is_default })),
  );
  const labels = new Map(
    record.labels.flatMap((label): [Address, Id<'labels'>][] => {
      const id = byName.get(label.name);
      return id === undefined ? [] : [[path(record.url, 'labels', label.name), id]];
    }),
  );
  return { row, record, owner, labels, pullHeads: await listPullHeads(git, row) };
}

async function listPullHeads(git: GitStore, { id }: RepositoryRow): Promise<Map<number, Oid>> {
  const gitRepository = repoOf(git, id);
  if (!(await repositoryExists(gitRepository))) return new Map();
  const { rows } = await listRefs(gitRepository, { prefix: 'refs/pull/' });
  return new Map(rows.map(({ name, oid }) => [Number(name.split('/')[2]), oid]));
}
