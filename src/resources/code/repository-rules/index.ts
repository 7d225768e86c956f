export { explainRepositoryRules } from './explain.ts';
export { evaluateOrganizationDeletion } from './organization-deletion.ts';
