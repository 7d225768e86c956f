// Starting a workflow manually.
import type { RepositoryAction } from '#access/action.ts';
import { everybody } from '#access/viewer.ts';
import { type Scope, scopeFor, type WriteScope } from '#endpoint/scope.ts';
import { record } from '#events/record.ts';
import { inRepository } from '#events/scope.ts';
import { findRef } from '#git/refs/refs.ts';
import type { GitStore } from '#git/repo.ts';
import { repoOf } from '#git/store.ts';
import type { Id } from '#lib/id.ts';
import { conflict, unprocessable } from '#lib/refusal.ts';
import { type FoundFile, findWorkflowFile, readWorkflowFile, type WorkflowRow } from '#resources/actions/workflows/index.ts';
import { presentUser } from '#resources/identity/accounts/index.ts';
import { presentRepositories, type RepositoryWithOwner } from '#resources/repositories/repositories/index.ts';
import { emitBody } from '#vocabulary/body.ts';
import type { WorkflowFile } from '#workflow-files/file.ts';
import { dispatchInputs, InputProblem, isDispatched } from '#workflow-files/inputs.ts';
import { findAskerBehind } from '../approval/behind-job.ts';
import { readCalledFiles } from '../planning/called-files.ts';
import { DispatchPayload, type NewDispatch } from '../schemas.ts';
import type { RunRow } from '../store.ts';
import { createRun, type NewRun } from './create.ts';
import { type HeadCommit, headCommitOf } from './head-commit.ts';

type Action = RepositoryAction & { readonly repo: RepositoryWithOwner };

/** A dispatch that passed all checks. */
type Dispatch = Pick<NewRun, 'path' | 'content' | 'called' | 'payload' | 'title' | 'head' | 'ref' | 'sha'>;

/**
 * Checks a dispatch against the workflow file at the ref that it names.
 * @throws Refusal 422 for an unknown ref, a file that is invalid or can't be dispatched, and inputs that don't match the file
 */
export async function readDispatch(
  scope: Scope,
  { repo, by }: Action,
  workflow: WorkflowRow,
  { ref: wanted, inputs }: NewDispatch,
): Promise<Dispatch> {
  const { git, links } = scope;
  if (workflow.state !== 'active') throw unprocessable("Cannot trigger a 'workflow_dispatch' on a disabled workflow");
  const { ref, name, commit } = await findHead(git, repo, wanted);
  const found = await findWorkflowFile(repoOf(git, repo.id), commit.id, workflow.path);
  if (!found) throw unprocessable(`The workflow file ${workflow.path} is not in ${name}`);
  const file = await fileOf(found, repo.owner_id);
  const given = inputsOf(file, inputs);
  const [repository] = await presentRepositories(scopeFor(scope, everybody), [repo]);
  const payload = { inputs: given, ref, repository, sender: presentUser(links, by.account), workflow: workflow.path };
  return {
    ...found,
    called: await readCalledFiles(scope, { repository: repo, ref, commit: commit.id }, found),
    // Files refer to parts of payloads by the public API's names.
    payload: emitBody('github', payload, DispatchPayload) as object,
    title: file.name ?? workflow.path,
    head: { branch: name, commit, repository: repo.id },
    ref,
    sha: commit.id,
  };
}

/** The branch or tag of a dispatch, by its short or its full name. */
async function findHead(
  git: GitStore,
  repo: RepositoryWithOwner,
  wanted: string,
): Promise<{ ref: string; name: string; commit: HeadCommit }> {
  const gitRepository = repoOf(git, repo.id);
  const names = /^refs\/(heads|tags)\//.test(wanted) ? [wanted] : [`refs/heads/${wanted}`, `refs/tags/${wanted}`];
  for (const ref of names) {
    const found = await findRef(gitRepository, ref);
    const commit = found && (await headCommitOf(gitRepository, found.oid));
    if (commit) return { ref, name: ref.replace(/^refs\/(heads|tags)\//, ''), commit };
  }
  throw unprocessable(`No ref found for: ${wanted}`);
}

async function fileOf(found: FoundFile, owner: Id<'accounts'>): Promise<WorkflowFile> {
  const parsed = await readWorkflowFile(found, owner);
  if (!('file' in parsed)) {
    const [{ message, line } = { message: '', line: 1 }] = parsed.problems;
    throw unprocessable(`The workflow file is not valid, line ${line}: ${message}`);
  }
  if (!isDispatched(parsed.file)) throw unprocessable("Workflow does not have 'workflow_dispatch' trigger");
  return parsed.file;
}

function inputsOf(file: WorkflowFile, given: NewDispatch['inputs']): { [name: string]: string } {
  try {
    return dispatchInputs(file, given);
  } catch (error) {
    if (error instanceof InputProblem) throw unprocessable(error.message);
    throw error;
  }
}

/** Creates the run of a dispatch, and records the event. */
export async function dispatchRun(scope: WriteScope, action: Action, dispatch: Dispatch): Promise<RunRow> {
  const { tx } = scope;
  const { repo, by } = action;
  const event = 'workflow_dispatch';
  const onBehalfOf = await findAskerBehind(tx, by);
  const run = await createRun(scope, { ...dispatch, repository: repo, event, actor: by.account.id, onBehalfOf });
  if (!run) throw conflict('The workflow was disabled meanwhile');
  await record(tx, { ...inRepository(action), kind: 'workflow_dispatch.sent', data: { run: run.id } });
  return run;
}
