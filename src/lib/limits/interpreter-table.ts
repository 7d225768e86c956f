// All code that interprets users' input, apart from the validation of requests. `docs/limits.md` shows the table. A test finds
// missing entries.

/** The thread of an interpreter. `steps`: on the event loop, in counted steps, and it yields if it may take long. */
type Runs = 'steps' | 'worker';

export type Interpreter = {
  /** The input. */
  readonly reads: string;
  readonly runs: Runs;
  /** The files of `src` that contain the interpreter. */
  readonly modules: readonly string[];
  /** Its bounds: names of limits, or a fact. */
  readonly bounds: readonly string[];
};

const graph = 'resources/security/dependency-graph';

export const interpreterTable: readonly Interpreter[] = [
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
    reads: 'references, autolinks and closing keywords in texts and messages of commits',
    runs: 'steps',
    modules: ['text/references.ts', 'text/read.ts', 'text/autolinks.ts'],
    bounds: ['texts.references', 'texts.time', 'the first 64 KiB of a message'],
  },
  {
    reads: 'addresses of submodules (`.gitmodules`)',
    runs: 'steps',
    modules: ['resources/code/contents/submodules.ts'],
    bounds: ['256 KiB of the file'],
  },
  {
    reads: 'settings of the notes of releases, in YAML',
    runs: 'worker',
    modules: ['resources/collaboration/releases/notes-settings.ts'],
    bounds: ['releases.notesFile', 'releases.notesTime'],
  },
  {
    reads: 'manifests and lockfiles in TOML, XML, JSON and lines',
    runs: 'worker',
    modules: [
      `${graph}/parsers/cargo.ts`,
      `${graph}/parsers/dependency.ts`,
      `${graph}/parsers/go.ts`,
      `${graph}/parsers/maven.ts`,
      `${graph}/parsers/npm.ts`,
      `${graph}/parsers/pypi.ts`,
    ],
    bounds: [
      'dependencies.fileSize',
      'dependencies.fileTime',
      'dependencies.ofFile',
      'interpreters.manifestValues',
      'interpreters.manifestDepth',
    ],
  },
  {
    reads: 'package URLs and versions',
    runs: 'steps',
    modules: [
      `${graph}/package-urls.ts`,
      'resources/security/dependency-alerts/versions.ts',
      'resources/security/dependency-alerts/osv.ts',
    ],
    bounds: ['dependencies.nameLength', 'dependencies.vulnerabilities', 'dependencies.advisorySize'],
  },
  {
    reads: 'files of code owners',
    runs: 'steps',
    modules: [
      'resources/collaboration/code-owners/parse.ts',
      'resources/collaboration/code-owners/pattern.ts',
      'resources/collaboration/code-owners/owners.ts',
    ],
    bounds: [
      'reviewers.codeOwnersFile',
      'reviewers.codeOwnersWords',
      'reviewers.codeOwnersLine',
      'reviewers.codeOwnersErrors',
      'interpreters.codeOwnersSteps',
    ],
  },
  {
    reads: 'patterns of refs, paths and names in rulesets, environments, reviews and settings of actions',
    runs: 'steps',
    modules: [
      'lib/path-pattern.ts',
      'resources/code/rulesets/check.ts',
      'resources/code/rulesets/conditions.ts',
      'resources/code/ref-rules/git-evaluators.ts',
      'resources/collaboration/reviews/merge-rules.ts',
      'resources/actions/environments/protection.ts',
      'resources/actions/environments/rules.ts',
      'resources/repositories/actions-permissions/action-patterns.ts',
    ],
    bounds: ['rules.patterns', 'interpreters.patternSteps'],
  },
  {
    reads: 'regular expressions of rulesets',
    runs: 'steps',
    modules: ['lib/regular-expression.ts', 'resources/code/rulesets/patterns.ts'],
    bounds: ['interpreters.expressionSize', 'interpreters.expressionSteps'],
  },
  {
    reads: 'custom patterns of secrets, and what is scanned for secrets',
    runs: 'steps',
    modules: [
      'resources/code/secret-scanning/custom-patterns/expressions.ts',
      'resources/code/secret-scanning/detection/custom-scanner.ts',
      'resources/code/secret-scanning/detection/scanner.ts',
    ],
    bounds: ['secretScanning.customPatterns', 'secretScanning.fileSize', 'secretScanning.ofFile'],
  },
  {
    reads: 'SARIF',
    runs: 'steps',
    modules: ['resources/security/code-scanning/sarif.ts'],
    bounds: ['codeScanning.packedSize', 'codeScanning.unpackedSize', 'codeScanning.values'],
  },
  {
    reads: 'bodies of requests in JSON, and texts in JSON inside of forms',
    runs: 'steps',
    modules: [
      'lib/json-reader.ts',
      'lib/json-text.ts',
      'server/read-body.ts',
      'resources/platform/oauth/fields.ts',
      'resources/repositories/apps/manifests.ts',
    ],
    bounds: ['requests.body', 'requests.fileBody', 'requests.formBody', 'requests.bodyDepth', 'requests.bodyValues'],
  },
  {
    reads: 'what was stored of bodies and events as JSON',
    runs: 'steps',
    modules: [
      'database/list.ts',
      'lib/snapshot.ts',
      'resources/code/contents/archive-address.ts',
      'resources/actions/deployments/present.ts',
      'resources/platform/webhooks/present.ts',
      'resources/actions/workflow-runs/planning/contexts.ts',
      'resources/actions/workflow-runs/events.ts',
      'resources/actions/workflow-runs/tasks/runtime-token.ts',
    ],
    bounds: ['requests.body'],
  },
  {
    reads: 'archives of migrations and of websites',
    runs: 'steps',
    modules: [
      'resources/platform/migrations/archive/protection.ts',
      'resources/platform/migrations/archive/tar-writer.ts',
      'resources/platform/migrations/import/unpack.ts',
      'resources/platform/migrations/import/pages.ts',
      'resources/actions/pages/unpack.ts',
    ],
    bounds: [
      'migrations.importPage',
      'interpreters.archiveHeader',
      'interpreters.archiveSharedHeader',
      'interpreters.archiveValues',
      'migrations.importEntries',
      'pages.files',
      'pages.size',
    ],
  },
  {
    reads: 'replies of other servers in JSON',
    runs: 'steps',
    modules: ['resources/platform/repository-imports/source.ts', 'search/embeddings/http.ts'],
    bounds: ['1 MiB of a reply'],
  },
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
      'resources/identity/accounts/rules.ts',
      'resources/identity/signing-keys/rules.ts',
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

/** Files that read JSON written by the operator or by this server. */
export const ownFiles: readonly string[] = [
  'backup/manifest.ts',
  'cli/cluster-part.ts',
  'lib/prices.ts',
  'lib/release.ts',
  'runner-providers/catalogue.ts',
  'runner-providers/process/machine.ts',
];
