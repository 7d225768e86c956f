// Custom properties of an organization's repositories: definitions and values (the public API's).
import { Type } from 'typebox';
import { readsMetadata } from '#access/policies.ts';
import type { Policy } from '#access/policy.ts';
import { mapRows } from '#database/list.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { pages } from '#endpoint/paging.ts';
import { firstOrNotFound } from '#lib/refusal.ts';
import { Nothing, withDefault } from '#lib/shape.ts';
import { customProperty } from './path-resources.ts';
import { presentProperty, presentRepositoryValues, presentValue } from './present.ts';
import { queryCondition } from './repository-query.ts';
import { defineProperties, deleteProperty } from './rules.ts';
import {
  CustomProperty,
  OrganizationPropertyValues,
  PropertyDefinition,
  PropertyDefinitions,
  PropertyValue,
  PropertyValues,
  RepositoryProperties,
} from './schemas.ts';
import { listProperties, listRepositories, listValues } from './store.ts';
import { setOrganizationValues, setRepositoryValues } from './value-rules.ts';

const reads = {
  permission: 'organization_custom_properties:read',
  scopes: ['read:org'],
  role: 'member',
} as const satisfies Policy;
const ofOwners = { scopes: ['admin:org'], role: 'owner' } as const;
const defines = { ...ofOwners, permission: 'organization_custom_properties:admin' } as const satisfies Policy;
const setsValues = { ...ofOwners, permission: 'organization_custom_properties:write' } as const satisfies Policy;

const definition = {
  value_type: 'single_select',
  required: true,
  default_value: 'production',
  description: 'Where it runs',
  allowed_values: ['production', 'development'],
} as const;

export const listCustomProperties = endpoint({
  id: 'orgs/custom-properties-for-repos-get-organization-definitions',
  method: 'GET',
  path: '/orgs/{org}/properties/schema',
  summary: 'Get all custom properties for an organization',
  access: reads,
  replies: { 200: Type.Array(CustomProperty) },
  async handle({ db, at, links }) {
    return (await listProperties(db, at.org.id)).map((row) => presentProperty(links, at.org, row));
  },
});

export const defineCustomProperties = endpoint({
  id: 'orgs/custom-properties-for-repos-create-or-update-organization-definitions',
  method: 'PATCH',
  path: '/orgs/{org}/properties/schema',
  summary: 'Create or update custom properties for an organization',
  access: defines,
  body: PropertyDefinitions,
  example: { properties: [{ property_name: 'environment', ...definition, allowed_values: [...definition.allowed_values] }] },
  replies: { 200: Type.Array(CustomProperty) },
  async handle({ change, at, body, action, links }) {
    const rows = await change((scope) => defineProperties(scope, action, body.properties));
    return rows.map((row) => presentProperty(links, at.org, row));
  },
});

export const getCustomProperty = endpoint({
  id: 'orgs/custom-properties-for-repos-get-organization-definition',
  method: 'GET',
  path: '/orgs/{org}/properties/schema/{custom_property_name}',
  resources: [customProperty],
  summary: 'Get a custom property for an organization',
  access: reads,
  replies: { 200: CustomProperty },
  async handle({ at, links }) {
    return presentProperty(links, at.org, at.customProperty);
  },
});

export const defineCustomProperty = endpoint({
  id: 'orgs/custom-properties-for-repos-create-or-update-organization-definition',
  method: 'PUT',
  path: '/orgs/{org}/properties/schema/{custom_property_name}',
  summary: 'Create or update a custom property for an organization',
  access: defines,
  body: PropertyDefinition,
  example: { ...definition, allowed_values: [...definition.allowed_values] },
  replies: { 200: CustomProperty },
  async handle({ change, at, body, action, links }) {
    const wanted = { property_name: at.custom_property_name, ...body };
    const rows = await change((scope) => defineProperties(scope, action, [wanted], () => ''));
    return presentProperty(links, at.org, firstOrNotFound(rows));
  },
});

export const deleteCustomProperty = endpoint({
  id: 'orgs/custom-properties-for-repos-delete-organization-definition',
  method: 'DELETE',
  path: '/orgs/{org}/properties/schema/{custom_property_name}',
  resources: [customProperty],
  summary: 'Remove a custom property for an organization',
  access: defines,
  replies: { 204: Nothing },
  async handle({ change, action }) {
    await change((scope, { customProperty }) => deleteProperty(scope, action, customProperty));
  },
});

export const listOrganizationValues = endpoint({
  id: 'orgs/custom-properties-for-repos-get-organization-values',
  method: 'GET',
  path: '/orgs/{org}/properties/values',
  summary: 'List custom property values for organization repositories',
  access: reads,
  query: Type.Object({ repository_query: withDefault(Type.String({ maxLength: 256 }), '') }),
  paging: pages(),
  replies: { 200: Type.Array(RepositoryProperties) },
  async handle({ db, at, query, page, viewer }) {
    const condition = queryCondition(query.repository_query);
    const found = await listRepositories(db, viewer, { organization: at.org.id, condition, page });
    return mapRows(found, async (rows) => {
      const values = await listValues(
        db,
        rows.map(({ id }) => id),
      );
      return presentRepositoryValues(at.org, rows, values);
    });
  },
});

export const setOrganizationPropertyValues = endpoint({
  id: 'orgs/custom-properties-for-repos-create-or-update-organization-values',
  method: 'PATCH',
  path: '/orgs/{org}/properties/values',
  summary: 'Create or update custom property values for organization repositories',
  access: setsValues,
  body: OrganizationPropertyValues,
  example: { repository_names: ['engine'], properties: [{ property_name: 'environment', value: 'production' }] },
  replies: { 204: Nothing },
  async handle({ change, body, action }) {
    await change((scope) => setOrganizationValues(scope, action, body));
  },
});

export const getRepositoryValues = endpoint({
  id: 'repos/custom-properties-for-repos-get-repository-values',
  method: 'GET',
  path: '/repos/{owner}/{repo}/properties/values',
  summary: 'Get all custom property values for a repository',
  access: readsMetadata,
  replies: { 200: Type.Array(PropertyValue) },
  async handle({ db, at }) {
    return (await listValues(db, [at.repo.id])).map(presentValue);
  },
});

export const setRepositoryPropertyValues = endpoint({
  id: 'repos/custom-properties-for-repos-create-or-update-repository-values',
  method: 'PATCH',
  path: '/repos/{owner}/{repo}/properties/values',
  summary: 'Create or update custom property values for a repository',
  access: { permission: 'repository_custom_properties:write', scopes: ['repo'], role: 'admin' },
  body: PropertyValues,
  example: { properties: [{ property_name: 'environment', value: 'production' }] },
  replies: { 204: Nothing },
  async handle({ change, body, action }) {
    await change((scope) => setRepositoryValues(scope, action, body.properties));
  },
});
