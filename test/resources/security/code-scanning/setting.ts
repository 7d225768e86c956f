import { gzipSync } from 'node:zlib';
import type { Client } from '#test/support/client.ts';

/** A file as uploads carry it. */
export const packed = (sarif: object | string): string =>
  gzipSync(typeof sarif === 'string' ? sarif : JSON.stringify(sarif)).toString('base64');

/** A problem that a tool reports. */
export type Problem = { rule: string; path: string; line: number; text?: string; hash?: string; level?: string };

/** As CodeQL writes it: rules in an extension, fingerprints of lines, messages with links. */
export const codeql = (problems: readonly Problem[], category = '/language:javascript-typescript/') => ({
  $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
  version: '2.1.0',
  runs: [
    {
      tool: {
        driver: {
          name: 'CodeQL',
          organization: 'GitHub',
          semanticVersion: '2.20.1',
          notifications: [{ id: 'js/diagnostics' }],
          rules: [],
        },
        extensions: [
          {
            name: 'codeql/javascript-queries',
            semanticVersion: '1.3.0+aa',
            locations: [{ uri: 'file:///opt/codeql/', description: { text: 'The QL pack root directory.' } }],
            rules: [
              {
                id: 'js/command-line-injection',
                name: 'js/command-line-injection',
                shortDescription: { text: 'Uncontrolled command line' },
                fullDescription: { text: 'Externally controlled strings in a command line.' },
                defaultConfiguration: { enabled: true, level: 'error' },
                help: { text: '# Uncontrolled command line', markdown: '# Uncontrolled command line\nDo not.' },
                properties: {
                  tags: ['correctness', 'security', 'external/cwe/cwe-078'],
                  kind: 'path-problem',
                  precision: 'high',
                  'problem.severity': 'error',
                  'security-severity': '9.8',
                },
              },
              {
                id: 'js/unused-local-variable',
                name: 'js/unused-local-variable',
                shortDescription: { text: 'Unused variable' },
                defaultConfiguration: { enabled: true, level: 'note' },
                properties: { tags: ['maintainability'], 'problem.severity': 'recommendation' },
              },
            ],
          },
        ],
      },
      artifacts: [{ location: { uri: 'src/run.js', uriBaseId: '%SRCROOT%', index: 0 } }],
      results: problems.map(({ rule, path, line, text = 'This depends on a [value](1).', hash }) => ({
        ruleId: rule,
        rule: { id: rule, index: rule === 'js/command-line-injection' ? 0 : 1, toolComponent: { index: 0 } },
        message: { text },
        locations: [
          {
            physicalLocation: {
              artifactLocation: { uri: path, uriBaseId: '%SRCROOT%', index: 0 },
              region: { startLine: line, startColumn: 3, endColumn: 9 },
            },
          },
        ],
        ...(hash === undefined
          ? {}
          : { partialFingerprints: { primaryLocationLineHash: hash, primaryLocationStartColumnFingerprint: '2' } }),
        codeFlows: [{ threadFlows: [{ locations: [{ location: { message: { text: 'value' } } }] }] }],
        relatedLocations: [{ id: 1, message: { text: 'value' } }],
      })),
      automationDetails: { id: category },
      columnKind: 'utf16CodeUnits',
      properties: { 'codeql.something': [1, 2, { a: null }] },
    },
  ],
});

/** As the SARIF formatter of ESLint writes it: absolute addresses, levels at the results, no fingerprints. */
export const eslint = (problems: readonly Problem[]) => ({
  version: '2.1.0',
  $schema: 'http://json.schemastore.org/sarif-2.1.0-rtm.5',
  runs: [
    {
      tool: {
        driver: {
          name: 'ESLint',
          informationUri: 'https://eslint.org',
          rules: [
            {
              id: 'no-unused-vars',
              helpUri: 'https://eslint.org/docs/rules/no-unused-vars',
              properties: { category: 'Variables' },
            },
          ],
          version: '9.1.0',
        },
      },
      artifacts: [{ location: { uri: 'file:///builds/engine/src/run.js' } }],
      results: problems.map(({ rule, path, line, text = `${rule} is broken`, level = 'error' }) => ({
        level,
        message: { text },
        locations: [
          {
            physicalLocation: {
              artifactLocation: { uri: `file:///builds/engine/${path}`, index: 0 },
              region: { startLine: line, startColumn: 7, endLine: line, endColumn: 12 },
            },
          },
        ],
        ruleId: rule,
        ruleIndex: 0,
      })),
    },
  ],
});

/**
 * As Semgrep writes it: a guid of the tool is absent, its fingerprints have another name, what `nosemgrep` marks is suppressed.
 */
export const semgrep = (problems: readonly (Problem & { isSuppressed?: boolean })[]) => ({
  $schema: 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/schemas/sarif-schema-2.1.0.json',
  runs: [
    {
      invocations: [{ executionSuccessful: true, toolExecutionNotifications: [] }],
      results: problems.map(({ rule, path, line, text = 'Do not do that', isSuppressed = false }) => ({
        fingerprints: { 'matchBasedId/v1': 'requires login' },
        locations: [
          {
            physicalLocation: {
              artifactLocation: { uri: path, uriBaseId: '%SRCROOT%' },
              region: { startLine: line, endLine: line + 1, startColumn: 1, endColumn: 4, snippet: { text: 'run()' } },
            },
          },
        ],
        message: { text },
        properties: {},
        ruleId: rule,
        ...(isSuppressed ? { suppressions: [{ kind: 'inSource' }] } : {}),
      })),
      tool: {
        driver: {
          name: 'Semgrep OSS',
          rules: [
            {
              id: 'javascript.lang.eval',
              name: 'javascript.lang.eval',
              defaultConfiguration: { level: 'warning' },
              shortDescription: { text: 'Semgrep Finding: javascript.lang.eval' },
              fullDescription: { text: 'Evaluates a text.' },
              helpUri: 'https://semgrep.dev/r/javascript.lang.eval',
              help: { text: 'Evaluates a text.', markdown: 'Evaluates a text.' },
              properties: { precision: 'very-high', tags: ['security'] },
            },
          ],
          semanticVersion: '1.60.0',
        },
      },
    },
  ],
  version: '2.1.0',
});

/** A file of results with a text of this many lines, so that lines have numbers to be found at. */
export const sourceOf = (lines: readonly string[]): string => `${lines.join('\n')}\n`;

/** Uploads a file for the head of a branch of a repository. */
export async function upload(
  client: Client,
  base: string,
  sarif: object,
  { branch = 'main', ...more }: { branch?: string } & object = {},
) {
  const { body: ref } = await client.get(`${base}/git/ref/heads/${branch}`);
  return client.post(`${base}/code-scanning/sarifs`, {
    commit_sha: ref.object.sha,
    ref: `refs/heads/${branch}`,
    sarif: packed(sarif),
    ...more,
  });
}
