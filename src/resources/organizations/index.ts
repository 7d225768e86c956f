export { createOrganization } from './rules.ts';
export { getSettings } from './store.ts';
