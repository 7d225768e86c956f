// Who may push to a protected branch: people, teams and apps. Each kind has the same four endpoints.
import { Type } from 'typebox';
import { endpoint } from '#endpoint/endpoint.ts';
import { Nothing } from '#lib/shape.ts';
import { type ActorKind, actorKinds, namesOf } from '../actor-kinds.ts';
import { protection } from '../path-resources.ts';
import { administers, readsProtection } from '../policies.ts';
import { presentActors, presentRestrictions } from '../present.ts';
import { changePushers, checkRestricted, type ListChange, removeRestrictions } from '../rules.ts';
import { AppNames, PushRestrictions, TeamNames, UserNames } from '../schemas.ts';

const part = {
  path: '/repos/{owner}/{repo}/branches/{branch}/protection/restrictions',
  resources: [protection],
} as const;

export const getAccessRestrictions = endpoint({
  ...part,
  id: 'repos/get-access-restrictions',
  method: 'GET',
  summary: 'Get access restrictions',
  access: readsProtection,
  replies: { 200: PushRestrictions },
  async handle({ scope, at }) {
    checkRestricted(at.protection);
    return presentRestrictions(scope, at.repo, at.protection);
  },
});

export const deleteAccessRestrictions = endpoint({
  ...part,
  id: 'repos/delete-access-restrictions',
  method: 'DELETE',
  summary: 'Delete access restrictions',
  access: administers,
  replies: { 204: Nothing },
  async handle({ change, action }) {
    await change((scope, { protection }) => removeRestrictions(scope, action, protection));
  },
});

const bodies = { users: UserNames, teams: TeamNames, apps: AppNames } as const;
const methods = { add: 'POST', set: 'PUT', remove: 'DELETE' } as const;

type Named = { readonly id: string; readonly summary: string };

const actorEndpoints = (kind: ActorKind, named: { readonly [One in ListChange | 'list']: Named }) => {
  const own = { ...part, path: `${part.path}/${kind}`, replies: { 200: Type.Array(actorKinds[kind].schema) } } as const;
  const changes = (what: ListChange) =>
    endpoint({
      ...own,
      ...named[what],
      method: methods[what],
      access: administers,
      body: bodies[kind],
      example: { [kind]: ['octo'] },
      async handle({ scope, change, body, action }) {
        const wanted = { change: what, kind, names: namesOf(body, kind) };
        const row = await change((scope, { protection }) => changePushers(scope, action, protection, wanted));
        return presentActors(scope, row, 'push', kind);
      },
    });
  return {
    list: endpoint({
      ...own,
      ...named.list,
      method: 'GET',
      access: readsProtection,
      async handle({ scope, at }) {
        checkRestricted(at.protection);
        return presentActors(scope, at.protection, 'push', kind);
      },
    }),
    add: changes('add'),
    set: changes('set'),
    remove: changes('remove'),
  };
};

export const {
  list: getAppsWithAccess,
  add: addAppAccessRestrictions,
  set: setAppAccessRestrictions,
  remove: removeAppAccessRestrictions,
} = actorEndpoints('apps', {
  list: { id: 'repos/get-apps-with-access-to-protected-branch', summary: 'Get apps with access to the protected branch' },
  add: { id: 'repos/add-app-access-restrictions', summary: 'Add app access restrictions' },
  set: { id: 'repos/set-app-access-restrictions', summary: 'Set app access restrictions' },
  remove: { id: 'repos/remove-app-access-restrictions', summary: 'Remove app access restrictions' },
});

export const {
  list: getTeamsWithAccess,
  add: addTeamAccessRestrictions,
  set: setTeamAccessRestrictions,
  remove: removeTeamAccessRestrictions,
} = actorEndpoints('teams', {
  list: { id: 'repos/get-teams-with-access-to-protected-branch', summary: 'Get teams with access to the protected branch' },
  add: { id: 'repos/add-team-access-restrictions', summary: 'Add team access restrictions' },
  set: { id: 'repos/set-team-access-restrictions', summary: 'Set team access restrictions' },
  remove: { id: 'repos/remove-team-access-restrictions', summary: 'Remove team access restrictions' },
});

export const {
  list: getUsersWithAccess,
  add: addUserAccessRestrictions,
  set: setUserAccessRestrictions,
  remove: removeUserAccessRestrictions,
} = actorEndpoints('users', {
  list: { id: 'repos/get-users-with-access-to-protected-branch', summary: 'Get users with access to the protected branch' },
  add: { id: 'repos/add-user-access-restrictions', summary: 'Add user access restrictions' },
  set: { id: 'repos/set-user-access-restrictions', summary: 'Set user access restrictions' },
  remove: { id: 'repos/remove-user-access-restrictions', summary: 'Remove user access restrictions' },
});
