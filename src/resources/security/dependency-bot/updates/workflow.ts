// The workflow file of a job that looks for updates. The server makes it, and it uses no actions.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { encodeRequest, type UpdatedEcosystem, type UpdateRequest } from './contract.ts';

type Job = {
  readonly runsOn: readonly string[];
  readonly timeoutMinutes: number;
  /** The names of the private registries that the job gets, and no others. */
  readonly registries: readonly string[];
};

/** The name of the workflow whose runs look for updates. */
export const updatesWorkflow = 'dependency-bot/updates';

/** The name of the job in the file. */
export const updateJob = 'update';

/** The variable with the request, in parts, since Linux takes no variable of more than 128 KiB. */
const requestVariable = 'DEPENDENCY_BOT_REQUEST';
const partLength = 96 * 1024;

/**
 * The workflow file that finds updates, as JSON, which is YAML too. The request is a value of the environment in Base64, so that
 * nothing in it is an expression or a command. The job's token only reads, and only the step that checks out gets it.
 * @throws Error if the request is too large
 */
export function updateWorkflow(request: UpdateRequest, { runsOn, timeoutMinutes, registries }: Job): string {
  const file = {
    name: `Dependency updates: ${request.ecosystem}`,
    on: 'workflow_dispatch',
    permissions: { contents: 'read' },
    ...(registries.length > 0 ? { env: { PRIVATE_REGISTRIES: registries.join(', ') } } : {}),
    jobs: {
      [updateJob]: {
        'runs-on': runsOn,
        'timeout-minutes': timeoutMinutes,
        outputs: { result: expression('steps.update.outputs.result') },
        steps: [checkOut(), updateStep(request), cleanUp],
      },
    },
  };
  return JSON.stringify(file, null, 2);
}

const expression = (text: string): string => `\${{ ${text} }}`;

const checkOut = () => ({
  name: 'Check out',
  id: 'checkout',
  shell: 'sh',
  env: { TOKEN: expression('github.token') },
  run: scriptText('check-out.sh'),
});

const cleanUp = {
  name: 'Clean up',
  if: 'always()',
  shell: 'sh',
  env: { DIRECTORY: expression('steps.checkout.outputs.directory') },
  run: '[ -z "$DIRECTORY" ] || rm -rf -- "$DIRECTORY"',
};

/** How the script of an ecosystem is run, by the tools that the ecosystem has anyway. */
const scripts: Readonly<Record<UpdatedEcosystem, { readonly shell: string; readonly run: () => string }>> = {
  npm: { shell: 'node {0}', run: () => scriptText('npm.cjs') },
  // Isolated from modules beside the script, in the working folder, and of the user.
  pip: { shell: 'python3 -I {0}', run: () => scriptText('requirements.py') },
  gomod: { shell: 'sh', run: () => runGo(scriptText('gomod.go')) },
};

const updateStep = (request: UpdateRequest) => ({
  name: 'Find updates',
  id: 'update',
  shell: scripts[request.ecosystem].shell,
  env: {
    DEPENDENCY_BOT_DIRECTORY: expression('steps.checkout.outputs.directory'),
    ...requestVariables(encodeRequest(request)),
  },
  run: scripts[request.ecosystem].run(),
});

function requestVariables(text: string): Readonly<Record<string, string>> {
  const parts = Array.from({ length: Math.ceil(text.length / partLength) }, (_, at) =>
    text.slice(at * partLength, (at + 1) * partLength),
  );
  return Object.fromEntries(parts.map((part, at) => [`${requestVariable}_${at + 1}`, part]));
}

/** Go is the only tool that a runner for Go needs, so that the script is a program of it. */
const runGo = (program: string): string =>
  [
    'set -eu',
    'folder=$(mktemp -d)',
    `trap 'rm -rf -- "$folder"' EXIT`,
    `cat > "$folder/main.go" <<'END_OF_PROGRAM'`,
    program.trimEnd(),
    'END_OF_PROGRAM',
    'cd "$folder"',
    'GOTOOLCHAIN=local GOFLAGS= GOWORK=off GO111MODULE=off CGO_ENABLED=0 go run main.go',
    '',
  ].join('\n');

function scriptText(name: string): string {
  return readFileSync(join(import.meta.dirname, name), 'utf8');
}
