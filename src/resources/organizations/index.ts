export { presentFullOrganizations, presentOrganizationOf } from './present.ts';
export { createOrganization } from './rules.ts';
export { OrganizationFull } from './schemas.ts';
export { getSettings, lockOrganization, type Settings, updateSettings } from './store.ts';
