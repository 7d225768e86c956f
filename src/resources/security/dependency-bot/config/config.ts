// What the configuration file of the bot says, once it was read.
import type { UpdatedEcosystem, UpdateGroup, VersionRules } from '../updates/contract.ts';
import type { Schedule } from './schedule.ts';

/** Where the file may be. The first one that exists counts. */
export const configPaths = [
  '.service/dependency-bot.yml',
  '.service/dependency-bot.yaml',
  '.github/dependabot.yml',
  '.github/dependabot.yaml',
] as const;

export type ConfigProblem = { readonly message: string; readonly line: number };

/** A text of the file, or the name of one of the bot's secrets that it stands for. */
export type ConfigValue = { readonly text: string } | { readonly secret: string };

export const configRegistryTypes = ['npm-registry', 'python-index', 'goproxy-server'] as const;

/** A registry with which package managers sign in by a token, or by a user and a password. */
export type ConfigRegistry = {
  readonly name: string;
  readonly type: (typeof configRegistryTypes)[number];
  readonly url: string;
  readonly username: ConfigValue | undefined;
  readonly password: ConfigValue | undefined;
  readonly token: ConfigValue | undefined;
  readonly replacesBase: boolean;
};

export type UpdateEntry = {
  readonly ecosystem: UpdatedEcosystem;
  /** Folders such as `/web`, or patterns of them. */
  readonly directories: readonly string[];
  readonly schedule: Schedule;
  /** The rules of version updates. Their limit is that of open pull requests; 0 turns version updates off. */
  readonly version: VersionRules;
  readonly securityGroups: readonly UpdateGroup[];
  /** Undefined for the labels that the bot sets by itself. */
  readonly labels: readonly string[] | undefined;
  readonly assignees: readonly string[];
  readonly milestone: number | undefined;
  /** The branch of version updates; undefined for the default branch. */
  readonly targetBranch: string | undefined;
  readonly commitMessage: {
    readonly prefix: string | undefined;
    readonly prefixDevelopment: string | undefined;
    readonly includesScope: boolean;
  };
  /** The character between the parts of a branch's name. */
  readonly separator: '-' | '_' | '/';
  readonly rebases: boolean;
  /** The names of its registries in the file. */
  readonly registries: readonly string[];
};

export type BotConfig = { readonly updates: readonly UpdateEntry[]; readonly registries: readonly ConfigRegistry[] };

/** A file with problems in some of its entries is used without these. One that can't be read at all has no `config`. */
export type ParsedConfig = { readonly config?: BotConfig; readonly problems: readonly ConfigProblem[] };
