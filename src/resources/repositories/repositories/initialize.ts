import type { Account, RepositoryRow } from '#access/viewer.ts';
import type { Links } from '#endpoint/links.ts';
import type { Scope } from '#endpoint/scope.ts';
import type { RefMove } from '#events/ref-moves.ts';
import { type Copy, copyEmpty, copyRepository, copySnapshots } from '#git/copy.ts';
import { commitChanges } from '#git/history/commit-changes.ts';
import type { Identity } from '#git/objects/identity.ts';
import { openObjects } from '#git/objects/objects.ts';
import type { TreeChange } from '#git/objects/write-tree.ts';
import { branchRef, heads } from '#git/refs/ref-name.ts';
import { listRefs } from '#git/refs/refs.ts';
import { mustUpdateRefs } from '#git/refs/update-refs.ts';
import type { GitStore } from '#git/repo.ts';
import { createRepository, installRepository, repoOf, repositoryExists } from '#git/store.ts';
import { gather } from '#lib/collections.ts';
import { noreplyAddress } from '#lib/noreply.ts';
import { templateText } from '#resources/repositories/gitignore/index.ts';
import { licenseText } from '#resources/repositories/licenses/index.ts';
import { findWorkflowFolder } from './arriving-workflows.ts';
import type { NewRepository } from './schemas.ts';
import { signedOff } from './signoff.ts';

/** Creates the folder of a new repository with its initial contents. Returns the refs that it creates. */
export type Initialize = (row: RepositoryRow) => Promise<RefMove[]>;

const newRef = (ref: string, after: string): RefMove => ({ ref, before: null, after, forced: false });

/** The author of commits that the server creates for an account. */
export const identityOf = (account: Account, links: Links, now: Date): Identity => ({
  name: account.name ?? account.login,
  email: account.email ?? noreplyAddress(account, new URL(links.html).hostname),
  date: now,
  zone: 0,
});

/** Creates an empty repository. */
export const initializeEmpty =
  (git: GitStore): Initialize =>
  async (row) => {
    await createRepository(git, row.id, { defaultBranch: row.default_branch });
    return [];
  };

/** The fields of a request that ask for an initial commit. */
type InitialCommitRequest = Pick<NewRepository, 'auto_init' | 'gitignore_template' | 'license_template'>;

/** Creates a repository with one commit of the requested files; undefined if the request has none. */
export function initialCommitOf(
  { git, links, now }: Scope,
  account: Account,
  request: InitialCommitRequest,
): Initialize | undefined {
  const ignored = request.gitignore_template ? templateText(request.gitignore_template) : undefined;
  const license = request.license_template
    ? licenseText(request.license_template, { owner: account.name ?? account.login, year: now.getUTCFullYear() })
    : undefined;
  if (!request.auto_init && license === undefined && ignored === undefined) return undefined;
  return async (row) => {
    const gitRepository = await createRepository(git, row.id, { defaultBranch: row.default_branch });
    const readme = `# ${row.name}\n${row.description ? `${row.description}\n` : ''}`;
    const changes = [
      ...(request.auto_init ? [fileOf('README.md', readme)] : []),
      ...(ignored === undefined ? [] : [fileOf('.gitignore', ignored)]),
      ...(license === undefined ? [] : [fileOf('LICENSE', license)]),
    ];
    const by = identityOf(account, links, now);
    const ref = branchRef(row.default_branch);
    const message = signedOff(row, 'Initial commit', by);
    const wanted = { changes, parents: [], author: by, committer: by, message };
    const { commit } = await commitChanges(gitRepository, wanted);
    await mustUpdateRefs(gitRepository, [{ ref, from: null, to: commit }]);
    return [newRef(ref, commit)];
  };
}

const fileOf = (path: string, text: string): TreeChange => ({ path, mode: '100644', content: Buffer.from(text) });

/** A copy that is created before its repository has a row, so that no database connection is held meanwhile. */
export type PreparedCopy = {
  initialize: Initialize;
  /** A workflow folder in one of its branches or tags. */
  findWorkflowFolder(): Promise<string | undefined>;
  [Symbol.asyncDispose](): Promise<void>;
};

const preparedCopy = ({ draft, refs }: Copy): PreparedCopy => ({
  async initialize(row) {
    await installRepository(draft, row.id);
    return refs.map(({ name, oid }) => newRef(name, oid));
  },
  findWorkflowFolder: () => findWorkflowFolder(draft.repo, gather(refs, 'oid')),
  [Symbol.asyncDispose]: () => draft[Symbol.asyncDispose](),
});

/** Copies the branches and tags of a repository, or the branch `only`. */
export async function copyOf(git: GitStore, from: RepositoryRow, onlyBranch: string | undefined): Promise<PreparedCopy> {
  const source = repoOf(git, from.id);
  const exists = await repositoryExists(source);
  return preparedCopy(await (exists ? copyRepository(source, { branch: onlyBranch }) : copyEmpty(git, from.default_branch)));
}

type TemplateCopyOptions = { by: Identity; allBranches: boolean };

/** Copies the files of a template's branches, each as one commit without history. */
export async function copyTemplate(
  git: GitStore,
  template: RepositoryRow,
  { by, allBranches }: TemplateCopyOptions,
): Promise<PreparedCopy> {
  const source = repoOf(git, template.id);
  const { default_branch: defaultBranch } = template;
  if (!(await repositoryExists(source))) return preparedCopy(await copyEmpty(git, defaultBranch));
  const { rows } = await listRefs(source, { prefix: heads });
  const branches = rows.filter(({ name }) => allBranches || name === branchRef(defaultBranch));
  return preparedCopy(await copySnapshots(source, { branches, defaultBranch, by, message: 'Initial commit' }));
}

/** Whether a branch exists. */
export async function branchExists(git: GitStore, id: number, branch: string): Promise<boolean> {
  await using reader = await openObjects(repoOf(git, id));
  return (await reader.findInfo(branchRef(branch))) !== undefined;
}
