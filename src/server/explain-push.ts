import type { CheckResult } from '#access/authorize.ts';
import type { Viewer } from '#access/viewer.ts';
import { workflowFileAccess } from '#access/workflow-files.ts';
import type { Db } from '#database/connect.ts';
import { scopeWithoutRequest } from '#endpoint/change-in.ts';
import type { Services } from '#endpoint/services.ts';
import { branchRef } from '#git/refs/ref-name.ts';
import { findRef } from '#git/refs/refs.ts';
import { findRevision } from '#git/refs/resolve.ts';
import { repoOf } from '#git/store.ts';
import { notFound, Refusal } from '#lib/refusal.ts';
import { refuseWorkflowFiles } from '#resources/code/pushes/index.ts';
import { explainMove } from '#resources/code/ref-rules/index.ts';
import { type Asker, describeViewer, type Explanation, viewerOf } from './explain.ts';
import { openRepository } from './git-access.ts';
import { statusOf } from './refusals.ts';

/** A step has an undefined outcome if it depends on unknown commits. */
export type PushExplanation = Omit<Explanation, 'endpoint' | 'steps'> & {
  steps: (Omit<CheckResult, 'passed'> & { passed: boolean | undefined })[];
};

type ExplainPush = Asker & {
  db: Db;
  services: Pick<Services, 'git' | 'refRules' | 'url' | 'ssh'>;
  owner: string;
  name: string;
  /** A branch, by its short name, or a full ref name. */
  ref: string;
  /** The new target: a branch, tag or commit of the repository; null deletes the ref. Rules about commits need it. */
  to: string | null | undefined;
  now: Date;
};

/**
 * Decides about a push of one ref as the server would, and lists the results of access checks and of each rule. Nothing moves.
 */
export async function explainPush(given: ExplainPush): Promise<PushExplanation> {
  const { db, services, owner, name, to, now } = given;
  const steps: PushExplanation['steps'] = [];
  const checks: CheckResult[] = [];
  let viewer: Viewer | undefined;
  try {
    viewer = await viewerOf(given, { db, now });
    const { repo } = await openRepository({ db, viewer, owner, name, service: 'git-receive-pack', trace: checks });
    steps.push({
      check: 'access',
      passed: true,
      because: `${viewer.account?.login} may push to ${repo.owner.login}/${repo.name}`,
    });
    const gitRepository = repoOf(services.git, repo.id);
    const ref = given.ref.startsWith('refs/') ? given.ref : branchRef(given.ref);
    const before = (await findRef(gitRepository, ref))?.oid ?? null;
    const target = typeof to === 'string' ? await findRevision(gitRepository, to, { peel: 'commit' }) : undefined;
    if (typeof to === 'string' && !target) throw notFound();
    // Without a target, rules that don't need one are evaluated for a move to the default branch's commit.
    const after =
      to === null ? null : (target?.oid ?? before ?? (await findRef(gitRepository, branchRef(repo.default_branch)))?.oid ?? null);
    const move = { ref, before, after };
    const hasObjects = to === null || target !== undefined;
    const access = workflowFileAccess(viewer.grant, repo);
    const [workflow] = hasObjects ? (await refuseWorkflowFiles(gitRepository, access, [move])).values() : [];
    if (workflow !== undefined) steps.push({ check: 'workflow files', passed: false, because: workflow });
    const rules = await explainMove(
      scopeWithoutRequest({ db, services, now, viewer }),
      gitRepository,
      { repo, actor: { account: viewer.account?.id }, moves: [move] },
      { hasObjects },
    );
    steps.push(...rules.map(({ rule, passed, because }) => ({ check: rule, passed, because })));
    const message = workflow ?? (rules.some(({ passed }) => passed === false) ? 'rules refuse it' : undefined);
    return { viewer: describeViewer(viewer), steps, allowed: message === undefined, ...(message !== undefined && { message }) };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const who = viewer ? describeViewer(viewer) : { login: undefined, credential: 'none' };
    return {
      viewer: who,
      steps: steps.length > 0 ? steps : checks,
      allowed: false,
      status: statusOf(error),
      message: error.message,
    };
  }
}
