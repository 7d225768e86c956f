import type { RuleEvaluator, RuleEvaluators } from '#resources/code/ref-rules/index.ts';
import { listActiveDeploymentEnvironments } from './store.ts';

/**
 * The head of the pull request that is merged, or the commit that is pushed, must be deployed with success into all of some
 * environments.
 */
const requiredDeployments: RuleEvaluator<'required_deployments'> = {
  kinds: ['update'],
  needs: 'names',
  async violation({ db, repo, merge }, { parameters }, move) {
    const commit = merge?.head_sha ?? move.after;
    const required = parameters.required_deployment_environments;
    if (required.length === 0 || commit === null) return undefined;
    const deployed = new Set(await listActiveDeploymentEnvironments(db, repo.id, commit));
    const missing = required.filter((environment) => !deployed.has(environment.toLowerCase()));
    return missing.length === 0 ? undefined : `The commit must be deployed with success to ${missing.join(', ')} first.`;
  },
};

/** The rules that deployments decide. */
export const deploymentEvaluators = { required_deployments: requiredDeployments } as const satisfies Partial<RuleEvaluators>;
