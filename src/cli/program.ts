import { Command, CommanderError, type CommandUnknownOpts } from '@commander-js/extra-typings';
import { GitError } from '#git/errors.ts';
import { isDiskFull } from '#lib/disk-full.ts';
import { type FieldCode, Refusal } from '#lib/refusal.ts';
import { release } from '#lib/release.ts';
import { StartupError } from '#lib/startup-error.ts';
import { commandsFor } from './commands/all.ts';
import { UsageError } from './usage-error.ts';

/** The program with the command that `words` name. */
async function programFor(words: readonly string[]): Promise<CommandUnknownOpts> {
  const program = new Command('hearth')
    .description('Hearth: a self-hosted server for Git repositories, with the REST API that existing clients know.')
    .version(release)
    .showHelpAfterError('(--help shows how)')
    .exitOverride();
  const [name] = words.filter((word) => !word.startsWith('-') && word !== 'help');
  for (const command of await commandsFor(name)) program.addCommand(inherit(command, program));
  return program;
}

/** The messages of error codes, for errors without a message. */
const codeWords: Record<FieldCode, string> = {
  missing: 'does not exist',
  missing_field: 'is missing',
  invalid: 'is not valid',
  already_exists: 'is there already',
  unprocessable: 'is not valid',
  too_large: 'is too large',
  custom: 'is not valid',
};

/** Runs a command with its arguments, and sets `process.exitCode`. */
export async function run(words: readonly string[]): Promise<void> {
  try {
    const program = await programFor(words);
    await program.parseAsync(words, { from: 'user' });
  } catch (error) {
    process.exitCode = printError(error);
  }
}

/**
 * Applies the parent's settings for exit and errors to a command and its subcommands. (Commander does this only for subcommands
 * made by `command()`.)
 */
function inherit<C extends CommandUnknownOpts>(command: C, parent: CommandUnknownOpts): C {
  command.exitOverride().copyInheritedSettings(parent);
  for (const subcommand of command.commands) inherit(subcommand, command);
  return command;
}

/** Prints an error: one line for a user's error, and the stack for a fault of Hearth. Returns the exit code. */
function printError(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode; // Commander has printed the message or the help
  if (error instanceof Refusal) {
    const details = error.errors.map(({ field, message, code }) => message ?? `${field} ${codeWords[code]}`);
    process.stderr.write(`${details.length > 0 ? details.join('\n') : error.message}\n`);
  } else if (error instanceof GitError)
    process.stderr.write(`${[error.message, error.detail.split('\n', 1)[0]].filter(Boolean).join(': ')}\n`);
  else if (isDiskFull(error))
    process.stderr.write(`There is no disk space left: ${error instanceof Error ? error.message : error}\n`);
  else if (error instanceof StartupError || error instanceof UsageError) process.stderr.write(`${error.message}\n`);
  else process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  return 1;
}
