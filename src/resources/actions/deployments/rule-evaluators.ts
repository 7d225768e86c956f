import { checkedCommit, type RuleEvaluator, type RuleEvaluators } from '#resources/code/ref-rules/index.ts';
import { listActiveDeploymentEnvironments } from './store.ts';

/**
 * The head of the merged pull request, or the pushed commit, must have been deployed successfully to all of the given
 * environments.
 */
const requiredDeployments: RuleEvaluator<'required_deployments'> = {
  kinds: ['update'],
  needs: 'names',
  async violation(check, { parameters }, move) {
    const { db, repo } = check;
    const commit = checkedCommit(check, move);
    const required = parameters.required_deployment_environments;
    if (required.length === 0 || commit === null) return undefined;
    const deployed = new Set(await listActiveDeploymentEnvironments(db, repo.id, commit));
    const missing = required.filter((environment) => !deployed.has(environment.toLowerCase()));
    if (missing.length === 0) return undefined;
    return { message: `The commit must be deployed with success to ${missing.join(', ')} first.`, isPending: true };
  },
};

/** The rule types that depend on deployments. */
export const deploymentEvaluators = { required_deployments: requiredDeployments } as const satisfies Partial<RuleEvaluators>;
