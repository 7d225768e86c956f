/**
 * Asks the server of these settings whether it is ready, and ends with 1 if it isn't: the health check of the container. It is a
 * program of its own, since the whole command line takes five times as long to load. The server must have its settings from
 * variables, as this has.
 */
import { readinessProblem } from '#net/readiness.ts';
import { readConfig } from './settings.ts';

async function findProblem(): Promise<string | undefined> {
  const { host, port, tlsCert } = readConfig({}, process.env).config;
  return readinessProblem({ host, port, tls: tlsCert !== undefined });
}

const problem = await findProblem().catch((error: unknown) => (error instanceof Error ? error.message : String(error)));
if (problem !== undefined) {
  process.stderr.write(`Hearth is not ready: ${problem}\n`);
  process.exitCode = 1;
}
