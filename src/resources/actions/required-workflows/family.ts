import { family } from '#resources/family.ts';
import { workflowEvaluators } from './rule-evaluators.ts';

/** Workflows that rules require: files of one repository that run for the pull requests of others. */
export const requiredWorkflows = family({ name: 'required-workflows', evaluators: workflowEvaluators });
