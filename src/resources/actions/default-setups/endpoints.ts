// The default setups of code scanning and code quality (document 3, and the public API's).
import { endpoint } from '#endpoint/endpoint.ts';
import { runUrl } from '#resources/actions/workflow-runs/index.ts';
import { repositoryUrlsOf } from '#resources/code/commits/index.ts';
import { presentQualitySetup, presentScanningSetup } from './present.ts';
import { changeSetup } from './rules.ts';
import {
  CodeQualitySetup,
  CodeQualitySetupChange,
  CodeScanningSetup,
  CodeScanningSetupChange,
  SetupRun,
  UnchangedSetup,
} from './schemas.ts';

const administers = { scopes: ['repo'], role: 'admin' } as const;
const managesSecurity = { ...administers, orRole: 'security_manager' } as const;
const reads = { ...managesSecurity, permission: 'administration:read' } as const;
const writes = { ...managesSecurity, permission: 'administration:write' } as const;

export const getCodeScanningSetup = endpoint({
  id: 'code-scanning/get-default-setup',
  method: 'GET',
  path: '/repos/{owner}/{repo}/code-scanning/default-setup',
  summary: 'Get a code scanning default setup configuration',
  access: reads,
  replies: { 200: CodeScanningSetup },
  handle: ({ scope, at }) => presentScanningSetup(scope, at.repo),
});

export const updateCodeScanningSetup = endpoint({
  id: 'code-scanning/update-default-setup',
  method: 'PATCH',
  path: '/repos/{owner}/{repo}/code-scanning/default-setup',
  summary: 'Update a code scanning default setup configuration',
  access: writes,
  refuses: [409],
  body: CodeScanningSetupChange,
  example: { state: 'not-configured' },
  replies: { 200: UnchangedSetup, 202: SetupRun },
  async handle({ scope, at, action, body, links, reply }) {
    const run = await changeSetup(scope, action, 'code_scanning', body);
    if (run === undefined) return reply(200, {});
    return reply(202, { run_id: run, run_url: runUrl(repositoryUrlsOf(links, at.repo), run) });
  },
});

// Document 3 has both for personal tokens only, and requires write access for the GET too.
const quality = {
  ...administers,
  permission: 'administration:write',
  credentials: ['classic_pat', 'fine_grained_pat', 'oauth_app', 'session'],
} as const;

export const getCodeQualitySetup = endpoint({
  id: 'code-quality/get-setup',
  method: 'GET',
  path: '/repos/{owner}/{repo}/code-quality/setup',
  summary: 'Get a code quality setup configuration',
  access: quality,
  replies: { 200: CodeQualitySetup },
  handle: ({ scope, at }) => presentQualitySetup(scope, at.repo),
});

export const updateCodeQualitySetup = endpoint({
  id: 'code-quality/update-setup',
  method: 'PATCH',
  path: '/repos/{owner}/{repo}/code-quality/setup',
  summary: 'Update a code quality setup configuration',
  access: quality,
  refuses: [409],
  body: CodeQualitySetupChange,
  example: { state: 'not-configured' },
  replies: { 200: UnchangedSetup, 202: SetupRun },
  async handle({ scope, at, action, body, links, reply }) {
    const run = await changeSetup(scope, action, 'code_quality', body);
    if (run === undefined) return reply(200, {});
    return reply(202, { run_id: run, run_url: runUrl(repositoryUrlsOf(links, at.repo), run) });
  },
});
