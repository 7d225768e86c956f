import type { JobContext } from '#endpoint/job-context.ts';
import type { Scope } from '#endpoint/scope.ts';
import type { EventKind } from '#events/kinds.ts';
import { type AnyBatchSubscription, batchSubscription, type Recorded } from '#events/subscription.ts';
import { openObjects } from '#git/objects/objects.ts';
import type { Oid } from '#git/objects/oid.ts';
import { branchRef } from '#git/refs/ref-name.ts';
import type { GitRepository } from '#git/repo.ts';
import { repoOf, repositoryExists } from '#git/store.ts';
import { gather, unique } from '#lib/collections.ts';
import { asId, type Id } from '#lib/id.ts';
import type { RequiredFile } from '#resources/actions/required-workflows/index.ts';
import { createRun, loadRuns, type NewRun, readCalledFiles, runScope } from '#resources/actions/workflow-runs/index.ts';
import {
  FilesTakeLong,
  type FoundFile,
  listWaitingFor,
  listWorkflowFiles,
  type ReadingTime,
  readingTimeWhere,
  readWorkflowFiles,
} from '#resources/actions/workflows/index.ts';
import { pullRows } from '#resources/collaboration/pulls/index.ts';
import type { WebhookEvent } from '#resources/event-kinds.ts';
import type { WebhookEvents } from '#resources/platform/webhooks/index.ts';
import { loadBuiltInApps } from '#resources/repositories/apps/index.ts';
import { namedRepositories, type RepositoryWithOwner } from '#resources/repositories/repositories/index.ts';
import { emitBody } from '#vocabulary/body.ts';
import { isTriggered, type Trigger } from '#workflow-files/triggers.ts';
import { listRequiredFiles, mayStartRequired } from './required.ts';
import type { RunTrigger } from './run-trigger.ts';
import { namesOfCommits, runTriggersOf, startingNames } from './run-triggers.ts';

/** Starts the runs of workflows whose files name an event. */
export const startRuns = (webhooks: WebhookEvents): AnyBatchSubscription<JobContext> =>
  batchSubscription<EventKind, JobContext>({
    name: 'workflow-triggers.start',
    on: webhooks.kinds.filter((kind) =>
      gather(webhooks.typesOf({ kind } as Recorded), 'name').some((name) => startingNames.includes(name)),
    ),
    attempts: 25,
    async runAll(all, context) {
      const { db, scope, services } = context;
      const { git } = services;
      const repositories = await scope.load.all(namedRepositories, unique(gather(all, 'repository')));
      const waiting = await workflowsWaiting(all, webhooks, context);
      // Payloads are those of webhooks, in the words of the public API: files name their parts as `github.event`.
      const build = webhooks.builderOf(scope);
      const { actions: own, dependency_bot: bot } = await loadBuiltInApps(db, ['actions', 'dependency_bot']);
      const slow = new Set<RepositoryWithOwner>();
      for (const event of all) {
        const repository = event.repository && repositories.get(event.repository);
        if (!repository || !mayStart(event, webhooks, waiting)) continue;
        // What the token of a job does starts no further runs, which could go on for ever; but for what asks for one (the public
        // API's rule).
        if (event.actor !== undefined && event.actor === own?.bot_id && !isAsked(event)) continue;
        // Nor do the checks that runs mirror to.
        if ('app' in event.data && event.data.app === own?.id) continue;
        if (!mayStartRequired(event, repository) && !(await mayHaveFiles(context, event, repoOf(git, repository.id)))) continue;
        if (slow.has(repository)) {
          context.leaveToJob?.(event);
          continue;
        }
        const time = readingTimeWhere(context.leaveToJob !== undefined);
        try {
          for (const built of await build(event))
            if (startingNames.includes(built.type.name))
              await startFor(context, {
                event,
                built,
                repository,
                parts: webhooks.parts,
                ownApp: own?.id,
                isOfBot: event.actor !== undefined && event.actor === bot?.bot_id,
                time,
              });
        } catch (error) {
          if (!(error instanceof FilesTakeLong) || !context.leaveToJob) throw error;
          context.leaveToJob(event);
          slow.add(repository);
        }
      }
    },
  });

