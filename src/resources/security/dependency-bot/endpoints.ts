// The repositories of an organization that the bot for dependency updates may read (document 3).
import { endpoint } from '#endpoint/endpoint.ts';
import { pagesInside } from '#endpoint/paging.ts';
import { Nothing } from '#lib/shape.ts';
import { presentRepositories, simpleRepositoryOf } from '#resources/repositories/repositories/index.ts';
import { listSelected } from '#resources/repositories/repository-selections/index.ts';
import { changeAccess, changeLevel } from './rules.ts';
import { BotAccess, BotAccessChange, BotDefaultLevel } from './schemas.ts';
import { findAccess } from './store.ts';

const administers = { scopes: ['admin:org'], role: 'owner', orRole: 'security_manager' } as const;
const reads = { ...administers, permission: 'organization_administration:read' } as const;
const writes = { ...administers, permission: 'organization_administration:write' } as const;

export const getBotAccess = endpoint({
  id: 'dependabot/repository-access-for-org',
  method: 'GET',
  path: '/orgs/{org}/dependency-bot/repository-access',
  summary: 'List the repositories that the dependency bot can access in an organization',
  access: reads,
  paging: pagesInside(),
  replies: { 200: BotAccess },
  async handle({ scope, db, at, page, viewer }) {
    const access = await findAccess(db, at.org.id);
    const default_level = access?.default_level ?? null;
    if (!access) return { body: { default_level, accessible_repositories: [] }, total: 0 };
    const selection = { id: access.selection_id, organization_id: at.org.id };
    const { rows, total } = await listSelected(db, selection, viewer.grant, page);
    const shown = await presentRepositories(scope, rows);
    return { body: { default_level, accessible_repositories: shown.map(simpleRepositoryOf) }, total };
  },
});

export const updateBotAccess = endpoint({
  id: 'dependabot/update-repository-access-for-org',
  method: 'PATCH',
  path: '/orgs/{org}/dependency-bot/repository-access',
  summary: 'Update the repositories that the dependency bot can access in an organization',
  access: writes,
  refuses: [422],
  body: BotAccessChange,
  example: { repository_ids_to_add: [42] },
  replies: { 204: Nothing },
  async handle({ change, action, body }) {
    await change((scope) => changeAccess(scope, action, body));
  },
});

export const setBotDefaultLevel = endpoint({
  id: 'dependabot/set-repository-access-default-level',
  method: 'PUT',
  path: '/orgs/{org}/dependency-bot/repository-access/default-level',
  summary: 'Set the default repository access level of the dependency bot',
  access: writes,
  body: BotDefaultLevel,
  example: { default_level: 'public' },
  replies: { 204: Nothing },
  async handle({ change, action, body }) {
    await change((scope) => changeLevel(scope, action, body));
  },
});
