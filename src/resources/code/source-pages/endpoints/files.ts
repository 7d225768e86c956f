// Files, as pages show them, and their bytes.
import { Type } from 'typebox';
import { readsContents } from '#access/policies.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { repositoryUrlsOf } from '#resources/code/commits/index.ts';
import { showFile } from '../file.ts';
import { getLocation } from '../location.ts';
import { readRaw } from '../raw.ts';
import { ShownFile } from '../schemas.ts';

const line = Type.Optional(Type.Integer({ minimum: 1, maximum: 2_147_483_647 }));

export const getSourceFile = endpoint({
  id: 'source-pages/get-file',
  method: 'GET',
  path: '/repos/{owner}/{repo}/source/files/{path}',
  summary: 'Get a file by a ref and a path',
  access: readsContents,
  query: Type.Object({ line, source: Type.Optional(Type.Boolean()) }),
  replies: { 200: ShownFile },
  async handle({ scope, at, query, links, caller }) {
    const location = await getLocation(scope.git, at.repo, at.path);
    const wanted = { line: query.line ?? 1, isSource: query.source ?? false };
    return showFile(scope, { links, caller, urls: repositoryUrlsOf(links, at.repo) }, location, wanted);
  },
});

export const getRawFile = endpoint({
  id: 'source-pages/get-raw-file',
  method: 'GET',
  path: '/repos/{owner}/{repo}/source/raw/{path}',
  summary: 'Get the bytes of a file by a ref and a path',
  access: readsContents,
  replies: { 200: Type.String() },
  handle: async ({ scope, at }) => readRaw(await getLocation(scope.git, at.repo, at.path)),
});