/** The public API's bound: a run that the end of another one starts may start others by its own, but not for ever. */
const maxDepth = 3;

/** How many runs lead to one that an event starts. */
async function depthOf({ db }: JobContext, { kind, data }: Recorded): Promise<number> {
  if (!kind.startsWith('workflow_run.') || !('run' in data)) return 0;
  const id = asId<'workflow_runs'>(Number(data.run));
  return ((await loadRuns(db, [id])).get(id)?.depth ?? 0) + 1;
}

const isAsked = ({ kind }: Recorded): boolean => kind === 'repository.dispatched';

/** Whether an event may start a run: a workflow of its repository waits for it, or its own commit may have one that does. */
function mayStart(event: Recorded, webhooks: WebhookEvents, waiting: ReadonlySet<string>): boolean {
  const names = gather(webhooks.typesOf(event), 'name');
  return names.some((name) => namesOfCommits.includes(name) || waiting.has(`${event.repository} ${name}`));
}

/** The events that workflows on default branches wait for, as `repository name`. */
async function workflowsWaiting(all: readonly Recorded[], webhooks: WebhookEvents, { db }: JobContext): Promise<Set<string>> {
  const others = all.filter((event) => !gather(webhooks.typesOf(event), 'name').every((name) => namesOfCommits.includes(name)));
  const repositories = unique(gather(others, 'repository').filter((id) => id !== undefined));
  if (repositories.length === 0) return new Set();
  const names = unique(others.flatMap((event) => gather(webhooks.typesOf(event), 'name')));
  const workflows = await listWaitingFor(db, repositories, names);
  return new Set(
    workflows.flatMap(({ repository_id, events }) => Object.keys(events ?? {}).map((name) => `${repository_id} ${name}`)),
  );
}

/** The events whose runs get the secrets of the dependency bot if it caused them (the public API's list). */
const eventsOfBot: readonly string[] = [
  'pull_request',
  'pull_request_review',
  'pull_request_review_comment',
  'push',
  'create',
  'deployment',
  'deployment_status',
];

type Started = {
  readonly event: Recorded;
  readonly built: WebhookEvent;
  readonly repository: RepositoryWithOwner;
  readonly parts: WebhookEvents['parts'];
  readonly ownApp: Id<'apps'> | undefined;
  /** Whether the dependency bot caused the event. */
  readonly isOfBot: boolean;
  readonly time: ReadingTime;
};

async function startFor(job: JobContext, started: Started): Promise<void> {
  const { event, built, repository, parts, ownApp, isOfBot, time } = started;
  const { scope, services } = job;
  const gitRepository = repoOf(services.git, repository.id);
  if (!(await repositoryExists(gitRepository))) return;
  const depth = await depthOf(job, event);
  if (depth > maxDepth) return;
  const payload = emitBody('github', built.body, parts) as object;
  const { change } = runScope(scope);
  const failures: unknown[] = [];
  const onBehalfOf = event.kind === 'repository.dispatched' ? event.data.onBehalfOf : undefined;
  for (const runTrigger of await runTriggersOf({ gitRepository, repository, event, built, job, ownApp })) {
    const { trigger, title, head, ref, sha, pullRequest, isFromFork = false } = runTrigger;
    const secretSource = isOfBot && eventsOfBot.includes(trigger.event) ? ('dependency_bot' as const) : undefined;
    const about = {
      secretSource,
      repository,
      event: trigger.event,
      eventId: event.id,
      payload,
      actor: event.actor,
      onBehalfOf,
      depth,
    };
    // Files of this repository that can't be listed keep no required one from running.
    const required = mayStartRequired(event, repository) ? await listRequiredFiles(job, repository, runTrigger, time) : [];
    for await (const { file, source, caller } of filesOf(runTrigger, required, { gitRepository, repository, time })) {
      time.check();
      const called = await readCalledFiles(scope, { repository, ...caller }, file);
      try {
        await change((scope) =>
          createRun(scope, { ...about, ...file, called, source, title, head, ref, sha, pullRequest, isFromFork }),
        );
      } catch (error) {
        // The other files go on; the event comes again for this one.
        failures.push(error);
      }
    }
  }
  if (failures.length > 0) throw failures[0];
}

