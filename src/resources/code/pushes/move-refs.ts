import type { WorkflowFileAccess } from '#access/workflow-files.ts';
import { GitError } from '#git/errors.ts';
import type { Oid } from '#git/objects/oid.ts';
import { findRefOids } from '#git/refs/refs.ts';
import { type RefUpdate, updateRefs } from '#git/refs/update-refs.ts';
import { repoOf } from '#git/store.ts';
import type { Inspect, PushHandlers } from '#git/transport/receive-pack.ts';
import type { PushCommand } from '#git/transport/receive-request.ts';
import { gather } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import {
  evaluateMoves,
  type MoveEvaluation,
  type MoveReason,
  pushRules,
  type RuledMove,
  recordMoveEvaluations,
} from '#resources/code/ref-rules/index.ts';
import type { RuledRepository } from '#resources/code/rulesets/index.ts';
import type { FollowUp } from '#resources/follow-ups.ts';
import { closeByRefs, closeIntent, FixedRefs, type MoveScope, type OpenIntent, openIntent } from './rules.ts';
import { refuseWorkflowFiles, WorkflowFilesRefused } from './workflow-files.ts';

/**
 * A ref to move. `from`: its required current value (null: it must not exist; undefined: any). `to`: its new value (null: delete
 * it).
 */
export type RefMoveRequest = { ref: string; from?: Oid | null; to: Oid | null };

type MoveRefsOptions = MoveReason & {
  repo: RuledRepository;
  changes: readonly RefMoveRequest[];
  actor: Id<'accounts'> | undefined;
  /** Whether the actor's credential may change workflow files. */
  workflowFiles: WorkflowFileAccess;
  /** What rules said of the moves already. Omitted: they are asked now. None: the moves are the server's own. */
  evaluated?: readonly MoveEvaluation[];
  /** What follows if the refs move, in the transaction that records that, whatever happens to this process. */
  following?: readonly FollowUp[];
};

const attempts = 3;

/**
 * Moves refs for the API, all or none, and records it as a push is recorded. Never call it inside a transaction: it commits its
 * intent before it runs Git. The caller has checked the objects and whether commits may be lost.
 * @throws FixedRefs
 * @throws WorkflowFilesRefused where a move brings workflow files that the actor's credential may not write
 * @throws RuleViolations where rules refuse one of the moves
 *
 * ```ts
 * const moved = await moveRefs(scope, { repo, changes: [{ ref, from: tip, to: commit }], actor, workflowFiles });
 * if (!moved.updated) throw conflict(`${moved.ref} has moved meanwhile`);
 * ```
 */
export async function moveRefs(scope: MoveScope, options: MoveRefsOptions): Promise<RefUpdate> {
  for (let attempt = 1; ; attempt++) {
    const result = await moveOnce(scope, options);
    const requested = result.updated ? undefined : options.changes.find(({ ref }) => ref === result.ref);
    const isRetry = requested?.from === undefined && !result.updated && result.reason === 'moved' && attempt < attempts;
    if (!isRetry) return result;
  }
}

/** Like `moveRefs`, but throws a `GitError` of kind `conflict` if the refs don't have the required values. */
export async function mustMoveRefs(scope: MoveScope, options: MoveRefsOptions): Promise<void> {
  const result = await moveRefs(scope, options);
  if (!result.updated) throw new GitError('conflict', `The ref could not be updated (${result.reason})`, result.ref);
}

