import { Command } from '@commander-js/extra-typings';
import { type CommandContext, withContext } from './installation.ts';
import { type Config, readConfig, type SettingName, settings, type TextValues } from './settings.ts';

/** The settings of every command: the data folder and the log level. */
export const commonSettings = ['data', 'log'] as const satisfies SettingName[];

/** Adds the flags of settings to a command. `configOf` reads their values. */
export function withSettings<C extends Command>(command: C, names: readonly SettingName[]): C {
  for (const name of names) {
    const { flag, variable, about, initial } = { flag: undefined, initial: undefined, ...settings[name] };
    if (flag) command.option(flag, `${about} (${variable}${initial === undefined ? '' : `, else ${initial}`})`);
  }
  return command;
}

/** The settings of a command, from its flags and the environment. `given` has defaults for missing flags. */
export const configOf = (command: { optsWithGlobals(): object }, given: TextValues = {}): Config =>
  configWithSources(command, given).config;

/** The settings of a command, and the source of each value. */
export function configWithSources(command: { optsWithGlobals(): object }, given: TextValues = {}): ReturnType<typeof readConfig> {
  const flags = command.optsWithGlobals() as TextValues;
  return readConfig({ ...given, ...flags }, process.env);
}

/** The settings of a command made by `installationCommand`. */
export const installationConfigOf = (command: { optsWithGlobals(): object }): Config =>
  configOf(command, { log: defaultLogLevel });

/** Commands log warnings only, regardless of `HEARTH_LOG`, since their output is for people and scripts. */
const defaultLogLevel = 'warn';

/** A command on an installation, with `--data`, `--log` and `--json`. */
export const installationCommand = (name: string, about: string, example: string) =>
  withSettings(new Command(name), ['data'])
    .description(about)
    .option(settings.log.flag, `${settings.log.about} (else ${defaultLogLevel})`)
    .option('--json', 'print JSON')
    .addHelpText('after', `\nExample:\n  ${example}`);

/** Runs `work` on the installation of a command's flags. */
export function onInstallation<T>(
  command: { optsWithGlobals(): object },
  work: (installation: CommandContext) => Promise<T>,
): Promise<T> {
  return withContext(installationConfigOf(command), work);
}

/** A number with its noun: `1 repository`, `2 repositories`. */
export const counted = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;

/** Prints a result: as JSON with `--json`, else as lines for people. */
export function print(command: { optsWithGlobals(): object }, value: unknown, lines: string | readonly string[]): void {
  const json = 'json' in command.optsWithGlobals();
  const text = json ? JSON.stringify(value, undefined, 2) : [lines].flat().join('\n');
  if (text !== '') process.stdout.write(`${text}\n`);
}
