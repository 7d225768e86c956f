import { Command, type CommandUnknownOpts } from '@commander-js/extra-typings';

/** A command as `hearth --help` lists it. Only the module of the requested command is loaded, since some take a second. */
type Listed = { usage: string; about: string; load: () => Promise<CommandUnknownOpts> };

/** Every command of `hearth`, in the order of its help. */
const listed: readonly Listed[] = [
  {
    usage: 'serve [options]',
    about: 'Start the server. Unless DATABASE_URL is set, it starts the embedded PostgreSQL too.',
    load: async () => (await import('./serve.ts')).serveCommand,
  },
  {
    usage: 'work [options]',
    about: 'Run background jobs (webhooks, indexing, clean-up) for servers that run with --jobs off.',
    load: async () => (await import('./work.ts')).workCommand,
  },
  {
    usage: 'user',
    about: 'Create users, verify their addresses, set their passwords, and list suspended ones.',
    load: async () => (await import('./user.ts')).userCommand,
  },
  {
    usage: 'org',
    about: 'Create organizations, add members, replace keys, and say what is demanded of tokens.',
    load: async () => (await import('./org.ts')).orgCommand,
  },
  {
    usage: 'token',
    about: 'Create, change, approve and end personal access tokens.',
    load: async () => (await import('./token.ts')).tokenCommand,
  },
  {
    usage: 'app',
    about: 'Create and change apps, install them, and create their tokens.',
    load: async () => (await import('./app.ts')).appCommand,
  },
  {
    usage: 'repo',
    about: 'Create repositories. To import an existing one, see `hearth import`.',
    load: async () => (await import('./repo.ts')).repoCommand,
  },
  {
    usage: 'image',
    about: 'Publish custom images of hosted runners.',
    load: async () => (await import('./image.ts')).imageCommand,
  },
  {
    usage: 'identity-key',
    about: 'Manage the key that signs identity tokens of jobs.',
    load: async () => (await import('./identity-key.ts')).identityKeyCommand,
  },
  {
    usage: 'secret-key',
    about: 'The key that encrypts stored secrets.',
    load: async () => (await import('./secret-key.ts')).secretKeyCommand,
  },
  {
    usage: 'import [options] <source> <owner/name>',
    about:
      "Create a repository with another one's branches and tags, and with its issues on request. A running server " +
      'indexes it for the search.',
    load: async () => (await import('./import.ts')).importCommand,
  },
  {
    usage: 'migration',
    about: 'Read archives of migrations, which move data between servers.',
    load: async () => (await import('./migration.ts')).migrationCommand,
  },
  {
    usage: 'reindex [options] [owner/name...]',
    about: 'Make the search indexes again, for the named repositories or for all. Searches go on meanwhile.',
    load: async () => (await import('./reindex.ts')).reindexCommand,
  },
  {
    usage: 'backup [options] <folder>',
    about: 'Copy the whole installation into an empty folder, while it runs. The secret key is not copied: keep it elsewhere.',
    load: async () => (await import('./backup.ts')).backupCommand,
  },
  {
    usage: 'restore [options] <folder>',
    about: 'Fill an empty installation from a backup. Put the secret key in place first (file secret-key, or HEARTH_SECRET_KEY).',
    load: async () => (await import('./restore.ts')).restoreCommand,
  },
  {
    usage: 'doctor [options]',
    about:
      'Check an installation: programs, database, clock, disk, repositories and their refs, files, jobs, workflows, ' +
      'runners, advisories, security configurations, migrations, budgets, webhooks, indexes. Ends with 1 when something ' +
      'is wrong.',
    load: async () => (await import('./doctor.ts')).doctorCommand,
  },
  {
    usage: 'jobs',
    about: 'Look after background jobs.',
    load: async () => (await import('./jobs.ts')).jobsCommand,
  },
  {
    usage: 'explain [options] <method> <path> [ref] [to]',
    about:
      'Show step by step why a request or a push is allowed or refused (without carrying it out), which rules of an ' +
      'organization apply to a repository, why a job of a workflow waits, what a default setup of code scanning analyses ' +
      'and why nothing runs, what the pull requests in a merge queue wait for, what the dependency bot looks for, or why a ' +
      "repository can't have a security configuration.",
    load: async () => (await import('./explain.ts')).explainCommand,
  },
  {
    usage: 'config [options]',
    about: 'Print every setting with its value and where the value came from. Secrets are not shown.',
    load: async () => (await import('./config.ts')).configCommand,
  },
  {
    usage: 'bundle-code',
    about: 'Bundle the code, so that Hearth starts faster. `npm ci` does this. After a change, Hearth runs from its sources.',
    load: async () => (await import('./bundle-code.ts')).bundleCodeCommand,
  },
  {
    usage: 'demo [folder...]',
    about:
      'Show what Hearth does: start it on a temporary folder, create a team, push this repository, and search its ' +
      'code. On a terminal, it then runs until Ctrl-C.',
    load: async () => (await import('./demo.ts')).demoCommand,
  },
];

const nameOf = ({ usage }: Listed): string => usage.split(' ', 1)[0] ?? '';

/** All commands. The command called `name` is complete, and the others only have what the list shows. */
export const commandsFor = (name: string | undefined): Promise<CommandUnknownOpts[]> =>
  Promise.all(listed.map((entry) => (nameOf(entry) === name ? entry.load() : listing(entry))));

/** All commands, complete. */
export const loadCommands = (): Promise<CommandUnknownOpts[]> => Promise.all(listed.map(({ load }) => load()));

/** A command that has only the name, usage and description of an entry. */
function listing(entry: Listed): CommandUnknownOpts {
  const { usage, about } = entry;
  const command = new Command(nameOf(entry)).description(about);
  const [, options, words] = /^\S+( \[options\])?(?: (.+))?$/.exec(usage) ?? [];
  if (options) command.option('--any');
  if (words) command.arguments(words);
  return command;
}
