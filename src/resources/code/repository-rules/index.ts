export { evaluateOrganizationDeletion } from './organization-deletion.ts';
