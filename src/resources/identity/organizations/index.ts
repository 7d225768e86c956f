export { presentFullOrganizations, presentOrganizationOf } from './present.ts';
export { changeTokenDemands, createOrganization, type TokenDemandsChange } from './rules.ts';
export { OrganizationFull } from './schemas.ts';
export { findPushProtectionLink, getSettings, type Settings, updateSettings } from './store.ts';
