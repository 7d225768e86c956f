// The subjects of jobs' identity tokens, and the custom properties that these tokens include.
import { Type } from 'typebox';
import { endpoint } from '#endpoint/endpoint.ts';
import { Nothing } from '#lib/shape.ts';
import { includedProperty } from './path-resources.ts';
import { presentIncluded, presentOrganizationSubject, presentRepositorySubject } from './present.ts';
import { changeOrganizationSubject, changeRepositorySubject, excludeProperty, includeProperty } from './rules.ts';
import {
  IncludedProperty,
  NewIncludedProperty,
  NothingSaid,
  OrganizationSubject,
  OrganizationSubjectChange,
  RepositorySubject,
  RepositorySubjectChange,
} from './schemas.ts';
import { findOrganizationTemplate, listIncluded } from './store.ts';
import { subjectTemplateOf } from './templates.ts';

const reads = { permission: 'organization_administration:read', scopes: ['read:org'], role: 'owner' } as const;
const changes = { permission: 'organization_administration:write', role: 'owner' } as const;

export const listIncludedProperties = endpoint({
  id: 'oidc/list-oidc-custom-property-inclusions-for-org',
  method: 'GET',
  path: '/orgs/{org}/actions/oidc/customization/properties/repo',
  summary: 'List OIDC custom property inclusions for an organization',
  access: reads,
  replies: { 200: Type.Array(IncludedProperty) },
  async handle({ db, at }) {
    return (await listIncluded(db, at.org.id)).map(presentIncluded);
  },
});

export const includeCustomProperty = endpoint({
  id: 'oidc/create-oidc-custom-property-inclusion-for-org',
  method: 'POST',
  path: '/orgs/{org}/actions/oidc/customization/properties/repo',
  summary: 'Create an OIDC custom property inclusion for an organization',
  access: { ...changes, scopes: ['admin:org'] },
  body: NewIncludedProperty,
  example: { custom_property_name: 'environment' },
  replies: { 201: IncludedProperty },
  async handle({ change, body, action }) {
    return presentIncluded({ name: await change((scope) => includeProperty(scope, action, body.custom_property_name)) });
  },
});

export const excludeCustomProperty = endpoint({
  id: 'oidc/delete-oidc-custom-property-inclusion-for-org',
  method: 'DELETE',
  path: '/orgs/{org}/actions/oidc/customization/properties/repo/{custom_property_name}',
  resources: [includedProperty],
  summary: 'Delete an OIDC custom property inclusion for an organization',
  access: { ...changes, scopes: ['admin:org'] },
  replies: { 204: Nothing },
  async handle({ change, action }) {
    await change((scope, { includedProperty }) => excludeProperty(scope, action, includedProperty));
  },
});

export const getOrganizationSubject = endpoint({
  id: 'oidc/get-oidc-custom-sub-template-for-org',
  method: 'GET',
  path: '/orgs/{org}/actions/oidc/customization/sub',
  summary: 'Get the customization template for an OIDC subject claim for an organization',
  access: reads,
  replies: { 200: OrganizationSubject },
  async handle({ db, at }) {
    return presentOrganizationSubject(await findOrganizationTemplate(db, at.org.id));
  },
});

export const setOrganizationSubject = endpoint({
  id: 'oidc/update-oidc-custom-sub-template-for-org',
  method: 'PUT',
  path: '/orgs/{org}/actions/oidc/customization/sub',
  summary: 'Set the customization template for an OIDC subject claim for an organization',
  access: { ...changes, scopes: ['write:org'] },
  body: OrganizationSubjectChange,
  example: { include_claim_keys: ['repo', 'context', 'job_workflow_ref'] },
  replies: { 201: NothingSaid },
  async handle({ change, body, action }) {
    await change((scope) => changeOrganizationSubject(scope, action, body));
    return {};
  },
});

export const getRepositorySubject = endpoint({
  id: 'actions/get-custom-oidc-sub-claim-for-repo',
  method: 'GET',
  path: '/repos/{owner}/{repo}/actions/oidc/customization/sub',
  summary: 'Get the customization template for an OIDC subject claim for a repository',
  access: { permission: 'actions:read', scopes: ['repo'], role: 'read' },
  replies: { 200: RepositorySubject },
  async handle({ db, at }) {
    return presentRepositorySubject(at.repo, await subjectTemplateOf(db, at.repo));
  },
});

export const setRepositorySubject = endpoint({
  id: 'actions/set-custom-oidc-sub-claim-for-repo',
  method: 'PUT',
  path: '/repos/{owner}/{repo}/actions/oidc/customization/sub',
  summary: 'Set the customization template for an OIDC subject claim for a repository',
  // Only administrators may set it, since otherwise a user with push access could give a job the subject of another.
  access: { permission: 'actions:write', scopes: ['repo'], role: 'admin' },
  body: RepositorySubjectChange,
  example: { use_default: false, include_claim_keys: ['repo', 'context'] },
  replies: { 201: NothingSaid },
  async handle({ change, body, action }) {
    await change((scope) => changeRepositorySubject(scope, action, body));
    return {};
  },
});
