import type { Account, Repo, RepositoryRow } from '#access/viewer.ts';
import type { Links } from '#endpoint/links.ts';
import type { RefMove } from '#events/catalogue.ts';
import { commitChanges } from '#git/commit-changes.ts';
import type { Identity } from '#git/identity.ts';
import { openObjects } from '#git/objects.ts';
import { listRefs } from '#git/refs.ts';
import type { Repo as Disk, GitStore } from '#git/repo.ts';
import { findRevision } from '#git/resolve.ts';
import { copyRepository, createRepository, repoOf, repositoryExists } from '#git/store.ts';
import { mustUpdateRefs } from '#git/update-refs.ts';
import { writeCommit } from '#git/write-objects.ts';
import type { TreeChange } from '#git/write-tree.ts';
import { noreplyAddress } from '#lib/noreply.ts';
import { invalid } from '#lib/refusal.ts';
import { licenseText } from '#resources/licenses/index.ts';
import type { NewRepository } from './schemas.ts';

/** Makes the folder of a new repository with its first contents. Returns the refs that it begins with. */
export type Fill = (row: RepositoryRow) => Promise<RefMove[]>;

const newRef = (ref: string, after: string): RefMove => ({ ref, before: null, after, forced: false });

/** The author of commits that the server makes for an account. */
export const identityOf = (account: Account, links: Links, now: Date): Identity => ({
  name: account.name ?? account.login,
  email: account.email ?? noreplyAddress(account, new URL(links.html).hostname),
  date: now,
  zone: 0,
});

/** Leaves a repository empty. */
export const emptyIn =
  (git: GitStore): Fill =>
  async (row) => {
    await createRepository(git, row.id, { defaultBranch: row.default_branch });
    return [];
  };

export type Beginning = { git: GitStore; account: Account; links: Links; now: Date };

/** The fields of a request that ask for a first commit. */
type Asked = Pick<NewRepository, 'auto_init' | 'gitignore_template' | 'license_template'>;

/** Fills a repository with one commit of the files that were asked for; undefined where none was asked for. */
export function beginningOf({ git, account, links, now }: Beginning, asked: Asked): Fill | undefined {
  // The public API has a list of these templates; Hearth has none, so that any name is unknown.
  if (asked.gitignore_template)
    throw invalid('Repository', 'gitignore_template', 'invalid', 'gitignore_template is not a known template');
  const license = asked.license_template
    ? licenseText(asked.license_template, { owner: account.name ?? account.login, year: now.getUTCFullYear() })
    : undefined;
  if (!asked.auto_init && license === undefined) return undefined;
  return async (row) => {
    const disk = await createRepository(git, row.id, { defaultBranch: row.default_branch });
    const readme = `# ${row.name}\n${row.description ? `${row.description}\n` : ''}`;
    const changes = [
      ...(asked.auto_init ? [fileOf('README.md', readme)] : []),
      ...(license === undefined ? [] : [fileOf('LICENSE', license)]),
    ];
    const by = identityOf(account, links, now);
    const ref = `refs/heads/${row.default_branch}`;
    const wanted = { changes, parents: [], author: by, committer: by, message: 'Initial commit' };
    const { commit } = await commitChanges(disk, wanted);
    await mustUpdateRefs(disk, [{ ref, from: null, to: commit }]);
    return [newRef(ref, commit)];
  };
}

const fileOf = (path: string, text: string): TreeChange => ({ path, mode: '100644', content: Buffer.from(text) });

async function copied(git: GitStore, from: Repo, row: RepositoryRow): Promise<Disk> {
  const source = repoOf(git, from.id);
  return (await repositoryExists(source))
    ? copyRepository(source, row.id)
    : createRepository(git, row.id, { defaultBranch: row.default_branch });
}

/** Fills a repository with the branches and tags of another one, or with the branch `only`. */
export const copyOf =
  (git: GitStore, from: Repo, only: string | undefined): Fill =>
  async (row) => {
    const disk = await copied(git, from, row);
    const { rows: refs } = await listRefs(disk, { prefix: 'refs/' });
    const kept = refs.filter((ref) => only === undefined || ref.name === `refs/heads/${only}`);
    const dropped = refs.filter((ref) => !kept.includes(ref));
    await mustUpdateRefs(
      disk,
      dropped.map((ref) => ({ ref: ref.name, from: ref.oid, to: null })),
    );
    return kept.map((ref) => newRef(ref.name, ref.oid));
  };

type Fresh = { by: Identity; allBranches: boolean };

/** Fills a repository with the files of a template's branches, each as one commit without history. */
export const beginAfresh =
  (git: GitStore, template: Repo, { by, allBranches }: Fresh): Fill =>
  async (row) => {
    const disk = await copied(git, template, row);
    const { rows: refs } = await listRefs(disk, { prefix: 'refs/' });
    const wanted = refs.filter(
      (ref) => ref.name === `refs/heads/${row.default_branch}` || (allBranches && ref.name.startsWith('refs/heads/')),
    );
    const moves: RefMove[] = [];
    for (const ref of wanted) moves.push(newRef(ref.name, await withoutHistory(disk, ref.oid, by)));
    const dropped = refs.filter((ref) => !wanted.includes(ref)).map((ref) => ({ ref: ref.name, from: ref.oid, to: null }));
    await mustUpdateRefs(disk, [...dropped, ...moves.map(({ ref, after }) => ({ ref, to: after }))]);
    return moves;
  };

async function withoutHistory(disk: Disk, commit: string, by: Identity): Promise<string> {
  const tree = await findRevision(disk, commit, { peel: 'tree' });
  if (!tree) throw new Error(`The commit ${commit} has no tree`);
  return writeCommit(disk, { tree: tree.oid, parents: [], author: by, committer: by, message: 'Initial commit' });
}

/** Whether a branch exists. */
export async function branchExists(git: GitStore, id: number, branch: string): Promise<boolean> {
  await using reader = await openObjects(repoOf(git, id));
  return (await reader.findInfo(`refs/heads/${branch}`)) !== undefined;
}
