// Custom patterns of organizations and repositories, and the settings of which patterns block pushes.
import { Type } from 'typebox';
import { mapRows } from '#database/list.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { pagesAndCursors } from '#endpoint/paging.ts';
import { endpointVariants } from '#endpoint/variants.ts';
import { asId } from '#lib/id.ts';
import { orNotFound } from '#lib/refusal.ts';
import { Nothing } from '#lib/shape.ts';
import { presentPattern, presentSettings } from '../custom-patterns/present.ts';
import {
  changePattern,
  changePatternSettings,
  createPatterns,
  deletePatterns,
  demandPatterns,
  loadPatternSettings,
  ownerOf,
  tryChange,
  tryNewPatterns,
} from '../custom-patterns/rules.ts';
import {
  ChangedSettings,
  CreatedPatterns,
  CustomPattern,
  CustomPatternChange,
  NewCustomPatterns,
  PatternDeletion,
  PatternQuery,
  PatternSettings,
  PatternSettingsChange,
} from '../custom-patterns/schemas.ts';
import { listAlertCounts, listPatterns } from '../custom-patterns/store.ts';
import { orgPattern, repoPattern } from '../path-resources.ts';

// Document 3 has custom patterns for personal tokens only.
const credentials = ['classic_pat', 'fine_grained_pat', 'oauth_app', 'session'] as const;
const ofOrg = { role: 'owner', orRole: 'security_manager' } as const;
const readsSettings = { ...ofOrg, permission: 'organization_administration:read', scopes: ['read:org'] } as const;
const writesSettings = { ...ofOrg, permission: 'organization_administration:write', scopes: ['write:org'] } as const;
const readsOrg = { ...readsSettings, credentials } as const;
const writesOrg = { ...writesSettings, credentials } as const;
const ofRepo = { scopes: ['repo', 'security_events'], role: 'admin', orRole: 'security_manager' } as const;
const readsRepo = { ...ofRepo, permission: 'administration:read' } as const;
const writesRepo = { ...ofRepo, permission: 'administration:write' } as const;

export const { org: listOrgCustomPatterns, repo: listRepoCustomPatterns } = endpointVariants(
  {
    org: {
      path: '/orgs/{org}/secret-scanning/custom-patterns',
      id: 'secret-scanning/list-org-custom-patterns',
      summary: 'List custom patterns of an organization',
      access: readsOrg,
    },
    repo: {
      path: '/repos/{owner}/{repo}/secret-scanning/custom-patterns',
      id: 'secret-scanning/list-repo-custom-patterns',
      summary: 'List custom patterns of a repository',
      access: readsRepo,
      refuses: [404],
    },
  },
  {
    method: 'GET',
    query: PatternQuery,
    paging: pagesAndCursors(),
    replies: { 200: Type.Array(CustomPattern) },
    async handle({ db, at, query, page }) {
      demandPatterns(at);
      const { state, push_protection, sort, direction } = query;
      const pushProtection = push_protection === undefined ? undefined : push_protection === 'enabled';
      return mapRows(await listPatterns(db, ownerOf(at), { state, pushProtection, sort, direction }, page), (rows) =>
        rows.map(presentPattern),
      );
    },
  },
);

export const { org: createOrgCustomPatterns, repo: createRepoCustomPatterns } = endpointVariants(
  {
    org: {
      path: '/orgs/{org}/secret-scanning/custom-patterns',
      id: 'secret-scanning/bulk-create-org-custom-patterns',
      summary: 'Create custom patterns of an organization',
      access: writesOrg,
    },
    repo: {
      path: '/repos/{owner}/{repo}/secret-scanning/custom-patterns',
      id: 'secret-scanning/bulk-create-repo-custom-patterns',
      summary: 'Create custom patterns of a repository',
      access: writesRepo,
      refuses: [404],
    },
  },
  {
    method: 'POST',
    body: NewCustomPatterns,
    example: {
      patterns: [
        {
          name: 'Engine key',
          pattern: 'ENG-[0-9a-f]{32}',
          start_delimiter: '\\A|[^0-9A-Za-z]',
          end_delimiter: '\\z|[^0-9A-Za-z]',
          must_match: [],
          must_not_match: ['0{8}'],
          test_string: 'key = ENG-1b9d6bcdbbfd4b2d9b5dab8dfbbd4bed',
          state: 'published',
        },
      ],
    },
    replies: { 201: CreatedPatterns },
    async handle({ db, change, at, body, action }) {
      demandPatterns(at);
      await tryNewPatterns(db, action, body.patterns);
      const rows = await change((scope) => createPatterns(scope, action, body.patterns));
      return { created_patterns: rows.map(presentPattern) };
    },
  },
);

