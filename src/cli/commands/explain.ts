import { allEndpoints } from '#resources/all.ts';
import { explain } from '#server/explain.ts';
import { explainPush, type PushExplanation } from '#server/explain-push.ts';
import { installationCommand, onInstallation, print } from '../command.ts';

type Step = PushExplanation['steps'][number];

const wordOf = (passed: boolean | undefined): string => (passed === undefined ? '?  ' : passed ? 'yes' : 'no ');
const lineOf = ({ check, passed, because }: Step): string => `  ${wordOf(passed)}  ${check}: ${because}`;

export const explainCommand = installationCommand(
  'explain',
  'Tell step by step why a request, or a push to a branch, is allowed or refused. It is not carried out.',
  'hearth explain --token "$TOKEN" GET /orgs/acme/hooks',
)
  .argument('<method>', 'GET, POST, PUT, PATCH or DELETE; or PUSH')
  .argument('<path>', 'path of the API, as /repos/acme/engine; for PUSH the repository, as acme/engine')
  .argument('[ref]', 'for PUSH: a branch, or a full ref name')
  .argument('[to]', 'for PUSH: what it is moved to, as a branch or commit of the repository; an empty text deletes it')
  .option('--token <token>', 'token of the request; left out: an anonymous request')
  .action((method, path, ref, to, { token }, command) =>
    onInstallation(command, async ({ hearth, db, now }) => {
      const authorization = token === undefined ? undefined : `Bearer ${token}`;
      const { services } = hearth;
      if (method.toUpperCase() === 'PUSH') {
        const [owner = '', name = ''] = path.replace(/^\/?(?:repos\/)?/, '').split('/');
        const target = { ref: ref ?? 'main', to: to === '' ? null : to };
        const explained = await explainPush({ db, services, authorization, owner, name, ...target, now });
        const { viewer, steps, allowed, status, message } = explained;
        print(command, explained, [
          `push to ${target.ref} of ${owner}/${name}`,
          `asked by ${viewer.login ?? 'nobody'}, credential: ${viewer.credential}`,
          ...steps.map(lineOf),
          allowed ? 'allowed' : `refused: ${status === undefined ? '' : `${status} `}${message}`,
        ]);
        return;
      }
      const request = { authorization, method: method.toUpperCase(), path };
      const explained = await explain({ db, endpoints: allEndpoints, ...request, now, url: services.url });
      const { endpoint, viewer, steps, allowed, status, message } = explained;
      print(command, explained, [
        ...(endpoint ? [`${endpoint.method} ${endpoint.path}  (${endpoint.id})`] : []),
        `asked by ${viewer.login ?? 'nobody'}, credential: ${viewer.credential}`,
        ...steps.map(lineOf),
        allowed ? 'allowed' : `refused: ${status} ${message}`,
      ]);
    }),
  );
