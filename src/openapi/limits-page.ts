import type { Limit, LimitTable } from '#lib/limits.ts';
import type { Interpreter } from './interpreters.ts';

const introduction = `# Limits

These limits bound what one caller may use, so that no request holds up the server for others. A caller is an account with
all its tokens, or the network address of an anonymous client (for IPv6, its first 64 bits). What an account owns counts as
that account: installations on it, its apps, deploy keys of its repositories, their runners and jobs. Past a limit, a request
is refused with a message that names the limit, or it waits. Waiting requests are let in by turns of callers, so a caller with
many requests delays only its own.

Operators change limits by \`HEARTH_LIMITS\`, for each process:

    HEARTH_LIMITS=git.transfers=32,requests.fileBody=100M,git.transferTime=2h

Bytes take K, M and G, times take ms, s, m and h. Limits marked as fixed can't be changed: the API promises them, or stored
data relies on them. The rate limits of the API (requests an hour) are in
[Configuration](configuration.md#rate-limits).

This page is made by \`npm run docs\` from the declarations of the server's parts and of the families of endpoints. A test
fails when it is stale.`;

/** Makes the page of all limits. */
export function makeLimitsPage(table: LimitTable, interpreters: readonly Interpreter[]): string {
  const tables = [...table].map(([group, { title, limits }]) => {
    const rows = Object.entries(limits).map(([name, limit]) =>
      row([`\`${group}.${name}\``, `${limit.shown ?? valueText(limit)}${limit.fixed ? ' (fixed)' : ''}`, limit.of, limit.past]),
    );
    const heads = [row(['limit', 'value', 'of', 'past it']), row(['---', '---', '---', '---'])];
    return [`## ${title}\n`, ...heads, ...rows].join('\n');
  });
  return `${[introduction, ...tables, interpretersSection(interpreters)].join('\n\n')}\n`;
}

const where: Record<Interpreter['runs'], string> = { steps: 'in process, in steps', worker: 'in a worker' };

/** The table of all that interprets texts of users. */
function interpretersSection(interpreters: readonly Interpreter[]): string {
  const boundText = (bound: string): string => (/^\w+\.\w+$/.test(bound) ? `\`${bound}\`` : bound);
  const rows = interpreters.map(({ reads, runs, bounds, modules }) =>
    row([reads, where[runs], bounds.map(boundText).join(', '), modules.map((file) => `\`${file}\``).join(', ')]),
  );
  const heads = [row(['what is read', 'where', 'bounds', 'files of `src/`']), row(['---', '---', '---', '---'])];
  return ['## What is interpreted\n', interpretersText, '', ...heads, ...rows].join('\n');
}

const interpretersText = `Everything that interprets text from users. What runs in the process counts its steps, and
yields to other work where it may take long.`;

const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

type Scale = readonly (readonly [factor: number, word: string])[];
const bytes: Scale = [
  [1024 ** 3, 'GiB'],
  [1024 ** 2, 'MiB'],
  [1024, 'KiB'],
  [1, 'bytes'],
];
const times: Scale = [
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1_000, 's'],
  [1, 'ms'],
];

/** Formats a value in the largest unit that divides it. */
function valueText({ value, unit }: Limit): string {
  if (unit === 'count') return value.toLocaleString('en');
  const [factor, word] = (unit === 'milliseconds' ? times : bytes).find(([size]) => value % size === 0) ?? [1, unit];
  return `${(value / factor).toLocaleString('en')} ${word}${unit === 'bytes a second' ? '/s' : ''}`;
}
