/**
 * The health check of the container. It exits with 1 if the server isn't ready. It is a separate program, since the whole command
 * line takes five times as long to load. It reads the server's settings from environment variables.
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
