import { Command } from '@commander-js/extra-typings';
import { type CommandContext, withContext } from './installation.ts';
import { type Config, type Given, readConfig, type SettingName, settings } from './settings.ts';

/** The settings that every command takes: where the installation is, and what is logged. */
export const placeSettings = ['data', 'log'] as const satisfies SettingName[];

/** Adds the flags of settings to a command; their values are read by `configOf`. */
export function withSettings<C extends Command>(command: C, names: readonly SettingName[]): C {
  for (const name of names) {
    const { flag, variable, about, initial } = { flag: undefined, initial: undefined, ...settings[name] };
    if (flag) command.option(flag, `${about} (${variable}${initial === undefined ? '' : `, else ${initial}`})`);
  }
  return command;
}

/** The settings of a command, from its flags and the environment; `given` for flags that it was called without. */
export function configOf(command: { optsWithGlobals(): object }, given: Given = {}): Config {
  const flags = command.optsWithGlobals() as Given;
  return readConfig({ ...given, ...flags }, process.env).config;
}

/** The settings of a command made by `installationCommand`. */
export const installationConfigOf = (command: { optsWithGlobals(): object }): Config => configOf(command, { log: quiet });

/** Commands beside a server log warnings only, whatever its `HEARTH_LOG` says: their output is for people and scripts. */
const quiet = 'warn';

/** A command that works on an installation: it knows `--data`, `--log` and `--json`. */
export const installationCommand = (name: string, about: string, example: string) =>
  withSettings(new Command(name), ['data'])
    .description(about)
    .option(settings.log.flag, `${settings.log.about} (else ${quiet})`)
    .option('--json', 'print JSON')
    .addHelpText('after', `\nExample:\n  ${example}`);

/** Runs the work of a command on the installation that its flags name. */
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
