// The workflow files that a run calls. They are read when the run is created, and stored with it.

import type { Db } from '#database/connect.ts';
import type { Scope } from '#endpoint/scope.ts';
import type { Oid } from '#git/objects/oid.ts';
import { refNameProblem } from '#git/refs/ref-name.ts';
import type { GitRepository } from '#git/repo.ts';
import { repoOf, repositoryExists } from '#git/store.ts';
import { fixedValue } from '#lib/limits.ts';
import { type FoundFile, findWorkflowFile, readWorkflowFile, requireWorkflowFiles } from '#resources/actions/workflows/index.ts';
import { loadNamed } from '#resources/repositories/repositories/index.ts';
import { isCall, problemsOfCall, type Workflow } from '#workflow-files/calls.ts';
import { isWorkflowPath, lineOf, type WorkflowFile, type WorkflowProblem } from '#workflow-files/file.ts';
import { countParts } from '#workflow-files/token.ts';
import { namedUse, nameOfCalled } from '#workflow-files/uses.ts';
import { runLimits } from '../limits.ts';
import { headCommitOf } from '../runs/head-commit.ts';
import { listRunFiles, type RunFileRow, type RunRow } from '../store.ts';
import { isShared, type SharingRepository } from '../tasks/shared-repositories.ts';

/** A called workflow file, and the line of the run's own file that leads to it. */
type CalledFile = Omit<RunFileRow, 'run_id'> & { readonly file: WorkflowFile; readonly line: number };

/** The files that a run's file calls, directly or indirectly, and the problems found. */
export type CalledFiles = { readonly files: readonly CalledFile[]; readonly problems: readonly WorkflowProblem[] };

/** The properties of a new run that decide how the names in its files are resolved. */
type Caller = {
  readonly repository: CallingRepository;
  /** The repository of the workflow file, and its path there, if it is another repository. */
  readonly source?: { readonly repository: CallingRepository; readonly path: string };
  readonly ref: string;
  /** The commit that the workflow file was found in. */
  readonly commit: Oid;
};

type CallingRepository = SharingRepository & { readonly name: string; readonly owner: { readonly login: string } };

const maxDepth = fixedValue(runLimits.callDepth);
const maxFiles = fixedValue(runLimits.calls);
const maxBytes = fixedValue(runLimits.callBytes);
const maxNodes = fixedValue(runLimits.callNodes);

/** Reads all files that a workflow file calls. Most files call nothing, which costs nothing. */
export async function readCalledFiles(scope: Scope, caller: Caller, found: FoundFile): Promise<CalledFiles> {
  const parsed = await readWorkflowFile(found, caller.repository.owner_id);
  if (!('file' in parsed) || !callsOthers(parsed.file)) return { files: [], problems: [] };
  const files = new Map<string, CalledFile>();
  const problems: WorkflowProblem[] = [];
  /** The number of levels below each file that was read completely. */
  const heights = new Map<string, number>();
  const find = finder(scope, caller);
  const ownName = `./${caller.source?.path ?? found.path}`;
  let bytes = 0;
  let nodes = 0;

  /** Follows the calls of a file. @returns the number of levels below it */
  const follow = async (file: WorkflowFile, chain: readonly string[], lineOfRun?: number): Promise<number> => {
    let height = 0;
    for (const job of file.jobs.values()) {
      if (!isCall(job)) continue;
      const uses = String(job.source.uses);
      const line = lineOfRun ?? lineOf(job.parts);
      const refuse = (message: string) => problems.push({ message: `${uses}: ${message}`, line });
      const name = nameOfCalled(chain.at(-1), uses);
      if (name === undefined || chain.includes(name) || name === ownName) {
        refuse(name === undefined ? 'This names no workflow' : 'Workflows must not call one another in a circle');
        continue;
      }
      const levelsAbove = chain.length + 2;
      const known = files.get(name) ?? (await find(name));
      if (!known) refuse('The workflow was not found, or its repository does not share it');
      else if ('problem' in known) refuse(known.problem);
      else {
        const problemsHere = problemsOfCall(job, known.file).map(({ message }) => ({ message, line }));
        problems.push(...problemsHere.slice(0, maxProblems));
        if (!files.has(name)) {
          bytes += Buffer.byteLength(known.content);
          nodes += countParts(known.file.parts);
          files.set(name, { ...known, line });
        }
        if (files.size > maxFiles) refuse(`A run must not call more than ${maxFiles} workflows`);
        else if (bytes > maxBytes || nodes > maxNodes) refuse('The workflows that the run calls are too large, taken together');
        else if (levelsAbove > maxDepth) refuse(`Workflows must not call one another over more than ${maxDepth} levels`);
        else {
          const below = heights.get(name) ?? (await follow(known.file, [...chain, name], line));
          if (heights.has(name) && levelsAbove + below > maxDepth)
            refuse(`Workflows must not call one another over more than ${maxDepth} levels`);
          heights.set(name, below);
          height = Math.max(height, below + 1);
        }
      }
      if (problems.length >= maxProblems) break;
    }
    return height;
  };
  await follow(parsed.file, []);
  return { files: [...files.values()], problems };
}