async function moveOnce(scope: MoveScope, options: MoveRefsOptions): Promise<RefUpdate> {
  const { repo, changes, actor, workflowFiles, following = [], evaluated, ...moveReason } = options;
  const gitRepository = repoOf(scope.git, repo.id);
  const unconditional = changes.filter(({ from }) => from === undefined).map(({ ref }) => ref);
  const current = unconditional.length === 0 ? new Map<string, Oid>() : await findRefOids(gitRepository, unconditional);
  const commands = changes.map(
    ({ ref, from, to }): PushCommand => ({
      ref,
      to,
      from: from === undefined ? (current.get(ref) ?? null) : from,
    }),
  );
  const missing = commands.find(({ from, to }) => from === null && to === null);
  if (missing) return { updated: false, ref: missing.ref, reason: 'absent' };
  const moves = movesIn(commands);
  const [refusal] = evaluated ? [] : (await refuseWorkflowFiles(gitRepository, workflowFiles, moves)).values();
  if (refusal !== undefined) throw new WorkflowFilesRefused(refusal);
  const moveEvaluations = evaluated ?? (await evaluateMoves(scope, { repo, actor: { account: actor }, moves, ...moveReason }));
  const intent = await openIntent(scope, { repository: repo.id, actor, commands, following });
  const result = await updateRefs(gitRepository, commands).catch(async (error: unknown) => {
    await closeByRefs(scope, intent);
    throw error;
  });
  await closeIntent(scope, intent, {
    done: result.updated ? commands : [],
    extraWrites: async (scope) => {
      if (result.updated) await recordMoveEvaluations(scope, { repo, actor, moveEvaluations });
    },
  });
  return result;
}

const movesIn = (commands: readonly PushCommand[]): RuledMove[] =>
  commands.map(({ ref, from, to }) => ({ ref, before: from, after: to }));

/** What Git tells of a ref that can't be moved. */
const fixedReason = 'the tag is or was that of an immutable release';

type PushOptions = {
  /** Opens a scope for a stage of the push. */
  scopeNow: () => MoveScope;
  repo: RuledRepository;
  actor: Id<'accounts'> | undefined;
  isDeployKey?: boolean;
  /** Whether the pusher's credential may change workflow files. */
  workflowFiles: WorkflowFileAccess;
};

/** Adds the check of workflow files to what inspects a push, where the pusher's credential may not change them. */
function inspectWorkflowFiles(access: WorkflowFileAccess, inspect: Inspect | undefined): Inspect | undefined {
  if (access.allowed) return inspect;
  return async (commands, pushed) => {
    const refused = await refuseWorkflowFiles(pushed, access, movesIn(commands));
    const rest = commands.filter(({ ref }) => !refused.has(ref));
    const verdict = rest.length === 0 ? {} : await inspect?.(rest, pushed);
    return { ...verdict, refused: new Map([...refused, ...(verdict?.refused ?? [])]) };
  };
}

/** The handlers for the stages of a push over Git's own transport. */
export function pushHandlers({
  scopeNow,
  repo,
  actor,
  isDeployKey = false,
  workflowFiles,
}: PushOptions): PushHandlers & { haveRulesChanged(): Promise<boolean> } {
  let intent: OpenIntent | undefined;
  const rules = pushRules({ scopeNow, repo, actor: { account: actor, isDeployKey } });
  return {
    haveRulesChanged: () => rules.haveChanged(),
    async before(commands) {
      const open = (wanted: readonly PushCommand[]) =>
        openIntent(scopeNow(), { repository: repo.id, actor, commands: wanted, following: [] });
      const { refused: byRules = new Map(), inspect: inspectRules, ...messages } = await rules.before(movesIn(commands));
      const isWriting = commands.some(({ to }) => to !== null);
      const inspect = isWriting ? inspectWorkflowFiles(workflowFiles, inspectRules) : inspectRules;
      const verdict = { ...messages, ...(inspect && { inspect }) };
      const refused = new Map(byRules);
      const ruled = commands.filter(({ ref }) => !refused.has(ref));
      if (ruled.length === 0) return { ...verdict, refused };
      try {
        intent = await open(ruled);
      } catch (error) {
        if (!(error instanceof FixedRefs)) throw error;
        for (const ref of error.refs) refused.set(ref, fixedReason);
        const rest = ruled.filter(({ ref }) => !refused.has(ref));
        if (rest.length > 0) intent = await open(rest);
      }
      return { ...verdict, refused };
    },
    async after(results) {
      if (!intent) return;
      const done = results.filter(({ ok }) => ok);
      await closeIntent(scopeNow(), intent, { done, extraWrites: (scope) => rules.record(scope, gather(done, 'ref')) });
    },
    async failed() {
      if (intent) await closeByRefs(scopeNow(), intent);
    },
  };
}
