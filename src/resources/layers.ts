// The limits and interpreters of the parts of the server below and above the families.
import { databaseLimits, listLimits } from '#database/limits.ts';
import { gitLimits } from '#git/limits.ts';
import { interpreterLimits } from '#lib/limits/interpreters.ts';
import { requestLimits } from '#lib/limits/requests.ts';
import { sshLimits } from '#lib/limits/ssh.ts';
import { threadLimits } from '#lib/limits/threads.ts';
import { nameLimits } from '#net/limits.ts';
import { transferLimits } from '#objects/limits.ts';
import type { Interpreter } from '#openapi/interpreters.ts';
import { searchLimits } from '#search/limits.ts';
import { codeLimits, textLimits } from '#text/limits.ts';
import { deliveryLimits } from '#webhook-delivery/limits.ts';
import { workflowFileLimits, workflowTextLimits } from '#workflow-files/limits.ts';

export const layerLimits = [
  requestLimits,
  gitLimits,
  sshLimits,
  databaseLimits,
  listLimits,
  nameLimits,
  transferLimits,
  threadLimits,
  textLimits,
  codeLimits,
  interpreterLimits,
  searchLimits,
  deliveryLimits,
  workflowFileLimits,
  workflowTextLimits,
] as const;

export const layerInterpreters: readonly Interpreter[] = [
  {
    reads: 'workflow files, in YAML',
    runs: 'worker',
    modules: ['workflow-files/parser-package.ts', 'workflow-files/parser.ts', 'workflow-files/file-size.ts'],
    bounds: [
      'workflows.fileBytes',
      'workflows.files',
      'workflows.fileNodes',
      'workflows.fileCharacters',
      'workflows.fileTime',
      'workflows.runJobs',
    ],
  },
  {
    reads: 'messages of runners, in protobuf and JSON',
    runs: 'steps',
    modules: ['runner-protocol/message-size.ts', 'runner-protocol/read-message.ts'],
    bounds: ['workflows.messageBytes', 'workflows.smallMessageBytes', 'workflows.messageFields'],
  },
  {
    reads: 'expressions of workflow files',
    runs: 'steps',
    modules: [
      'workflow-files/expressions.ts',
      'workflow-files/evaluator.ts',
      'workflow-files/expression-json.ts',
      'workflow-files/expression-format.ts',
      'workflow-files/expression-functions.ts',
    ],
    bounds: [
      'workflows.expressionLength',
      'workflows.expressionSteps',
      'workflows.expressionCharacters',
      'workflows.expressionDepth',
    ],
  },
  {
    reads: 'inputs in the files of jobs, and names of steps',
    runs: 'steps',
    modules: ['workflow-files/expression-texts.ts', 'workflow-files/given-inputs.ts', 'workflow-files/step-names.ts'],
    bounds: ['workflows.taskBytes', 'workflows.fileCharacters', 'workflows.stepName', 'workflows.stepExpressions'],
  },
  {
    reads: 'filters of branches, tags, paths and workflows in workflow files',
    runs: 'steps',
    modules: ['workflow-files/pattern.ts', 'workflow-files/patterns.ts', 'workflow-files/triggers.ts'],
    bounds: [
      'interpreters.filterPatterns',
      'interpreters.filterPatternLength',
      'interpreters.filterBytes',
      'interpreters.filterSteps',
    ],
  },
  {
    reads: 'matrices of workflow files',
    runs: 'steps',
    modules: ['workflow-files/matrix.ts', 'workflow-files/matrix-values.ts'],
    bounds: [
      'workflows.jobs',
      'interpreters.matrixEntries',
      'interpreters.matrixValues',
      'interpreters.matrixBytes',
      'interpreters.matrixSteps',
    ],
  },
  {
    reads: 'schedules of workflow files',
    runs: 'steps',
    modules: ['workflow-files/schedule.ts'],
    bounds: ['interpreters.scheduleLines', 'interpreters.scheduleLength'],
  },
  {
    reads: 'Markdown',
    runs: 'worker',
    modules: ['text/markdown.ts', 'text/markdown-html.ts', 'text/sanitize.ts'],
    bounds: [
      'texts.rendered',
      'texts.page',
      'texts.html',
      'texts.nesting',
      'texts.tags',
      'texts.time',
      'texts.pageTime',
      'texts.inProcess',
    ],
  },
  {
    reads: 'source code on pages, to highlight it',
    runs: 'worker',
    modules: ['text/code-html.ts'],
    bounds: ['code.highlighted', 'code.time'],
  },
  {
    reads: 'references, autolinks and closing keywords in texts and messages of commits',
    runs: 'steps',
    modules: ['text/references.ts', 'text/read.ts', 'text/autolinks.ts'],
    bounds: ['texts.references', 'texts.time', 'the first 64 KiB of a message'],
  },
  {
    reads: 'patterns of refs, paths and names in rulesets, environments, reviews and settings of actions',
    runs: 'steps',
    modules: ['lib/path-pattern.ts'],
    bounds: ['interpreters.patternSteps', 'interpreters.patternWorkSteps', 'interpreters.patternTotalSteps'],
  },
  { reads: 'regular expressions of rulesets', runs: 'steps', modules: ['lib/regular-expression.ts'], bounds: [] },
  {
    reads: 'bodies of requests in JSON, and texts in JSON inside of forms',
    runs: 'steps',
    modules: ['lib/json-reader.ts', 'lib/json-text.ts', 'server/read-body.ts'],
    bounds: ['requests.body', 'requests.fileBody', 'requests.formBody', 'requests.bodyDepth', 'requests.bodyValues'],
  },
  {
    reads: 'what was stored of bodies and events as JSON',
    runs: 'steps',
    modules: ['database/list.ts', 'lib/snapshot.ts'],
    bounds: ['requests.body'],
  },
  { reads: 'replies of other servers in JSON', runs: 'steps', modules: ['net/model-server.ts'], bounds: [] },
  {
    reads: 'keys and signatures of SSH and OpenPGP',
    runs: 'steps',
    modules: [
      'lib/openpgp/key.ts',
      'lib/openpgp/packets.ts',
      'lib/openpgp/signature.ts',
      'lib/ssh-key.ts',
      'git/signatures/openpgp-signature.ts',
      'git/signatures/ssh-signature.ts',
      'ssh-server/connection.ts',
      'ssh-server/host-keys.ts',
      'ssh-server/server.ts',
      'ssh-server/signature.ts',
    ],
    bounds: ['64 KiB of a key or a signature', 'ssh.keys'],
  },
  {
    reads: 'queries of searches',
    runs: 'steps',
    modules: ['search/query/lexer.ts', 'search/query/parser.ts'],
    bounds: ['20,000 characters', 'search.qualifiers', 'search.values', 'search.depth'],
  },
  {
    reads: 'objects, listings and differences of Git',
    runs: 'steps',
    modules: [
      'git/objects/parse-commit.ts',
      'git/objects/parse-tree.ts',
      'git/objects/tree-list.ts',
      'git/process/records.ts',
      'git/history/changes.ts',
      'git/history/changed-paths.ts',
      'git/history/diff.ts',
    ],
    bounds: ['git.object', 'git.folder', 'git.listing', 'git.output'],
  },
];

/** Files that read JSON of the operator's or of this server's own making. */
export const layerOwnFiles: readonly string[] = [
  'backup/manifest.ts',
  'cli/cluster-part.ts',
  'cli/code-bundle/record.ts',
  'cli/code-bundle/stack-traces.ts',
  'lib/release.ts',
  'runner-providers/catalogue.ts',
  'runner-providers/machines/json-files.ts',
  'runner-providers/namespaces/init.ts',
  'runner-providers/namespaces/kept.ts',
];
