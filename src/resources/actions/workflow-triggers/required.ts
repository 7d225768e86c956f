// The workflows that rules require of a branch: what is to be merged into it starts them, whatever its own files and commits say.
import type { JobContext } from '#endpoint/job-context.ts';
import type { Recorded } from '#events/subscription.ts';
import { fixedValue } from '#lib/limits.ts';
import { findRequiredFile, loadSources, type RequiredFile, sourceOf } from '#resources/actions/required-workflows/index.ts';
import { loadShared } from '#resources/actions/workflow-runs/index.ts';
import { type ReadingTime, readWorkflowFile, workflowLimits } from '#resources/actions/workflows/index.ts';
import { listRequiredWorkflows } from '#resources/code/ref-rules/index.ts';
import type { RepositoryWithOwner } from '#resources/repositories/repositories/index.ts';
import type { WorkflowFile } from '#workflow-files/file.ts';
import type { RunTrigger } from './run-trigger.ts';

const maxFiles = fixedValue(workflowLimits.files);

/** The events that start required workflows, whatever `types` in their files say (the public API's rule). */
const startingKinds: readonly Recorded['kind'][] = [
  'pull_request.opened',
  'pull_request.reopened',
  'pull_request.synchronize',
  'merge_group.checks_requested',
];

/**
 * Whether an event may start required workflows. A pull request with another base is as good as a new one: other rules may apply
 * to it.
 */
export function mayStartRequired(event: Recorded, { has_workflow_rules, owner }: RepositoryWithOwner): boolean {
  if (!has_workflow_rules && owner.has_workflow_rules === false) return false;
  return startingKinds.includes(event.kind) || (event.kind === 'pull_request.edited' && event.data.changes.base !== undefined);
}

/** The files of required workflows that an event starts. One that can't be read makes a failed run, which tells why. */
export async function listRequiredFiles(
  { db, services: { git } }: JobContext,
  repository: RepositoryWithOwner,
  { base, trigger }: Pick<RunTrigger, 'base' | 'trigger'>,
  time: ReadingTime,
): Promise<RequiredFile[]> {
  if (base === undefined) return [];
  const required = await listRequiredWorkflows(db, repository, base);
  if (required.length === 0) return [];
  const repositories = await loadSources(db, required);
  const shared = await loadShared(db, repository, [...repositories.values()]);
  const files = new Map<string, RequiredFile>();
  for (const one of required) {
    time.check();
    const source = sourceOf(repositories, one, repository);
    const file = source && shared.has(source.id) ? await findRequiredFile(git, source, one) : undefined;
    if (!file || files.has(file.found.path) || files.size >= maxFiles) continue;
    const parsed = await readWorkflowFile(file.found, repository.owner_id);
    if (startsFor(trigger.event, 'file' in parsed ? parsed.file : undefined)) files.set(file.found.path, file);
  }
  return [...files.values()];
}

/** A file with both events of pull requests runs for `pull_request` alone, so that one run decides. */
function startsFor(event: string, file: WorkflowFile | undefined): boolean {
  if (!file) return event !== 'pull_request_target';
  const isNamed = (name: string): boolean => Object.hasOwn(file.events, name);
  return event === 'pull_request_target' ? isNamed(event) && !isNamed('pull_request') : isNamed(event);
}