/** A file whose run is to be made, and where it comes from. */
type StartedFile = {
  readonly file: FoundFile;
  readonly source: NewRun['source'];
  readonly caller: Omit<Parameters<typeof readCalledFiles>[1], 'repository'>;
};

/** The files that an event starts: those that rules require, and then those of the repository itself. */
async function* filesOf(
  runTrigger: RunTrigger,
  required: readonly RequiredFile[],
  { gitRepository, repository, time }: { gitRepository: GitRepository; repository: RepositoryWithOwner; time: ReadingTime },
): AsyncGenerator<StartedFile> {
  const { base } = runTrigger;
  if (base !== undefined)
    for (const { repository, path, ref, sha, found } of required)
      yield {
        file: found,
        source: { ref, sha, required: { repository: repository.id, path, base } },
        caller: { source: { repository, path }, ref, commit: sha },
      };
  if (runTrigger.isSkipped) return;
  const { files: source } = runTrigger;
  for (const file of await triggeredFiles(gitRepository, runTrigger, { owner: repository.owner_id, time }))
    yield { file, source, caller: { ref: source.ref, commit: source.sha } };
}

/**
 * Whether a commit that an event is about may have workflow files. Most have none, and then no payload is made, which takes
 * statements, and reads all commits of a push.
 */
async function mayHaveFiles({ scope }: JobContext, event: Recorded, gitRepository: GitRepository): Promise<boolean> {
  if (!(await repositoryExists(gitRepository))) return false;
  const revisions = await revisionsOf(scope, event, gitRepository);
  if (!revisions) return true;
  for (const revision of unique(revisions)) if ((await listWorkflowFiles(gitRepository, revision)).length > 0) return true;
  return false;
}

/** The commits that may have the files that an event runs; undefined where the default branch has them. */
async function revisionsOf(
  { load }: Scope,
  event: Recorded,
  gitRepository: GitRepository,
): Promise<(Oid | null | undefined)[] | undefined> {
  if (event.kind === 'push') return gather(event.data.moves, 'after');
  if (event.kind === 'create') return [await headOf(gitRepository, event.data.ref)];
  const issue = 'issue' in event.data ? event.data.issue : undefined;
  // The head of one that is opened again may have moved, and its row not yet.
  if (!event.kind.startsWith('pull_request') || event.kind === 'pull_request.reopened' || issue === undefined) return undefined;
  const pull = await load(pullRows, issue);
  // A merge of the two has files of one of them.
  return pull ? [pull.head_sha, pull.merge_commit_sha, await headOf(gitRepository, branchRef(pull.base_ref))] : [];
}

/** The commit where a ref is now: what a creation starts is decided by its files. */
async function headOf(gitRepository: GitRepository, ref: string): Promise<Oid | undefined> {
  await using reader = await openObjects(gitRepository);
  return (await reader.findInfo(ref, { peel: 'commit' }))?.oid;
}

/**
 * The workflow files that an occasion starts. Of those that can't be read, nobody knows what starts them: a push makes a failed
 * run.
 */
async function triggeredFiles(
  gitRepository: GitRepository,
  { files, trigger }: RunTrigger,
  reading: { owner: Id<'accounts'>; time: ReadingTime },
) {
  const found = await listWorkflowFiles(gitRepository, files.sha);
  const parsed = await readWorkflowFiles(found, reading);
  let changed: ReturnType<NonNullable<Trigger['changedPaths']>> | undefined;
  const { changedPaths } = trigger;
  // Git compares the commits once for all files.
  const about = changedPaths ? { ...trigger, changedPaths: () => (changed ??= changedPaths()) } : trigger;
  const wanted: typeof found = [];
  for (const [at, file] of found.entries()) {
    reading.time.check();
    const read = parsed[at];
    if (read && ('file' in read ? await isTriggered(read.file.events, about) : trigger.event === 'push')) wanted.push(file);
  }
  return wanted;
}
