// Templates of `.gitignore` files for new repositories.

import { Type } from 'typebox';
import { raw } from '#endpoint/call.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { rawFileType } from '#lib/media.ts';
import { templates } from './catalogue.ts';
import { gitignoreTemplate } from './path-resources.ts';
import { GitignoreTemplate } from './schemas.ts';

const access = { permission: { none: 'public' } } as const;

export const listGitignoreTemplates = endpoint({
  id: 'gitignore/get-all-templates',
  method: 'GET',
  path: '/gitignore/templates',
  summary: 'Get all gitignore templates',
  access,
  replies: { 200: Type.Array(Type.String()) },
  async handle() {
    return [...templates().values()].map(({ name }) => name);
  },
});

export const getGitignoreTemplate = endpoint({
  id: 'gitignore/get-template',
  method: 'GET',
  path: '/gitignore/templates/{name}',
  resources: [gitignoreTemplate],
  summary: 'Get a gitignore template',
  access,
  media: ['raw'],
  replies: { 200: GitignoreTemplate },
  async handle({ at: { gitignoreTemplate }, media }) {
    return media === 'raw' ? raw(rawFileType, gitignoreTemplate.source) : gitignoreTemplate;
  },
});
