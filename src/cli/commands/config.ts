import { Command } from '@commander-js/extra-typings';
import { type BucketName, bucketText } from '#objects/open.ts';
import { print, withSettings } from '../command.ts';
import { limitsText, loadLimitOverrides } from '../limit-settings.ts';
import { readConfig, type Source, settingNames, settings } from '../settings.ts';

const sourceWords: Record<Source, string> = { flag: 'flag', variable: 'variable', initial: 'initial value', none: 'not set' };

export const configCommand = withSettings(new Command('config'), settingNames)
  .description('Print every setting with its value and where the value came from. Secrets are not shown.')
  .option('--json', 'print JSON')
  .addHelpText('after', '\nExample:\n  HEARTH_PORT=8080 hearth config')
  .action(async (_flags, command) => {
    const { config, sources } = readConfig(command.optsWithGlobals() as Record<string, string>, process.env);
    const limits = config.limits && limitsText(await loadLimitOverrides(config.limits));
    const rows = settingNames.map((name) => {
      const { variable, flag, secret, about } = { flag: undefined, secret: undefined, ...settings[name] };
      const value = name === 'limits' ? limits : config[name];
      return {
        variable,
        flag: flag?.split(' ')[0],
        value: displayValue(value, secret),
        source: sourceWords[sources[name]],
        about,
      };
    });
    const width = (key: 'variable' | 'value' | 'source') => Math.max(...rows.map((row) => String(row[key] ?? '').length));
    const lines = rows.map(({ variable, value, source, about }) =>
      [
        variable.padEnd(width('variable')),
        String(value ?? '').padEnd(width('value')),
        source.padEnd(width('source')),
        about,
      ].join('  '),
    );
    print(command, rows, lines);
    const known = new Set<string>(rows.map(({ variable }) => variable));
    const unknown = Object.keys(process.env).filter((name) => name.startsWith('HEARTH_') && !known.has(name));
    for (const name of unknown) process.stderr.write(`${name} is set, but Hearth has no such setting\n`);
  });

function displayValue(value: unknown, secret: true | undefined): unknown {
  if (value === undefined) return undefined;
  if (secret) return '(hidden)';
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  if (Array.isArray(value)) return value.join(',');
  if (typeof value !== 'object' || value === null) return value;
  return bucketText(value as BucketName); // no other setting is an object
}
