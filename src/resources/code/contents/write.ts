import type { Repo, SignedIn } from '#access/viewer.ts';
import type { Links } from '#endpoint/links.ts';
import { commitChanges } from '#git/history/commit-changes.ts';
import type { Identity } from '#git/objects/identity.ts';
import { openObjects } from '#git/objects/objects.ts';
import type { Oid } from '#git/objects/oid.ts';
import { pathProblem } from '#git/objects/paths.ts';
import type { TreeChange } from '#git/objects/write-tree.ts';
import { branchRef, shortNameOf } from '#git/refs/ref-name.ts';
import { findRef } from '#git/refs/refs.ts';
import type { GitRepository } from '#git/repo.ts';
import { repoOf } from '#git/store.ts';
import { conflict, invalid, notFound, Refusal, unprocessable } from '#lib/refusal.ts';
import { isEmpty } from '#resources/code/commits/index.ts';
import { checkMayMove, checkRef, fromBase64, moveOrRefuse, personOf } from '#resources/code/git-data/index.ts';
import type { MoveScope } from '#resources/code/pushes/index.ts';
import { identityOf, signedOff } from '#resources/repositories/repositories/index.ts';
import { type Entry, findEntry, isFile, type ResolvedCommit, trimSlashes } from './entries.ts';
import type { FileRemoval, FileWrite } from './schemas.ts';

type WriteAction = { repo: Repo; by: SignedIn; links: Links; path: string };

/** The written file (undefined: it was removed), and its commit. */
type Written = { resolved: ResolvedCommit; file: Entry | undefined; isNew: boolean };

/** Creates a file or changes the present one, by one commit to a branch. */
export async function writeFile(scope: MoveScope, action: WriteAction, body: FileWrite): Promise<Written> {
  const gitRepository = repoOf(scope.git, action.repo.id);
  const content = await fromBase64(body.content, { resource: 'File', field: 'content' });
  const { branch, tip, before, path } = await getTarget(scope, action, body.branch);
  if (before && body.sha === undefined) throw unprocessable('Invalid request.\n\n"sha" wasn\'t supplied.');
  if (body.sha !== undefined) checkUnchanged(path, before, body.sha);
  const mode = before?.mode ?? '100644';
  const commit = await commitTo(scope, action, { branch, tip, body, change: { path, mode, content } });
  await using reader = await openObjects(gitRepository);
  return { resolved: { commit, ref: branch }, file: await findEntry(reader, commit, path), isNew: before === undefined };
}

/** Removes a file by one commit to a branch. */
export async function removeFile(scope: MoveScope, action: WriteAction, body: FileRemoval): Promise<Written> {
  const { branch, tip, before, path } = await getTarget(scope, action, body.branch);
  if (!before) throw notFound();
  checkUnchanged(path, before, body.sha);
  const change: TreeChange = { path, mode: before.mode, oid: null };
  const commit = await commitTo(scope, action, { branch, tip, body, change });
  return { resolved: { commit, ref: branch }, file: undefined, isNew: false };
}

type WriteTarget = { path: string; branch: string; tip: Oid | undefined; before: Entry | undefined };

/**
 * The branch, which the caller may move, and the present entry at the path. Refuses to write where a folder or a submodule is, or
 * below a file.
 */
async function getTarget(
  scope: MoveScope,
  { repo, by, path: wanted }: WriteAction,
  branchName: string | undefined,
): Promise<WriteTarget> {
  const gitRepository = repoOf(scope.git, repo.id);
  const path = trimSlashes(wanted);
  const problem = pathProblem(path);
  if (problem) throw invalid('File', 'path', 'invalid', `path ${problem}`);
  const branch = shortNameOf(branchName ?? repo.default_branch);
  await checkMayMove(scope, { repo, by }, [branchRef(branch)]);
  const tip = await tipOf(gitRepository, branch);
  if (tip === undefined) return { path, branch, tip, before: undefined };
  await using reader = await openObjects(gitRepository);
  const names = path.split('/');
  for (let depth = 1; depth < names.length; depth++) {
    const parent = await findEntry(reader, tip, names.slice(0, depth).join('/'));
    if (!parent) break;
    if (parent.mode !== '040000') throw invalid('File', 'path', 'invalid', `${parent.path} is not a folder`);
  }
  const before = await findEntry(reader, tip, path);
  if (before && !isFile(before) && before.mode !== '120000')
    throw invalid('File', 'path', 'invalid', `${path} is ${before.mode === '040000' ? 'a folder' : 'a submodule'}`);
  return { path, branch, tip, before };
}

/** The commit of a branch; undefined where the repository has no branch yet, so that this one will be its first. */
async function tipOf(gitRepository: GitRepository, branch: string): Promise<Oid | undefined> {
  const ref = await findRef(gitRepository, checkRef(branchRef(branch)));
  if (ref) return ref.oid;
  if (await isEmpty(gitRepository)) return undefined;
  throw new Refusal('not_found', `Branch ${branch} not found`);
}

function checkUnchanged(path: string, before: Entry | undefined, sha: string): void {
  if (before?.oid !== sha.toLowerCase()) throw conflict(`${path} does not match ${sha}`);
}

type CommitOptions = {
  branch: string;
  tip: Oid | undefined;
  body: Pick<FileRemoval, 'message' | 'author' | 'committer'>;
  change: TreeChange;
};

/** Commits on top of the tip and moves the branch there. If the branch has moved meanwhile, this is refused as a conflict. */
async function commitTo(
  scope: MoveScope,
  { repo, by, links }: WriteAction,
  { branch, tip, body, change }: CommitOptions,
): Promise<Oid> {
  const people = peopleOf(identityOf(by.account, links, scope.now), body);
  const { commit } = await commitChanges(repoOf(scope.git, repo.id), {
    parents: tip === undefined ? [] : [tip],
    changes: [change],
    message: signedOff(repo, body.message, people.committer),
    ...people,
  });
  await moveOrRefuse(scope, { repo, by, whenRefused: 'conflict' }, [{ ref: branchRef(branch), from: tip ?? null, to: commit }]);
  return commit;
}

/** The committer is the caller unless named, the author is the committer unless named. */
const peopleOf = (caller: Identity, { author, committer }: CommitOptions['body']) => ({
  author: personOf('author', author ?? committer, caller),
  committer: personOf('committer', committer, caller),
});