/** More problems wouldn't help the user. */
const maxProblems = 50;

const callsOthers = ({ jobs }: WorkflowFile): boolean => [...jobs.values()].some(isCall);

type Found = Omit<CalledFile, 'line'> | { readonly problem: string };

/**
 * Finds called files by their names. Each ref of a repository is resolved once, so that all of a run's files from there come from
 * the same commit.
 */
function finder(scope: Scope, caller: Caller): (name: string) => Promise<Found | undefined> {
  const { git } = scope;
  const sources = new Map<string, Promise<CommitSource | undefined>>();
  const { repository: holder } = caller.source ?? caller;
  const own: CommitSource = { ...caller, gitRepository: repoOf(git, holder.id), fullName: fullNameOf(holder) };
  return async (name) => {
    const named = namedUse(name);
    const path = named ? named.path : name.slice('./'.length);
    if (!isWorkflowPath(path)) return { problem: 'A called workflow must be a file of the folder for workflows' };
    const at = named ? `${named.owner}/${named.repo}@${named.ref}` : '';
    const finding = sources.get(at) ?? (named ? findSource(scope, caller, named) : Promise.resolve(own));
    sources.set(at, finding);
    const source = await finding;
    const found = source && (await findWorkflowFile(source.gitRepository, source.commit, path));
    if (!found) return undefined;
    const parsed = await readWorkflowFile(found, caller.repository.owner_id);
    if ('problems' in parsed) {
      const [{ message, line } = { message: 'The file is not valid', line: 1 }] = parsed.problems;
      return { problem: `Line ${line}: ${message}` };
    }
    const full = `${source.fullName}/${path}@${named ? named.ref : source.commit}`;
    return { name, path: full, ref: source.ref, sha: source.commit, content: found.content, file: parsed.file };
  };
}

/** A commit of a repository, and the ref that named it. */
type CommitSource = {
  readonly gitRepository: GitRepository;
  readonly fullName: string;
  readonly commit: Oid;
  readonly ref: string | null;
};

const fullNameOf = ({ owner, name }: Pick<CallingRepository, 'owner' | 'name'>): string => `${owner.login}/${name}`;

/** The refs that a short name may mean. A tag takes precedence over a branch with the same name (the public API's rule). */
export const refsNamed = (name: string): string[] => [`refs/tags/${name}`, `refs/heads/${name}`];

async function findSource(
  { db, git }: Scope,
  { repository: caller }: Caller,
  { owner, repo, ref }: { readonly owner: string; readonly repo: string; readonly ref: string },
): Promise<CommitSource | undefined> {
  const fullNameWanted = `${owner}/${repo}`.toLowerCase();
  const repository = (await loadNamed(db, [fullNameWanted])).get(fullNameWanted);
  if (!repository || !(await isShared(db, caller, repository))) return undefined;
  const gitRepository = repoOf(git, repository.id);
  const fullName = fullNameOf(repository);
  if (!(await repositoryExists(gitRepository))) return undefined;
  for (const full of refsNamed(ref)) {
    const commit = refNameProblem(full) ? undefined : await headCommitOf(gitRepository, full);
    if (commit) return { gitRepository, fullName, commit: commit.id, ref: full };
  }
  const commit = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(ref) ? await headCommitOf(gitRepository, ref) : undefined;
  return commit && { gitRepository, fullName, commit: commit.id, ref: null };
}

/**
 * The workflow of a run, with its called workflows; undefined if its file can't be read. Inside a transaction, the transaction
 * restarts if the files haven't been read yet; outside, `withPreparations` does that.
 */
export async function loadWorkflow(
  db: Db,
  run: Pick<RunRow, 'id' | 'owner_id' | 'path' | 'file'>,
): Promise<Workflow | undefined> {
  const [parsed] = requireWorkflowFiles([{ path: run.path, content: run.file }], run.owner_id);
  if (!parsed || !('file' in parsed)) return undefined;
  if (!callsOthers(parsed.file)) return { name: undefined, file: parsed.file, called: new Map() };
  const rows = await listRunFiles(db, run.id);
  const files = requireWorkflowFiles(rows, run.owner_id);
  const byName = new Map(rows.map(({ name }, at) => [name, files[at]]));
  const linked = new Map<string, Workflow | undefined>();
  const link = (name: string | undefined, file: WorkflowFile): Workflow => {
    const called = new Map<string, Workflow>();
    for (const job of file.jobs.values()) {
      if (!isCall(job)) continue;
      const of = nameOfCalled(name, String(job.source.uses)) ?? '';
      if (!linked.has(of)) linked.set(of, linkNamed(of));
      const workflow = linked.get(of);
      if (workflow) called.set(job.id, workflow);
    }
    return { name, file, called };
  };
  const linkNamed = (name: string): Workflow | undefined => {
    const found = byName.get(name);
    return found && 'file' in found ? link(name, found.file) : undefined;
  };
  return link(undefined, parsed.file);
}
