import { Command, CommanderError } from '@commander-js/extra-typings';
import { GitError } from '#git/errors.ts';
import { Refusal } from '#lib/refusal.ts';
import { StartupError } from '#lib/startup-error.ts';
import { commands } from './commands/all.ts';
import { UsageError } from './usage-error.ts';
import { version } from './version.ts';

const program = new Command('hearth')
  .description('Hearth: a self-hosted server for Git repositories, with the REST API that existing clients know.')
  .version(version)
  .showHelpAfterError('(--help shows how)')
  .exitOverride();
for (const command of commands) program.addCommand(command.exitOverride().copyInheritedSettings(program));

try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = tell(error);
}

/** Prints an error: one line if the user can mend it, with the stack if it is a fault of Hearth. Returns the exit code. */
function tell(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode; // it has printed its message, or the help
  if (error instanceof Refusal) {
    const details = error.errors?.map(({ field, message, code }) => message ?? `${field}: ${code}`) ?? [];
    process.stderr.write(`${details.length > 0 ? details.join('\n') : error.message}\n`);
  } else if (error instanceof GitError)
    process.stderr.write(`${[error.message, error.detail.split('\n', 1)[0]].filter(Boolean).join(': ')}\n`);
  else if (error instanceof StartupError || error instanceof UsageError) process.stderr.write(`${error.message}\n`);
  else process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  return 1;
}
