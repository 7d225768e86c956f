// What the front page shows to visitors.
import { Type } from 'typebox';
import { endpoint } from '#endpoint/endpoint.ts';
import { presentRepositories } from '../present.ts';
import { MinimalRepository } from '../schemas.ts';
import { listRecentlyPushed } from '../store.ts';

const most = 20;

export const listRecentRepositories = endpoint({
  id: 'repos/list-recently-pushed',
  method: 'GET',
  path: '/recent-repositories',
  summary: 'List the public repositories with the latest pushes',
  access: { permission: { none: 'public' } },
  replies: { 200: Type.Array(MinimalRepository) },
  async handle({ scope, db }) {
    return presentRepositories(scope, await listRecentlyPushed(db, most));
  },
});
