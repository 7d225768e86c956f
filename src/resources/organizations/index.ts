export { presentFullOrganizations, presentOrganizationOf } from './present.ts';
export { createOrganization } from './rules.ts';
export { OrganizationFull } from './schemas.ts';
export { getSettings, type Settings, updateSettings } from './store.ts';