export const { org: updateOrgCustomPattern, repo: updateRepoCustomPattern } = endpointVariants(
  {
    org: {
      path: '/orgs/{org}/secret-scanning/custom-patterns/{pattern_id}',
      resources: [orgPattern],
      id: 'secret-scanning/update-org-custom-pattern',
      summary: 'Update a custom pattern of an organization',
      access: writesOrg,
      refuses: [412],
    },
    repo: {
      path: '/repos/{owner}/{repo}/secret-scanning/custom-patterns/{pattern_id}',
      resources: [repoPattern],
      id: 'secret-scanning/update-repo-custom-pattern',
      summary: 'Update a custom pattern of a repository',
      access: writesRepo,
      refuses: [412],
    },
  },
  {
    method: 'PATCH',
    body: CustomPatternChange,
    example: { pattern: 'ENG-[0-9a-f]{40}', test_string: null, custom_pattern_version: '12' },
    replies: { 200: CustomPattern },
    async handle({ db, change, at, body, action }) {
      demandPatterns(at);
      const tried = at.customPattern;
      await tryChange(db, action, tried, body);
      const changed = await change((scope, { customPattern: row }) => changePattern(scope, action, { row, tried }, body));
      return presentPattern(orNotFound(changed));
    },
  },
);

export const { org: deleteOrgCustomPatterns, repo: deleteRepoCustomPatterns } = endpointVariants(
  {
    org: {
      path: '/orgs/{org}/secret-scanning/custom-patterns',
      id: 'secret-scanning/bulk-delete-org-custom-patterns',
      summary: 'Delete custom patterns of an organization',
      access: writesOrg,
      refuses: [412],
    },
    repo: {
      path: '/repos/{owner}/{repo}/secret-scanning/custom-patterns',
      id: 'secret-scanning/bulk-delete-repo-custom-patterns',
      summary: 'Delete custom patterns of a repository',
      access: writesRepo,
      refuses: [412],
    },
  },
  {
    method: 'DELETE',
    body: PatternDeletion,
    example: {
      patterns: [{ pattern_id: asId<'secret_patterns'>(1), custom_pattern_version: '12' }],
      post_delete_action: 'resolve_alerts',
    },
    replies: { 204: Nothing },
    async handle({ change, at, body, action }) {
      demandPatterns(at);
      await change((scope) => deletePatterns(scope, action, body));
    },
  },
);

export const listOrgPatternSettings = endpoint({
  id: 'secret-scanning/list-org-pattern-configs',
  method: 'GET',
  path: '/orgs/{org}/secret-scanning/pattern-configurations',
  summary: 'List pattern configurations of an organization',
  access: readsSettings,
  replies: { 200: PatternSettings },
  async handle({ db, at: { org } }) {
    const [settings, counts] = await Promise.all([loadPatternSettings(db, org.id), listAlertCounts(db, org.id)]);
    return presentSettings(settings, counts);
  },
});

export const updateOrgPatternSettings = endpoint({
  id: 'secret-scanning/update-org-pattern-configs',
  method: 'PATCH',
  path: '/orgs/{org}/secret-scanning/pattern-configurations',
  summary: 'Update pattern configurations of an organization',
  access: writesSettings,
  body: PatternSettingsChange,
  example: {
    provider_pattern_settings: [{ token_type: 'STRIPE_TEST_SECRET_KEY', push_protection_setting: 'disabled' }],
    custom_pattern_settings: [{ token_type: 'cp_1', push_protection_setting: 'enabled' }],
  },
  refuses: [409],
  replies: { 200: ChangedSettings },
  async handle({ change, body, action }) {
    return { pattern_config_version: await change((scope) => changePatternSettings(scope, action, body)) };
  },
});
