import { allEndpoints } from '#resources/all.ts';
import { explain } from '#server/explain.ts';
import { installationCommand, onInstallation, print } from '../command.ts';

export const explainCommand = installationCommand(
  'explain',
  'Tell step by step why a request is allowed or refused. The request is not carried out.',
  'hearth explain --token "$TOKEN" GET /orgs/acme/hooks',
)
  .argument('<method>', 'GET, POST, PUT, PATCH or DELETE')
  .argument('<path>', 'path of the API, as /repos/acme/engine')
  .option('--token <token>', 'token of the request; left out: an anonymous request')
  .action((method, path, { token }, command) =>
    onInstallation(command, async ({ hearth, db, now }) => {
      const authorization = token === undefined ? undefined : `Bearer ${token}`;
      const { url } = hearth.services;
      const request = { authorization, method: method.toUpperCase(), path };
      const explained = await explain({ db, endpoints: allEndpoints, ...request, now, url });
      const { endpoint, viewer, steps, allowed, status, message } = explained;
      print(command, explained, [
        ...(endpoint ? [`${endpoint.method} ${endpoint.path}  (${endpoint.id})`] : []),
        `asked by ${viewer.login ?? 'nobody'}, credential: ${viewer.credential}`,
        ...steps.map(({ check, passed, because }) => `  ${passed ? 'yes' : 'no '}  ${check}: ${because}`),
        allowed ? 'allowed' : `refused: ${status} ${message}`,
      ]);
    }),
  );
