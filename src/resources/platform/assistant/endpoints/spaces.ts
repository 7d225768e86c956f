// Spaces of the assistant, and their collaborators.
import { mapRows } from '#database/list.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { pagesAndCursors } from '#endpoint/paging.ts';
import { Nothing } from '#lib/shape.ts';
import { collaborator, space } from '../path-resources.ts';
import { readsSpaces, writesSpaces } from '../policies.ts';
import { presentCollaborator, presentCollaborators, presentSpace, presentSpaces } from '../present.ts';
import {
  AssistantSpace,
  AssistantSpaceChange,
  AssistantSpaceList,
  NewAssistantSpace,
  NewSpaceCollaborator,
  SpaceCollaborator,
  SpaceCollaboratorChange,
  SpaceCollaborators,
} from '../schemas.ts';
import { addCollaborator, changeCollaborator, changeSpace, createSpace } from '../space-rules.ts';
import { listCollaborators, listVisibleSpaces } from '../space-store.ts';

export const listOrgSpaces = endpoint({
  id: 'copilot-spaces/list-for-org',
  method: 'GET',
  path: '/orgs/{org}/assistant-spaces',
  summary: 'List spaces of the assistant for an organization',
  access: readsSpaces,
  paging: pagesAndCursors(),
  replies: { 200: AssistantSpaceList },
  async handle({ scope, db, at: { org }, viewer, page }) {
    return mapRows(await listVisibleSpaces(db, org, viewer, page), (rows) => presentSpaces(scope, org, rows));
  },
});

export const createOrgSpace = endpoint({
  id: 'copilot-spaces/create-for-org',
  method: 'POST',
  path: '/orgs/{org}/assistant-spaces',
  summary: 'Create a space of the assistant for an organization',
  access: writesSpaces,
  body: NewAssistantSpace,
  example: { name: 'Engines', general_instructions: 'Answer with units.', base_role: 'reader' },
  replies: { 201: AssistantSpace },
  async handle({ scope, change, at: { org }, action, body }) {
    const row = await change((scope) => createSpace(scope, action, body));
    return presentSpace(scope, org, row);
  },
});

export const getOrgSpace = endpoint({
  id: 'copilot-spaces/get-for-org',
  method: 'GET',
  path: '/orgs/{org}/assistant-spaces/{space_number}',
  resources: [space],
  summary: 'Get a space of the assistant for an organization',
  access: readsSpaces,
  replies: { 200: AssistantSpace },
  async handle({ scope, at: { org, space } }) {
    return presentSpace(scope, org, space);
  },
});

export const updateOrgSpace = endpoint({
  id: 'copilot-spaces/update-for-org',
  method: 'PUT',
  path: '/orgs/{org}/assistant-spaces/{space_number}',
  resources: [space],
  summary: 'Update a space of the assistant for an organization',
  access: writesSpaces,
  body: AssistantSpaceChange,
  example: { name: 'Steam engines' },
  replies: { 200: AssistantSpace },
  async handle({ scope, change, at: { org }, action, body }) {
    const row = await change((scope, { space }) => changeSpace(scope, action, space, body));
    return presentSpace(scope, org, row);
  },
});

export const listSpaceCollaborators = endpoint({
  id: 'copilot-spaces/list-collaborators-for-org',
  method: 'GET',
  path: '/orgs/{org}/assistant-spaces/{space_number}/collaborators',
  resources: [space],
  summary: 'List collaborators for a space of an organization',
  access: readsSpaces,
  replies: { 200: SpaceCollaborators },
  async handle({ scope, db, at }) {
    return { collaborators: await presentCollaborators(scope, await listCollaborators(db, at.space.id)) };
  },
});

export const addSpaceCollaborator = endpoint({
  id: 'copilot-spaces/add-collaborator-for-org',
  method: 'POST',
  path: '/orgs/{org}/assistant-spaces/{space_number}/collaborators',
  resources: [space],
  summary: 'Add a collaborator to a space of an organization',
  access: writesSpaces,
  body: NewSpaceCollaborator,
  example: { actor_type: 'User', actor_identifier: 'ada', role: 'writer' },
  replies: { 201: SpaceCollaborator },
  async handle({ scope, change, action, body }) {
    const row = await change((scope, { space }) => addCollaborator(scope, action, space, body));
    return presentCollaborator(scope, row);
  },
});

export const updateSpaceCollaborator = endpoint({
  id: 'copilot-spaces/update-collaborator-for-org',
  method: 'PUT',
  path: '/orgs/{org}/assistant-spaces/{space_number}/collaborators/{actor_type}/{actor_identifier}',
  resources: [collaborator],
  summary: 'Set the role of a collaborator in a space of an organization',
  access: writesSpaces,
  body: SpaceCollaboratorChange,
  example: { role: 'reader' },
  replies: { 200: SpaceCollaborator, 204: Nothing },
  async handle({ scope, change, action, body, reply }) {
    const row = await change((scope, at) => changeCollaborator(scope, action, at, body.role));
    return row ? reply(200, await presentCollaborator(scope, row)) : reply(204);
  },
});

export const removeSpaceCollaborator = endpoint({
  id: 'copilot-spaces/remove-collaborator-for-org',
  method: 'DELETE',
  path: '/orgs/{org}/assistant-spaces/{space_number}/collaborators/{actor_type}/{actor_identifier}',
  resources: [collaborator],
  summary: 'Remove a collaborator from a space of an organization',
  access: writesSpaces,
  replies: { 204: Nothing },
  async handle({ change, action }) {
    await change((scope, at) => changeCollaborator(scope, action, at, 'no_access'));
  },
});
